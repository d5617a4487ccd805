import Brokerage
import Testing
import Upstream

@testable import Gateway
@testable import Storage

@Suite("The evaluation of alerts")
struct UserAlertStateTests {
    private static let now = Instant("2026-11-20T16:00:00Z") ?? .earliest
    private static let aapl = Symbol.example

    static func alert(
        _ condition: AlertCondition, id: String = "1", armedAt: Instant? = nil
    ) -> StoredAlert {
        StoredAlert(
            id: id, number: 1, condition: condition, label: nil, state: .active, rearmAfter: nil,
            firedCount: 0,
            lastFiredAt: nil, lastFiring: nil, armedAt: armedAt, createdAt: now, updatedAt: now)
    }

    private static func price(_ price: Decimal?, previousClose: Decimal? = nil) -> ObservedPrice {
        var quote = Quote(
            symbol: aapl, provenance: Provenance(source: .alpaca, fetchedAt: now, asOf: now))
        (quote.price, quote.previousClose) = (price, previousClose)
        return ObservedPrice(quote)
    }

    struct PriceCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let condition: AlertCondition
        var price: Decimal?
        var previousClose: Decimal?
        /// The value of the firing; nil if the alert does not fire.
        var value: Decimal?

        static let all = [
            PriceCase("above, at the price", .priceAbove(aapl, 200), "200.00", value: "200.00"),
            PriceCase("above, below the price", .priceAbove(aapl, 200), "199.99"),
            PriceCase("above, without a price", .priceAbove(aapl, 200), nil),
            PriceCase("below, at the price", .priceBelow(aapl, 200), "200", value: "200"),
            PriceCase("below, above the price", .priceBelow(aapl, 200), "200.01"),
            PriceCase("below, without a price", .priceBelow(aapl, 200), nil),
            PriceCase("rise of exactly 5 %", .dayRise(aapl, percent: 5), "105", "100", value: "5"),
            PriceCase("rise of less", .dayRise(aapl, percent: 5), "104.99", "100"),
            PriceCase("rise, and the price has fallen", .dayRise(aapl, percent: 5), "90", "100"),
            PriceCase("rise without a previous close", .dayRise(aapl, percent: 5), "105"),
            PriceCase("fall of exactly 5 %", .dayFall(aapl, percent: 5), "95", "100", value: "-5"),
            PriceCase("fall of less", .dayFall(aapl, percent: 5), "95.01", "100"),
            PriceCase("fall, and the price has risen", .dayFall(aapl, percent: 5), "110", "100"),
            PriceCase("fall from a previous close of zero", .dayFall(aapl, percent: 5), "1", "0"),
        ]

        init(
            _ description: String, _ condition: AlertCondition, _ price: String?, _ close: String? = nil,
            value: String? = nil
        ) {
            testDescription = description
            self.condition = condition
            self.price = price.flatMap { Decimal($0) }
            previousClose = close.flatMap { Decimal($0) }
            self.value = value.flatMap { Decimal($0) }
        }
    }

    @Test("of a price, and of the day's move, is exact", arguments: PriceCase.all)
    func prices(_ test: PriceCase) {
        var alerts = UserAlertState()
        alerts.replace(with: [Self.alert(test.condition)])
        #expect(alerts.evaluate(at: Self.now).met.isEmpty, "without an observation")
        alerts.observe(Self.price(test.price, previousClose: test.previousClose), of: Self.aapl)
        let outcome = alerts.evaluate(at: Self.now)
        #expect(outcome.met.map(\.value) == (test.value == nil ? [] : [test.value]))
        #expect(outcome.met.allSatisfy { $0.asOf == Self.now } && outcome.impossible.isEmpty)
        // What is no longer known is not an old price.
        alerts.observe(ObservedPrice.unknown, of: Self.aapl)
        #expect(alerts.evaluate(at: Self.now).met.isEmpty)
    }

    @Test("of an order fires in the named states, and ends the alert in any other final state")
    func orders() {
        for state in OrderState.allCases {
            var alerts = UserAlertState()
            alerts.replace(with: [Self.alert(.orderState(order: "o", [.filled, .partiallyFilled]))])
            var order = Order(
                id: "1", symbol: Self.aapl, side: .buy, state: state,
                provenance: Provenance(source: .alpaca, fetchedAt: Self.now))
            order.updatedAt = Self.now
            alerts.observe(.known(ObservedOrder(order)), of: "o")
            let outcome = alerts.evaluate(at: Self.now)
            let isMet = state == .filled || state == .partiallyFilled
            #expect(outcome.met.map(\.orderState) == (isMet ? [state] : []), "\(state)")
            #expect(outcome.impossible == (!isMet && state.isFinal ? ["1"] : []), "\(state)")
        }
        var alerts = UserAlertState()
        alerts.replace(with: [Self.alert(.orderState(order: "o", [.filled]))])
        alerts.observe(.missing, of: "o")
        #expect(alerts.evaluate(at: Self.now).impossible == ["1"])
    }

    @Test("of goals and connections fires when they are reached or need renewing, and ends without them")
    func flags() {
        let conditions: [AlertCondition] = [
            .goalReached(goal: "x"), .connectionNeedsRenewal(connection: "x"),
        ]
        for condition in conditions {
            var alerts = UserAlertState()
            alerts.replace(with: [Self.alert(condition)])
            let cases: [(AlertSubject.Observation<Bool>, isMet: Bool, isImpossible: Bool)] = [
                (.known(false), false, false), (.known(true), true, false), (.unknown, false, false),
                (.missing, false, true),
            ]
            for (observed, isMet, isImpossible) in cases {
                alerts.observe(goals: ["x": observed])
                alerts.observe(connections: ["x": observed])
                let outcome = alerts.evaluate(at: Self.now)
                #expect(outcome.met.isEmpty == !isMet && outcome.impossible.isEmpty == !isImpossible)
            }
        }
    }

    @Test("waits for the end of a pause, and forgets observations of other subjects")
    func pauses() {
        var alerts = UserAlertState()
        let end = Self.now + .seconds(60)
        let armed = Self.alert(.priceAbove(Self.aapl, 1), id: "a")
        let pausing = Self.alert(.priceAbove(Self.aapl, 1), id: "b", armedAt: end)
        alerts.replace(with: [armed, pausing])
        alerts.observe(Self.price(2), of: Self.aapl)
        #expect(alerts.evaluate(at: Self.now).met.map(\.alert) == ["a"])
        #expect(alerts.nextArming(after: Self.now) == end)
        #expect(alerts.evaluate(at: end).met.map(\.alert) == ["a", "b"])
        #expect(alerts.nextArming(after: end) == nil)
        alerts.replace(with: [])
        alerts.replace(with: [armed])
        #expect(alerts.evaluate(at: end).met.isEmpty)
    }
}
