import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("The estimate of an order")
struct OrderRulesTests {
    /// An order with the asset class of its instrument, and the arguments that Alpaca would refuse.
    struct Case: CustomTestStringConvertible {
        var symbol = "BTC/USD"
        var assetClass: AssetClass? = .crypto
        var size = OrderSize.notional(20)
        var timeInForce = TimeInForce.goodTillCanceled
        let rejections: [String]

        var testDescription: String { "\(symbol) \(size) \(timeInForce)" }
    }

    @Test(
        "has the rules of the instrument's class",
        arguments: [
            Case(rejections: []), Case(timeInForce: .immediateOrCancel, rejections: []),
            Case(
                timeInForce: .day,
                rejections: [
                    "timeInForce OTHER Alpaca takes an order for a cryptocurrency only if it is GTC or IOC."
                ]),
            Case(
                assetClass: nil, timeInForce: .fillOrKill,
                rejections: [
                    "timeInForce OTHER Alpaca takes an order for a cryptocurrency only if it is GTC or IOC."
                ]),
            Case(
                size: .notional(9),
                rejections: [
                    "size QUANTITY The order is worth 9 USD: Alpaca takes orders for cryptocurrencies from 10 USD."
                ]
            ),
            // 0.0001 at 95,000.
            Case(
                size: .quantity(Decimal("0.0001") ?? 0),
                rejections: [
                    "size QUANTITY The order is worth 9.5000 USD: Alpaca takes orders for cryptocurrencies from 10 USD."
                ]),
            Case(size: .quantity(Decimal("0.0002") ?? 0), rejections: []),
            Case(
                symbol: "AAPL261218C00230000", assetClass: nil, size: .quantity(1),
                rejections: ["timeInForce OTHER Alpaca takes an order for an option only if it is DAY."]),
            Case(
                symbol: "AAPL261218C00230000", assetClass: .option, size: .quantity(1), timeInForce: .day,
                rejections: []),
            Case(
                symbol: "AAPL", assetClass: .equity, size: .quantity(Decimal("1.5") ?? 0),
                rejections: ["size QUANTITY Alpaca takes fractions of a share only in an order that is DAY."]),
            Case(symbol: "AAPL", assetClass: .equity, size: .quantity(2), rejections: []),
        ])
    func rules(_ example: Case) async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, _ in
            guard case .estimate(let estimate) = alpaca.previewMethod else {
                Issue.record("Alpaca has no estimate")
                return
            }
            let symbol = try symbol(example.symbol)
            var facts = OrderPreviewFacts(readAt: wallTime)
            facts.instrument = example.assetClass.map {
                Instrument(
                    symbol: symbol, assetClass: $0,
                    provenance: Provenance(source: .alpaca, fetchedAt: wallTime))
            }
            let ticket = OrderTicket(
                clientOrderID: "one", accountID: "any", symbol: symbol, side: .buy, size: example.size,
                price: .limit(95_000), timeInForce: example.timeInForce)
            let rejections = estimate(ticket, facts).rejections.map { expected in
                "\(expected.part.map { "\($0)" } ?? "-") \(expected.rejection.reason.rawValue) \(expected.rejection.message ?? "")"
            }
            #expect(rejections == example.rejections)
        }
    }

    struct Funds: Sendable {
        var symbol = "TSLA"
        var assetClass = AssetClass.equity
        let held: Decimal
        let quantity: Decimal
        let value: Decimal?
        let cash: Decimal?
        let after: Decimal?
        var rejections: [String] = []
    }

    @Test(
        "An estimate needs cash for what opens a position, and has no value of an instrument that is not priced by the unit",
        arguments: [
            Funds(held: 0, quantity: 4, value: 10, cash: 10, after: 90),
            Funds(
                held: 2, quantity: 100, value: 250, cash: 250, after: -150,
                rejections: ["The order needs 250.0, and the buying power is 100."]),
            Funds(held: -8, quantity: 8, value: 20, cash: 0, after: nil),
            Funds(held: -8, quantity: 10, value: 25, cash: 5, after: nil),
            Funds(
                held: -8, quantity: 100, value: 250, cash: 230, after: nil,
                rejections: ["The order needs 230.0, and the buying power is 100."]),
            // The value of a contract is its price times a number that is not part of the symbol.
            Funds(
                symbol: "AAPL261218C00230000", assetClass: .option, held: 0, quantity: 10, value: nil,
                cash: nil,
                after: nil),
            Funds(
                symbol: "AAPL261218C00230000", assetClass: .option, held: -10, quantity: 10, value: nil,
                cash: 0,
                after: nil),
        ])
    func funds(_ example: Funds) async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, _ in
            guard case .estimate(let estimate) = alpaca.previewMethod else {
                Issue.record("Alpaca has no estimate")
                return
            }
            let symbol = try symbol(example.symbol)
            let provenance = Provenance(source: .alpaca, fetchedAt: wallTime)
            var facts = OrderPreviewFacts(readAt: wallTime)
            var instrument = Instrument(
                symbol: symbol, assetClass: example.assetClass, provenance: provenance)
            instrument.currency = "USD"
            facts.instrument = instrument
            var account = Account(id: "any", number: "any", currency: "USD", provenance: provenance)
            account.buyingPower = 100
            facts.account = account
            facts.heldQuantity = example.held
            let ticket = OrderTicket(
                clientOrderID: "one", accountID: "any", symbol: symbol, side: .buy,
                size: .quantity(example.quantity), price: .limit(try #require(Decimal("2.5"))),
                timeInForce: .day)
            let preview = estimate(ticket, facts)
            #expect(preview.value == example.value)
            #expect(preview.cashRequired == example.cash)
            #expect(preview.margin?.availableAfter == example.after)
            #expect(preview.rejections.map(\.rejection.message) == example.rejections)
        }
    }
}
