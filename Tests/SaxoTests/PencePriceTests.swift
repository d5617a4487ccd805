import Brokerage
import ProviderTestSupport
import Saxo
import TestSupport
import Testing
import Upstream

import class Sandbox.ManualClock

/// The responses are those of Saxo's simulation for lines of London: all name the pound, and only the details of an instrument
/// state whether its prices are in pence.
@Suite("Prices in pence at Saxo")
struct PencePriceTests {
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="

    /// The members of the details of an instrument that state the unit of its prices.
    enum Unit {
        static let pence = #""CurrencyCode":"GBP","PriceCurrency":"GBX","PriceToContractFactor":0.01"#
        static let pounds = #""CurrencyCode":"GBP","PriceCurrency":"GBP","PriceToContractFactor":1.0"#
        static let unstated = #""CurrencyCode":"GBP""#
        /// A tick size scheme without a tick size.
        static let unreadable = pence + #","TickSizeScheme":{"Elements":[{"HighPrice":1}]}"#
    }

    // MARK: The unit

    struct Case: CustomTestStringConvertible, Sendable {
        let assetType: String
        let members: String
        /// A price of 31151 in the currency; nil if the unit is unknown.
        let price: String?
        var testDescription: String { "\(assetType) \(members)" }

        init(_ assetType: String, _ members: String, _ price: String?) {
            (self.assetType, self.members, self.price) = (assetType, members, price)
        }
    }

