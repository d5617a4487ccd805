import Alpaca
import Brokerage
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
}
