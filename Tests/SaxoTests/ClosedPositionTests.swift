import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

import struct Sandbox.FakeSaxoSettings

@Suite("Saxo's closed positions")
struct ClosedPositionTests {
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="

    private func positions(
        _ reply: CannedServer.Reply, _ check: (ReadableList<ClosedPosition>, CannedServer) throws -> Void
    ) async throws {
        let bodies = try AccountTests.bodies([:])
        try await withSaxo(answering: { request, _ in
            if request.path == "/port/v1/closedpositions" { return reply }
            return bodies[request.path].map { .text($0) } ?? .text("", status: 404)
        }) { saxo, server in
            try check(try await saxo.closedPositions(of: Self.account, in: .patient), server)
        }
    }

    private static func item(_ id: String, _ amount: String, _ close: String) -> String {
        #"{"ClosedPositionUniqueId":"\#(id)","NetPositionId":"EURDKK__FxSpot","ClosedPosition":{"Uic":16,"#
            + #""AssetType":"FxSpot","Amount":\#(amount),"BuyOrSell":"Buy","OpenPrice":7.46114,"ClosingPrice":7.46205,"#
            + #""ExecutionTimeOpen":"2026-11-20T09:39:43.738721Z","ExecutionTimeClose":"\#(close)","ClosedProfitLoss":72.8,"#
            + #""ClosedProfitLossInBaseCurrency":9.76,"CostOpening":-29.84,"CostOpeningInBaseCurrency":-4,"#
            + #""CostClosing":-29.85,"CostClosingInBaseCurrency":-4,"ConversionRateInstrumentToBaseSettledOpening":true,"#
            + #""ConversionRateInstrumentToBaseSettledClosing":false},"DisplayAndFormat":{"Currency":"DKK","Decimals":4,"#
            + #""Format":"AllowDecimalPips","Symbol":"EURDKK"}}"#
    }