    private static let cases = [
        Case("Etn", Unit.pence, "311.51"), Case("Stock", Unit.pounds, "31151"),
        Case("CfdOnStock", Unit.pence, "311.51"),
        Case("Etf", #""CurrencyCode":"GBP","PriceCurrency":"GBX""#, "311.51"),
        Case("Etf", #""CurrencyCode":"GBP","PriceToContractFactor":0.010"#, "311.51"),
        Case("Etf", #""CurrencyCode":"GBP","PriceToContractFactor":1"#, "31151"),
        Case("Stock", #""CurrencyCode":"ILS","PriceToContractFactor":0.01"#, "311.51"),
        Case("Stock", #""CurrencyCode":"ZAR","PriceCurrency":"ZAC""#, "311.51"),
        Case("Stock", #""CurrencyCode":"GBX""#, "311.51"),
        Case("Stock", #""CurrencyCode":"USD""#, "31151"),
        Case("Stock", #""CurrencyCode":"USD","PriceCurrency":"USD","PriceToContractFactor":1.0"#, "31151"),
        Case("FxSpot", Unit.unstated, "31151"), Case("StockIndex", Unit.unstated, "31151"),
        Case("Bond", #""CurrencyCode":"GBP","PriceToContractFactor":0.01"#, "31151"),
        // The factor of a derivative has the size of the contract too.
        Case(
            "ContractFutures", #""CurrencyCode":"GBP","PriceCurrency":"GBP","PriceToContractFactor":10"#,
            "31151"),
        Case("ContractFutures", #""CurrencyCode":"GBP","PriceToContractFactor":0.01"#, nil),
        Case("Stock", Unit.unstated, nil),
        Case("Stock", #""CurrencyCode":"GBP","PriceToContractFactor":10"#, nil),
        Case("Stock", #""CurrencyCode":"GBP","PriceCurrency":"USD""#, nil),
        Case("Stock", #""CurrencyCode":"GBP","PriceCurrency":"GBP","PriceToContractFactor":0.01"#, nil),
        Case("Stock", #""CurrencyCode":"GBP","PriceCurrency":"GBX","PriceToContractFactor":1"#, nil),
    ]

    @Test(
        "are known by the details of the instrument, and unknown if these contradict themselves",
        arguments: cases)
    func unit(_ expected: Case) async throws {
        let type = expected.assetType
        let bodies = [
            "/ref/v1/instruments/details/5/\(type)":
                #"{"Uic":5,"AssetType":"\#(type)","Symbol":"LQQ3:xlon",\#(expected.members)}"#,
            "/trade/v1/infoprices/list":
                #"{"Data":[{"Uic":5,"AssetType":"\#(type)","PriceInfo":{"High":31151}}]}"#,
        ]
        try await withSaxo(bodies) { saxo, _ in
            let share = try symbol("UIC=5:\(type)")
            let quote = try #require(try await saxo.quotes(for: [share], in: .patient)[share])
            #expect(quote.high?.description == expected.price)
        }
    }

    @Test("have their steps in pounds, and no steps if the unit is unknown")
    func steps() async throws {
        let scheme =
            #""TickSizeScheme":{"DefaultTickSize":0.5,"Elements":[{"HighPrice":100,"TickSize":0.02}]}"#
        func listing(_ unit: String, _ steps: String) async throws -> Listing? {
            let details = #"{"Uic":5,"AssetType":"Stock","Symbol":"TSCO:xlon",\#(unit),\#(steps)}"#
            var found: Listing?
            try await withSaxo(["/ref/v1/instruments/details/5/Stock": details]) { saxo, _ in
                found = try await saxo.instrument(symbol("UIC=5:Stock"), in: .patient).listing
            }
            return found
        }
        let steps = try await listing(Unit.pence, scheme)?.priceIncrements
        #expect(steps?.otherwise?.description == "0.005")
        #expect(steps?.ranges.map(\.upTo.description) == ["1.00"])
        #expect(steps?.ranges.map(\.increment.description) == ["0.0002"])
        let tick = try await listing(Unit.pence, #""TickSize":0.5"#)?.tickSize
        #expect(tick?.description == "0.005")
        let unknown = try await listing(Unit.unstated, scheme)?.priceIncrements
        #expect(unknown == nil)
        let unknownTick = try await listing(Unit.unstated, #""TickSize":0.5"#)?.tickSize
        #expect(unknownTick == nil)
    }

    // MARK: Reads

    private static let shares = ["TSCO": 5, "VMID": 6, "HSBA": 7]

    /// A server with three shares: in pence, in pounds, and without a unit.
    ///
    /// `details` are the members of the first; for nil the details have status 503.
    private func withShares(
        details: String? = Unit.pence, _ body: (SaxoClient, CannedServer) async throws -> Void
    ) async throws {
        let rows = [5: details ?? "", 6: Unit.pounds, 7: Unit.unstated].mapValues { unit in
            #""AssetType":"Stock","IsTradable":true,\#(unit)"#
        }
        let format = #""DisplayAndFormat":{"Currency":"GBP","Decimals":2}"#
        try await withSaxo(
            answering: { request, _ in
                let uics = (request.query["Uics"] ?? "").split(separator: ",").compactMap { Int($0) }
                switch request.path {
                case "/ref/v1/instruments":
                    let name = request.query["Keywords"] ?? ""
                    return .text(
                        #"{"Data":[{"Identifier":\#(Self.shares[name] ?? 0),"AssetType":"Stock","CurrencyCode":"GBP","#
                            + #""SummaryType":"Instrument","Symbol":"\#(name):xlon"}]}"#)
                case "/trade/v1/infoprices/list":
                    let items = uics.map {
                        #"{"Uic":\#($0),"AssetType":"Stock","PriceInfoDetails":{"LastTraded":442.6,"Open":440},\#(format)}"#
                    }
                    return .text(#"{"Data":[\#(items.joined(separator: ","))]}"#)
                case "/trade/v1/infoprices":
                    return .text(
                        #"{"Uic":5,"AssetType":"Stock","MarketDepth":{"Bid":[442.5],"BidSize":[10],"Ask":[442.7],"AskSize":[5]}}"#
                    )
                case "/chart/v3/charts":
                    return .text(
                        #"{"Data":[{"Time":"2026-11-19T08:00:00Z","Open":440,"High":445,"Low":439,"Close":442.6}],\#(format)}"#
                    )
                case "/trade/v2/orders": return .text(#"{"OrderId":"11"}"#)
                case let path where path.hasPrefix("/ref/v1/instruments/details"):
                    guard details != nil else { return .text("", status: 503) }
                    let wanted = uics.isEmpty ? [5] : uics
                    let items = wanted.map { #"{"Uic":\#($0),\#(rows[$0] ?? "")}"# }
                    return .text(uics.isEmpty ? items[0] : #"{"Data":[\#(items.joined(separator: ","))]}"#)
                default: return .text("", status: 404)
                }
            }, body)
    }

    private static func details(_ server: CannedServer) -> [String?] {
        server.requests.filter { $0.path.hasPrefix("/ref/v1/instruments/details") }.map { $0.query["Uics"] }
    }

    private static let window = ChartWindow(interval: .oneDay, last: 1)

    @Test(
        "are quoted in pounds, by one call for the details of all shares, once; a price without a unit is null"
    )
    func quotes() async throws {
        try await withShares { saxo, server in
            let (pence, pounds, unknown) = try (
                symbol("TSCO:XLON"), symbol("VMID:XLON"), symbol("HSBA:XLON")
            )
            for _ in 0..<2 {
                let quotes = try await saxo.quotes(for: [pence, pounds, unknown], in: .patient)
                #expect(quotes.failures.isEmpty)
                #expect(quotes[pence]?.price?.description == "4.426")
                #expect(try quotes[pence]?.open == decimal("4.4"))
                #expect(quotes[pounds]?.price?.description == "442.6")
                #expect(
                    quotes[unknown] != nil && quotes[unknown]?.price == nil && quotes[unknown]?.open == nil)
                #expect([pence, pounds, unknown].allSatisfy { quotes[$0]?.currency == "GBP" })
            }
            #expect(Self.details(server) == ["5,6,7"])
        }
    }

    @Test("are in pounds in charts and in the order book")
    func chartAndDepth() async throws {
        try await withShares { saxo, server in
            let tesco = try symbol("TSCO:XLON")
            let charts = try await saxo.charts(of: [tesco], Self.window, in: .patient)
            let chart = try #require(charts[tesco])
            #expect(chart.currency == "GBP" && chart[0].prices.close.description == "4.426")
            let depth = try await saxo.marketDepth(of: tesco, in: .patient)
            #expect(depth.bids.map(\.price.description) == ["4.425"])
            #expect(depth.asks.map(\.price.description) == ["4.427"])
            #expect(Self.details(server).count == 1)
        }
    }

    @Test("fail if the details are not available for now, and no order with a price is sent")
    func unavailable() async throws {
        try await withShares(details: nil) { saxo, server in
            let tesco = try symbol("TSCO:XLON")
            let failure = ProviderFailure(.saxo, .unavailable)
            #expect(try await saxo.quotes(for: [tesco], in: .patient).failures == [tesco: failure])
            #expect(
                try await saxo.charts(of: [tesco], Self.window, in: .patient).failures == [tesco: failure])
            await #expect(throws: failure) { try await saxo.marketDepth(of: tesco, in: .patient) }
            await #expect(throws: failure) { try await saxo.place(Self.ticket(), in: .patient) }
            #expect(!server.requests.contains { $0.path == "/trade/v2/orders" })
        }
    }

    @Test(
        "are null, and no chart, if the details do not state the unit or cannot be read; an order with a price is refused",
        arguments: [Unit.unstated, Unit.unreadable])
    func unknown(details: String) async throws {
        try await withShares(details: details) { saxo, server in
            let tesco = try symbol("TSCO:XLON")
            let quotes = try await saxo.quotes(for: [tesco], in: .patient)
            #expect(quotes[tesco]?.currency == "GBP" && quotes[tesco]?.price == nil)
            let failure = ProviderFailure(.saxo, .invalidResponse(nil))
            #expect(
                try await saxo.charts(of: [tesco], Self.window, in: .patient).failures == [tesco: failure])
            await #expect(throws: failure) { try await saxo.marketDepth(of: tesco, in: .patient) }
            let refused = try await saxo.place(Self.ticket(), in: .patient)
            let message =
                "Saxo does not report whether the instrument's prices are in hundredths of its currency."
            #expect(refused == .rejected(OrderRejection(.other, message: message)))
            #expect(!server.requests.contains { $0.path == "/trade/v2/orders" })
            // A market order has no price.
            guard case .accepted = try await saxo.place(Self.ticket(.market), in: .patient) else {
                Issue.record("a market order was not sent")
                return
            }
        }
    }

    // MARK: Orders

    private static func ticket(_ price: OrderPricing? = nil) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: "portico-1", accountID: account, symbol: try symbol("TSCO:XLON"), side: .sell,
            size: .quantity(100), price: try price ?? .limit(decimal("2.8735")))
    }

    @Test("are sent in pence with an order, and come back in pounds")
    func order() async throws {
        try await withShares { saxo, server in
            guard case .accepted(let order) = try await saxo.place(Self.ticket(), in: .patient) else {
                Issue.record("not accepted")
                return
            }
            #expect(order.limitPrice?.description == "2.8735")
            let sent = try #require(server.requests.last { $0.path == "/trade/v2/orders" })
            let body = try JSONValue(parsing: String(decoding: sent.body, as: UTF8.self))
            #expect(body["OrderPrice"]?.digits == "287.35")
            let listing = try #require(try await saxo.listing(for: symbol("TSCO:XLON"), in: .patient))
            let pricing = OrderPricing.stopLimit(stop: try decimal("2.9"), limit: try decimal("2.8"))
            let terms = try await saxo.terms(pricing, .sell, of: listing, in: .patient).get()
            #expect(try terms.price == decimal("290"))
        }
    }

    private static let format =
        #""DisplayAndFormat":{"Symbol":"TSCO:xlon","Currency":"GBP","Decimals":2,"Format":"Normal"}"#

    @Test("of open orders are in pounds")
    func openOrder() async throws {
        let item =
            #"{"OrderId":"1","Uic":5,"AssetType":"Stock","BuySell":"Sell","Amount":100,"OpenOrderType":"StopLimit","#
            + #""Status":"Working","Price":290,"StopLimitPrice":287.35,\#(Self.format)}"#
        let bodies = [
            "/port/v1/orders/me": #"{"Data":[\#(item)]}"#,
            "/ref/v1/instruments/details/5/Stock": #"{"Uic":5,"AssetType":"Stock",\#(Unit.pence)}"#,
        ]
        try await withSaxo(bodies) { saxo, _ in
            let order = try #require(
                try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders.first)
            #expect(order.symbol.text == "TSCO:XLON")
            #expect(try order.stopPrice == decimal("2.9") && order.limitPrice == decimal("2.8735"))
        }
    }

    @Test(
        "of open orders are null if the details are not available for now, and other orders are not concerned"
    )
    func unavailableDetails() async throws {
        func item(_ id: Int, _ format: String) -> String {
            #"{"OrderId":"\#(id)","Uic":\#(id),"AssetType":"Stock","BuySell":"Sell","Amount":100,"OpenOrderType":"Limit","#
                + #""Status":"Working","Price":290,\#(format)}"#
        }
        let dollars = Self.format.replacing("TSCO:xlon", with: "AAPL:xnas").replacing("GBP", with: "USD")
        let list = #"{"Data":[\#(item(5, Self.format)),\#(item(6, dollars))]}"#
        try await withSaxo(
            answering: { request, _ in
                request.path == "/port/v1/orders/me" ? .text(list) : .text("", status: 503)
            }
        ) { saxo, _ in
            let page = try await saxo.orders(OrderQuery(isOpen: true), in: .patient)
            #expect(page.unreadable.isEmpty)
            #expect(page.orders.map(\.symbol.text) == ["AAPL", "TSCO:XLON"])
            #expect(page.orders.map(\.limitPrice) == [290, nil])
        }
    }

    @Test("of an order by money are not sent for an exchange-traded fund: only for a mutual fund")
    func money() async throws {
        for (assetType, isSent) in [("Fund", false), ("MutualFund", true)] {
            let bodies = [
                "/ref/v1/instruments/details/5/\(assetType)":
                    #"{"Uic":5,"AssetType":"\#(assetType)","Symbol":"APAX:xlon","CurrencyCode":"USD"}"#,
                "/trade/v2/orders": #"{"OrderId":"11"}"#,
            ]
            try await withSaxo(bodies) { saxo, server in
                var ticket = try Self.ticket(.market)
                (ticket.side, ticket.size) = (.buy, .notional(500))
                ticket.symbol = try symbol("UIC=5:\(assetType)")
                let result = try await saxo.place(ticket, in: .patient)
                #expect(server.requests.contains { $0.path == "/trade/v2/orders" } == isSent)
                if case .rejected(let rejection) = result {
                    #expect(rejection.reason == .quantity && !isSent)
                }
            }
        }
    }

    // MARK: The account

    /// Responses about the account, with the details of the share.
    private static func bodies(_ path: String, _ item: String, details: String?) throws -> [String: String] {
        var bodies = try AccountTests.bodies([:])
        bodies[path] = #"{"Data":[\#(item)]}"#
        bodies["/ref/v1/instruments/details/5/Stock"] = details.map {
            #"{"Uic":5,"AssetType":"Stock",\#($0)}"#
        }
        return bodies
    }

    @Test(
        "of positions are in pounds, as their values are, and null without a unit",
        arguments: [Unit.pence, nil])
    func position(details: String?) async throws {
        let item =
            #"{"NetPositionBase":{"Uic":5,"AssetType":"Stock","Amount":100},"NetPositionView":{"AverageOpenPrice":400,"#
            + #""CurrentPrice":442.6,"MarketValue":442.6,"ProfitLossOnTrade":42.6,"ConversionRateCurrent":1.15},\#(Self.format)}"#
        try await withSaxo(Self.bodies("/port/v1/netpositions", item, details: details)) { saxo, _ in
            let position = try #require(try await saxo.positions(in: .patient).positions.first)
            #expect(position.symbol.text == "TSCO:XLON" && position.currency == "GBP")
            #expect(try position.marketValue == decimal("442.6"))
            #expect(try position.unrealizedProfitLoss == decimal("42.6"))
            #expect(try position.conversionRate == decimal("1.15"))
            #expect(position.averageEntryPrice == (details == nil ? nil : 4))
            #expect(try position.currentPrice == (details == nil ? nil : decimal("4.426")))
            #expect(position.priceFormat?.decimals == (details == nil ? nil : 4))
            #expect(position.costBasis == (details == nil ? nil : 400))
            #expect(try position.unrealizedProfitLossPercent == (details == nil ? nil : decimal("10.65")))
        }
    }

    @Test("of positions that were closed are in pounds")
    func closedPosition() async throws {
        let item =
            #"{"ClosedPositionUniqueId":"1-2","ClosedPosition":{"Uic":5,"AssetType":"Stock","Amount":100,"OpenPrice":400,"#
            + #""ClosingPrice":442.6,"ClosedProfitLoss":42.6},\#(Self.format)}"#
        try await withSaxo(Self.bodies("/port/v1/closedpositions", item, details: Unit.pence)) { saxo, _ in
            let positions = try await saxo.closedPositions(of: Self.account, in: .patient)
            let position = try #require(positions.elements.first)
            #expect(try position.openPrice == 4 && position.closePrice == decimal("4.426"))
            #expect(try position.profitLoss?.amount == decimal("42.6"))
        }
    }

    // MARK: The sandbox

    @Test(
        "of a share in the sandbox are in pounds, and fit the value of the position and the cash that it cost"
    )
    func sandbox() async throws {
        // A Friday, 15:00 in London.
        try await RunningSandbox.run(at: "2026-11-20T15:00:00Z") { fixture in
            let saxo = try fixture.client()
            let tesco = try symbol("TSCO:XLON")
            let hits = try await saxo.search("tesco", limit: 10, in: .patient)
            #expect(hits.map(\.instrument.symbol.text) == ["TSCO:XLON", "TSCO:XLON:CfdOnStock"])
            #expect(hits.map(\.instrument.currency) == ["GBP", "GBP"])
            let quote = try #require(try await saxo.quotes(for: [tesco], in: .patient)[tesco])
            let price = try #require(quote.price)
            #expect(quote.currency == "GBP" && price > 2 && price < 8)
            let tick = try await saxo.instrument(tesco, in: .patient).listing?.tickSize
            #expect(tick?.description == "0.0001")
            let before = try #require(try await saxo.account(Self.account, in: .patient).cash)

            var ticket = try Self.ticket(.market)
            ticket.side = .buy
            _ = try await saxo.place(ticket, in: .patient)
            ticket.clientOrderID = "portico-2"
            let limit = try price - decimal("0.5")
            ticket.price = .limit(limit)
            guard case .accepted(let placed) = try await saxo.place(ticket, in: .patient) else {
                Issue.record("the limit was refused")
                return
            }
            fixture.time.wall.advance(by: .seconds(5))
            let open = try await saxo.order(placed.id, of: Self.account, in: .distant)
            #expect(open.state == .open && open.limitPrice == limit)

            let positions = try await saxo.positions(in: .distant).positions
            let position = try #require(positions.first { $0.symbol == tesco })
            #expect(position.currency == "GBP" && position.quantity == 100)
            let current = try #require(position.currentPrice)
            #expect(try position.marketValue == current * 100)
            let cost = try #require(position.costBasis)
            let after = try #require(try await saxo.account(Self.account, in: .distant).cash)
            // In euros, of which a pound is more than one.
            #expect(try before - after > cost && before - after < cost * 2)
            #expect(fixture.calls("GET /ref/v1/instruments/details/{uic}/{asset_type}") == 1)
        }
    }
}
