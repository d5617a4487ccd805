import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's positions")
struct PositionTests {
    private func positions(_ body: String, _ check: ([Position], CannedServer) throws -> Void) async throws {
        var bodies = try AccountTests.bodies([:])
        bodies["/port/v1/netpositions"] = body
        try await withSaxo(bodies) { saxo, server in
            try check(try await saxo.positions(in: .patient).positions, server)
        }
    }

    @Test("of the golden response are read; figures that Saxo does not have are nil")
    func whole() async throws {
        try await positions(try goldenText("netpositions")) { positions, server in
            #expect(positions.map(\.symbol.text) == ["EUR/DKK", "AAPL"])
            let pair = positions[0]
            #expect(pair.assetClass == .fx)
            #expect(pair.listing?.key == "16")
            #expect(pair.listing?.assetType == "FxSpot")
            #expect(pair.side == .long)
            #expect(pair.quantity == 200_000)
            #expect(pair.averageEntryPrice?.description == "7.46114")
            #expect(pair.currentPrice?.description == "7.46105")
            #expect(pair.delayMinutes == 0)
            #expect(pair.currency == "DKK")
            #expect(pair.unrealizedProfitLoss == -18)
            // 200,000 times 7.46114.
            #expect(pair.costBasis == 1_492_228)
            #expect(pair.unrealizedProfitLossPercent?.description == "-0.0012")
            // 200,000 EUR are no figure in DKK.
            #expect(pair.marketValue == nil)
            #expect(pair.inAccountCurrency?.currency == "EUR")
            // They are no value of the position in another currency either.
            #expect(pair.inAccountCurrency?.marketValue == nil)
            #expect(pair.inAccountCurrency?.unrealizedProfitLoss?.description == "-2.41")
            #expect(pair.status == "Open")
            #expect(pair.accountID == "uQ7xN3c-5m1Y8aFz2LQw4A==")
            let share = positions[1]
            #expect(share.quantity == 40)
            #expect(share.currentPrice == nil)
            #expect(share.delayMinutes == nil)
            #expect(share.marketValue == nil)
            #expect(share.unrealizedProfitLoss == nil)
            #expect(share.costBasis == nil && share.unrealizedProfitLossPercent == nil)
            #expect(share.inAccountCurrency == nil)
            #expect(
                server.requests.last?.query["FieldGroups"]
                    == "NetPositionBase,NetPositionView,DisplayAndFormat")
        }
    }

    /// One position, with its amount, status and the rest of its base.
    private static func body(_ amount: String, _ view: String, _ format: String = share) -> String {
        #"{"Data":[{"NetPositionBase":{"Uic":211,"AssetType":"Stock","Amount":\#(amount),"OpeningDirection":"Sell"},"#
            + #""NetPositionView":{\#(view)},"DisplayAndFormat":{\#(format)}}]}"#
    }
    private static let share = #""Symbol":"AAPL:xnas","Currency":"USD""#

    @Test(
        "that are square are left out, and no others",
        arguments: [
            ("0", #""Status":"Square""#, 0), ("0", #""Status":"Closed""#, 0), ("0.0", "", 0),
            ("0", #""Status":"Locked""#, 1), ("0", #""Status":"Closing""#, 1),
            ("-3", #""Status":"Square""#, 1),
            ("1E-9", #""Status":"Closed""#, 1),
        ])
    func square(amount: String, view: String, count: Int) async throws {
        try await positions(Self.body(amount, view)) { positions, _ in #expect(positions.count == count) }
    }

    @Test("have their exposure, costs, value date, related orders, reliability, price format and rate")
    func details() async throws {
        try await positions(try goldenText("netpositions")) { positions, _ in
            let pair = positions[0]
            #expect(
                pair.exposure
                    == ConvertedAmount(
                        amount: 200_000, currency: "EUR", accountAmount: 200_000, accountCurrency: "EUR"))
            #expect(
                pair.costs
                    == ConvertedAmount(amount: 0, currency: "DKK", accountAmount: 0, accountCurrency: "EUR"))
            #expect(pair.canBeClosed == true && pair.relatedOrderCount == 0)
            #expect(pair.valueDate?.description == "2026-11-24" && pair.reliability == .reliable)
            #expect(
                pair.priceFormat
                    == PriceFormat(decimals: 4, pipFractionDecimals: 1, name: "AllowDecimalPips"))
            #expect(pair.priceFormat?.pip?.description == "0.0001" && pair.conversionRate == nil)
            let share = positions[1]
            #expect(share.canBeClosed == true && share.valueDate == nil && share.relatedOrderCount == nil)
            #expect(share.reliability == .noMarketAccess && share.exposure == nil && share.costs == nil)
            #expect(
                share.priceFormat == PriceFormat(decimals: 2, pipFractionDecimals: 0, name: "Normal"))
            #expect(share.priceFormat?.pip == nil)
        }
    }

    @Test("have costs above zero; if Saxo names pence as the currency, the rate is that of a pound")
    func convertedDetails() async throws {
        let view =
            #""TradeCostsTotal":-1440,"TradeCostsTotalInBaseCurrency":-16.5,"ConversionRateCurrent":0.0115,"#
            + #""Exposure":28735,"ExposureCurrency":"GBX","ExposureInBaseCurrency":330.45"#
        let format = #""Symbol":"TSCO:xlon","Currency":"GBX""#
        let costs = ConvertedAmount(
            amount: try decimal("14.40"), currency: "GBP", accountAmount: try decimal("16.5"),
            accountCurrency: "EUR")
        try await positions(Self.body("100", view, format)) { positions, _ in
            #expect(positions[0].costs == costs)
            #expect(positions[0].conversionRate?.description == "1.15")
            #expect(positions[0].exposure?.currency == "GBP")
            #expect(positions[0].exposure?.amount.description == "287.35")
        }
    }

    @Test(
        "show figures only if Saxo could calculate them, with the reliability",
        arguments: [
            ("Ok", ValuationReliability.reliable, true), ("OkWithConditions", .withConditions, true),
            ("ApproximatedPrice", .approximatePrice, true), ("PricePending", .pricePending, false),
            ("NoMarketAccess", .noMarketAccess, false), ("UnknownPrice", .unknownPrice, false),
            ("CurrencyConversionFailed", .conversionFailed, false),
            ("FailedToCalculateCollateral", .failed, false), ("SystemError", .failed, false),
            ("SomethingNew", nil, true),
        ])
    func reliability(name: String, reliability: ValuationReliability?, hasFigures: Bool) async throws {
        let view =
            #""CalculationReliability":"\#(name)","MarketValue":700,"ProfitLossOnTrade":0,"#
            + #""MarketValueInBaseCurrency":600"#
        try await positions(Self.body("3", view)) { positions, _ in
            #expect(positions[0].reliability == reliability)
            #expect((positions[0].marketValue == 700) == hasFigures)
            #expect((positions[0].unrealizedProfitLoss == 0) == hasFigures)
            #expect((positions[0].inAccountCurrency != nil) == hasFigures && positions[0].quantity == 3)
        }
    }

    @Test("below zero are shorts")
    func short() async throws {
        let view = #""MarketValue":-700.5,"CurrentPrice":0,"AverageOpenPrice":190,"ProfitLossOnTrade":-35.5"#
        try await positions(Self.body("-3.5", view)) { positions, _ in
            #expect(positions[0].side == .short)
            #expect(positions[0].quantity.description == "3.5")
            #expect(positions[0].marketValue?.description == "-700.5")
            #expect(positions[0].costBasis == -665)
            #expect(positions[0].unrealizedProfitLossPercent?.description == "-5.3383")
            #expect(positions[0].currentPrice == nil)
        }
    }

    @Test("in pence, if Saxo names it as the currency, are told in pounds, no digit lost")
    func pence() async throws {
        let view = #""AverageOpenPrice":"287.35","MarketValue":28735,"ProfitLossOnTrade":1"#
        let format = #""Symbol":"TSCO:xlon","Currency":"GBX""#
        try await positions(Self.body("100", view, format)) { positions, _ in
            #expect(positions[0].symbol.text == "TSCO:XLON")
            #expect(positions[0].currency == "GBP")
            #expect(positions[0].averageEntryPrice?.description == "2.8735")
            #expect(positions[0].costBasis?.description == "287.35")
            #expect(positions[0].marketValue?.description == "287.35")
            #expect(positions[0].unrealizedProfitLoss?.description == "0.01")
        }
    }

    @Test(
        "have no cost if their price is not that of one unit",
        arguments: ["Bond", "ContractFutures", "StockOption", "FuturesOption"])
    func contracts(assetType: String) async throws {
        let view = #""AverageOpenPrice":101,"CurrentPrice":102,"ProfitLossOnTrade":50"#
        let body = Self.body("1", view).replacing("\"Stock\"", with: "\"\(assetType)\"")
        try await positions(body) { positions, _ in
            #expect(positions[0].unrealizedProfitLoss == 50 && positions[0].costBasis == nil)
            #expect(positions[0].unrealizedProfitLossPercent == nil)
        }
    }

    @Test("of one Uic are two, where they are a share and the CFD on it")
    func sharedUic() async throws {
        let body = #"""
            {"Data":[{"NetPositionBase":{"Uic":211,"AssetType":"Stock","Amount":1},"DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}},
            {"NetPositionBase":{"Uic":211,"AssetType":"CfdOnStock","Amount":2},"DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}}]}
            """#
        try await positions(body) { positions, _ in
            #expect(positions.map(\.symbol.text) == ["AAPL", "AAPL:XNAS:CfdOnStock"])
            #expect(positions.map(\.assetClass) == [.equity, .cfd])
        }
    }

    @Test("have no amounts if the details of their instrument cannot be read, and the others do")
    func unreadableDetails() async throws {
        var bodies = try AccountTests.bodies([:])
        bodies["/port/v1/netpositions"] = #"""
            {"Data":[{"NetPositionBase":{"Uic":211,"AssetType":"Stock","Amount":1},"NetPositionView":{"MarketValue":9},
            "DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}},
            {"NetPositionBase":{"Uic":5,"AssetType":"Stock","Amount":2},"NetPositionView":{"MarketValue":7},
            "DisplayAndFormat":{"Decimals":2,"Description":"X","Symbol":"X:xnas"}}]}
            """#
        bodies["/ref/v1/instruments/details/5/Stock"] =
            #"{"Uic":5,"AssetType":"Stock","TickSizeScheme":{"Elements":[{"HighPrice":1}]}}"#
        try await withSaxo(bodies) { saxo, _ in
            let positions = try await saxo.positions(in: .patient).positions
            #expect(positions.map(\.symbol.text) == ["AAPL", "X"])
            #expect(positions.map(\.quantity) == [1, 2])
            #expect(positions.map(\.marketValue) == [9, nil])
            #expect(positions.map(\.currency) == ["USD", FiatCurrency.none])
        }
    }

    @Test("may be none, told by status 204 or by an empty list", arguments: [204, 200])
    func none(status: Int) async throws {
        let identity = try AccountTests.bodies([:])
        try await withSaxo(answering: { request, _ in
            identity[request.path].map { .text($0) }
                ?? .text(status == 204 ? "" : #"{"Data":[]}"#, status: status)
        }) { saxo, _ in
            let positions = try await saxo.positions(in: .patient)
            #expect(positions.isEmpty)
        }
    }

    @Test("go on over pages, whose links are followed as they are")
    func pages() async throws {
        let identity = try AccountTests.bodies([:])
        let page = Self.body("1", "")
        try await withSaxo(answering: { request, _ in
            if let body = identity[request.path] { return .text(body) }
            let link = "/openapi/port/v1/netpositions?$skip=1&ClientKey=a|b%3D&page=2"
            return request.target.contains("page=2")
                ? .text(page) : .text(page.replacing(#"{"Data""#, with: #"{"__next":"\#(link)","Data""#))
        }) { saxo, server in
            let positions = try await saxo.positions(in: .patient)
            #expect(positions.count == 2)
            #expect(
                server.requests.last?.target
                    == "/sim/openapi/port/v1/netpositions?$skip=1&ClientKey=a%7Cb%3D&page=2")
        }
    }

    @Test(
        "on pages that lead in a circle, or to another host, are not half told",
        arguments: ["same", "elsewhere"])
    func badLinks(kind: String) async throws {
        let identity = try AccountTests.bodies([:])
        let page = Self.body("1", "")
        try await withSaxo(answering: { request, _ in
            if let body = identity[request.path] { return .text(body) }
            let link =
                kind == "same"
                ? "/openapi/port/v1/netpositions?page=2" : "http://127.0.0.1:1/sim/openapi/port"
            return .text(page.replacing(#"{"Data""#, with: #"{"__next":"\#(link)","Data""#))
        }) { saxo, _ in
            await #expect(throws: ProviderFailure(.saxo, .invalidResponse(nil))) {
                try await saxo.positions(in: .patient)
            }
        }
    }

    @Test(
        "that cannot be read are named with their place",
        arguments: [
            (
                #"{"Data":[{"NetPositionBase":{"Uic":16,"AssetType":"FxSpot"}}]}"#,
                #"Data[0].NetPositionBase: no "Amount" (byte 59)"#
            ),
            (#"{"Data":[{}]}"#, #"Data[0]: no "NetPositionBase" (byte 11)"#),
            (
                #"{"Data":[{"NetPositionBase":{"Uic":"x"}}]}"#,
                "Data[0].NetPositionBase.Uic: expected an integer, found a string that is none (byte 35)"
            ),
            (#"{"Rows":[]}"#, #"no "Data" (byte 11)"#),
        ])
    func refusals(body: String, message: String) async throws {
        do throws(JSONError) {
            let page = try decode(SaxoPage<SaxoNetPosition>.self, from: body)
            #expect(page.items.isEmpty && page.failures.map(\.description) == [message])
        } catch {
            #expect(error.description == message)
        }
    }
}