    @Test(
        "have the profit without the costs, and the costs above zero, in both currencies; the newest is first"
    )
    func whole() async throws {
        let items = [
            Self.item("212702698-212702774", "80000", "2026-11-20T14:57:51.935866Z"),
            Self.item("212702698-212702775", "-1", "2026-11-20T14:58:00Z"),
        ]
        let costs = ConvertedAmount(
            amount: try decimal("59.69"), currency: "DKK", accountAmount: 8, accountCurrency: "EUR")
        let profit = ConvertedAmount(
            amount: try decimal("72.8"), currency: "DKK", accountAmount: try decimal("9.76"),
            accountCurrency: "EUR")
        try await positions(.text(#"{"Data":[\#(items.joined(separator: ","))]}"#)) { positions, server in
            #expect(positions.map(\.id) == ["212702698-212702775", "212702698-212702774"])
            #expect(positions.map(\.side) == [.short, .long] && positions.map(\.quantity) == [1, 80_000])
            let position = positions[1]
            #expect(position.accountID == Self.account && position.symbol.text == "EUR/DKK")
            #expect(position.currency == "DKK" && position.isConversionFinal == false)
            #expect(position.openPrice?.description == "7.46114")
            #expect(position.closePrice?.description == "7.46205")
            #expect(position.closedAt == Instant("2026-11-20T14:57:51.935866Z"))
            #expect(position.profitLoss == profit && position.costs == costs)
            let query = server.requests.last?.query
            #expect(query?["FieldGroups"] == "ClosedPosition,DisplayAndFormat")
            #expect(query?["AccountKey"] == Self.account)
        }
    }

    @Test("without an id or an amount that can be read are errors that name the member, behind the others")
    func unreadable() async throws {
        let time = "2026-11-20T14:57:51.935866Z"
        let items = [
            Self.item("1", "80000", time).replacing("ClosedPositionUniqueId", with: "Other"),
            Self.item("2", "80000", time), Self.item("3", "\"private value\"", time),
        ]
        try await positions(.text(#"{"Data":[\#(items.joined(separator: ","))]}"#)) { positions, _ in
            #expect(positions.map(\.id) == ["2"])
            let errors = zip(
                positions.unreadable, [("Data[0]", "ClosedPositionUniqueId"), ("Data[2]", "Amount")])
            #expect(positions.unreadable.count == 2)
            for (error, (place, member)) in errors {
                #expect(error.hasPrefix(place) && error.contains(member), "\(error)")
            }
            #expect(!positions.unreadable.joined().contains("private"))
        }
    }

    @Test("are none for an empty response")
    func empty() async throws {
        try await positions(.text("", status: 204)) { positions, _ in #expect(positions.isEmpty) }
        try await positions(.text(#"{"Data":[]}"#)) { positions, _ in #expect(positions.isEmpty) }
    }

    @Test("of the sandbox are those of today, and have the commissions")
    func sandbox() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            #expect(try await saxo.closedPositions(of: Self.account, in: .patient) == [])
            for (number, side) in [OrderSide.buy, .sell].enumerated() {
                let ticket = OrderTicket(
                    clientOrderID: "portico-\(number)", accountID: Self.account, symbol: try symbol("MSFT"),
                    side: side, size: .quantity(1), price: .market)
                let result = try await saxo.place(ticket, in: CallContext(deadline: .distant))
                guard case .accepted = result else {
                    Issue.record("not accepted: \(result)")
                    return
                }
            }
            let positions = try await saxo.closedPositions(
                of: Self.account, in: CallContext(deadline: .distant))
            let position = try #require(positions.first)
            #expect(position.symbol.text == "MSFT" && position.side == .long && position.quantity == 1)
            #expect(position.costs.map { !$0.amount.isNegative } == true)
            #expect(position.closedAt != nil && position.currency == "USD")
        }
    }
}

@Suite("Saxo's market depth")
struct MarketDepthTests {
    private static let instruments =
        #"{"Data":[{"Identifier":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD"}]}"#

    private func depth(
        _ body: String, _ check: (MarketDepth, CannedServer) throws -> Void
    ) async throws {
        let bodies = ["/ref/v1/instruments": Self.instruments, "/trade/v1/infoprices": body]
        try await withSaxo(bodies) { saxo, server in
            try check(try await saxo.marketDepth(of: try symbol("AAPL"), in: .patient), server)
        }
    }

    private static let quote = #""Quote":{"PriceTypeAsk":"Tradable","PriceTypeBid":"Tradable"}"#

    @Test("has both sides, the best price first, with sizes and numbers of orders")
    func levels() async throws {
        let book =
            #"{\#(Self.quote),"LastUpdated":"2026-11-20T15:14:00.578000Z","MarketDepth":{"Ask":[227.5,227.51,227.53],"#
            + #""AskSize":[200,400,100],"AskOrders":[2,3,1],"Bid":[227.41,227.4],"BidSize":[100],"BidOrders":[1,4],"#
            + #""NoOfBids":2,"NoOfOffers":3,"UsingOrders":true}}"#
        try await depth(book) { depth, server in
            #expect(depth.unavailability == nil && depth.currency == "USD")
            #expect(depth.asks.map(\.price.description) == ["227.5", "227.51", "227.53"])
            #expect(depth.asks.map(\.quantity) == [200, 400, 100])
            #expect(depth.asks.map(\.orderCount) == [2, 3, 1])
            // A size that is missing is unknown.
            #expect(depth.bids.map(\.quantity) == [100, nil] && depth.bids.map(\.orderCount) == [1, 4])
            #expect(depth.provenance.asOf == Instant("2026-11-20T15:14:00.578Z"))
            #expect(server.requests.last?.query["FieldGroups"] == "Quote,MarketDepth")
        }
        let uncounted = book.replacing(#""UsingOrders":true"#, with: #""UsingOrders":false"#)
        try await depth(uncounted) { depth, _ in
            #expect(depth.asks.map(\.orderCount) == [nil, nil, nil])
        }
    }

    @Test(
        "has a reason if there are no prices",
        arguments: [
            ("{\(quote)}", MarketDepth.Unavailability.notSubscribed),
            (#"{"Quote":{"PriceTypeAsk":"NoAccess","PriceTypeBid":"NoAccess"}}"#, .noMarketAccess),
        ])
    func unavailable(body: String, reason: MarketDepth.Unavailability) async throws {
        try await depth(body) { depth, _ in
            #expect(depth.unavailability == reason && depth.bids.isEmpty && depth.asks.isEmpty)
        }
    }

    @Test(
        "of the sandbox is that of an exchange; currencies have none, and neither has an account without level 2"
    )
    func sandbox() async throws {
        for isSubscribed in [true, false] {
            try await RunningSandbox.run({ $0.includesMarketDepth = isSubscribed }) { fixture in
                let saxo = try fixture.client()
                let share = try await saxo.marketDepth(of: try symbol("AAPL"), in: .patient)
                #expect(share.unavailability == (isSubscribed ? nil : .notSubscribed))
                #expect(share.bids.count == (isSubscribed ? 5 : 0))
                let pair = try await saxo.marketDepth(of: try symbol("EUR/USD"), in: .patient)
                #expect(pair.unavailability == .noOrderBook)
            }
        }
    }
}
