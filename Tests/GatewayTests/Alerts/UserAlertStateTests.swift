import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

import class Sandbox.ManualClock

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
        alerts.didFire(outcome.met)
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
                alerts.didFire(outcome.met)
            }
        }
    }

    @Test("keeps a met alert until its firing is stored, unless its condition has changed")
    func unstored() {
        var alerts = UserAlertState()
        let alert = Self.alert(.priceAbove(Self.aapl, 10), id: "a")
        alerts.replace(with: [alert, Self.alert(.priceAbove(Self.aapl, 11), id: "b")])
        alerts.observe(Self.price(12), of: Self.aapl)
        let met = alerts.evaluate(at: Self.now).met
        #expect(met.map(\.alert) == ["a", "b"])
        // The firing of the first one is stored, and the price moves back.
        alerts.didFire(Array(met.prefix(1)))
        alerts.observe(Self.price(9), of: Self.aapl)
        #expect(alerts.evaluate(at: Self.now).met == Array(met.suffix(1)))
        alerts.observe(ObservedPrice.unknown, of: Self.aapl)
        #expect(alerts.evaluate(at: Self.now).met == Array(met.suffix(1)))
        alerts.replace(with: [alert, Self.alert(.priceAbove(Self.aapl, 20), id: "b")])
        #expect(alerts.evaluate(at: Self.now).met.isEmpty)
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

@Suite("The evaluation of a user's alerts while the database fails", .timeLimit(.minutes(10)))
struct UserAlertEvaluationTests {
    /// Alerts of Alice that are met, and a trigger that refuses firings.
    private func withEvaluation(
        alerts count: Int, refusing condition: String,
        _ test: (
            _ evaluation: UserAlertEvaluation, _ leaps: ManualClock, _ failures: () -> Int,
            _ store: AlertStore
        ) async throws -> Void
    ) async throws {
        let file = try UserDatabase.temporary()
        try await withGateway(in: file) { gateway in
            let store = gateway.userData.alerts
            for _ in 0..<count {
                _ = try await store.create(
                    .priceAbove(.example, 1), label: nil, rearmAfter: nil, for: alice)
            }
            try file.database.writeNow { db in
                try db.executeScript(
                    """
                    CREATE TRIGGER slow_database BEFORE INSERT ON alert_firing WHEN \(condition)
                    BEGIN SELECT RAISE(ABORT, 'the time is over'); END
                    """)
            }
            let (start, leaps) = (ContinuousClock.now, ManualClock(.now))
            let begin = leaps.now
            let clock = TimeSource(
                now: { start + leaps.now.duration(since: begin) }, wallTime: { leaps.now },
                sleep: { end in
                    await leaps.clock.wait(until: begin + start.duration(to: end))
                    try Task.checkCancellation()
                })
            var settings = AlertEvaluation.Settings()
            // Time stands still: a read has the time of a slow machine.
            settings.timeout = .seconds(3_600)
            let failures = Mutex(0)
            let evaluation = UserAlertEvaluation(
                of: alice, try gateway.backends([]), clock: clock, settings: settings
            ) { _ in failures.withLock { $0 += 1 } }
            let task = Task { await evaluation.run { true } }
            let result = await Result.of {
                try await test(evaluation, leaps, { failures.withLock(\.self) }, store)
            }
            task.cancel()
            await task.value
            try result.get()
        }
    }

    @Test("stores firings in smaller transactions after failures, until all are stored")
    func smallerTransactions() async throws {
        // 100 and 50 firings have no time.
        let condition = "(SELECT count(*) FROM alert_firing WHERE fired_at = NEW.fired_at) >= 30"
        try await withEvaluation(alerts: 150, refusing: condition) { _, leaps, failures, store in
            try await waitUntil {
                if leaps.waiterCount > 0 { leaps.advance(by: .seconds(30)) }
                return try await store.active(of: alice).isEmpty
            }
            #expect(failures() >= 2)
            let firings = try await store.firings(of: alice, alert: nil, before: nil, limit: 200)
            #expect(firings.count == 150 && Set(firings.map(\.alert)).count == 150)
        }
    }

    @Test("waits for the pause after a failure, although changes wake it")
    func pause() async throws {
        try await withEvaluation(alerts: 1, refusing: "1") { evaluation, leaps, failures, store in
            for count in 1...3 {
                try await waitUntil { failures() >= count }
                for _ in 0..<10 {
                    evaluation.reload()
                    evaluation.refresh()
                    try await waitUntil { leaps.waiterCount > 0 }
                }
                #expect(failures() == count)
                leaps.advance(by: .seconds(30))
            }
            #expect(try await store.active(of: alice).count == 1)
        }
    }
}

@Suite("Subscribers of alerts")
struct AlertEventsTests {
    private static let now = Instant("2026-11-20T16:00:00Z") ?? .earliest

    private static func alert(_ id: String, _ state: StoredAlert.State) -> StoredAlert {
        StoredAlert(
            id: id, number: 1, condition: .priceAbove(.example, 200), label: nil, state: state,
            rearmAfter: nil,
            firedCount: 0, lastFiredAt: nil, lastFiring: nil, armedAt: nil, createdAt: now, updatedAt: now)
    }

    /// The alerts that fire between the read of all alerts and the sending of what was read, and the last states of the alerts.
    struct Case: CustomTestStringConvertible, Sendable {
        let fired: [String]
        let last: [String: StoredAlert.State]
        var testDescription: String { "fired: \(fired)" }

        static let all = [
            Case(fired: [], last: ["1": .active, "2": .active]),
            Case(fired: ["1"], last: ["1": .fired, "2": .active]),
            Case(fired: ["1", "2"], last: ["1": .fired, "2": .fired]),
            // It was created after the read.
            Case(fired: ["3"], last: ["1": .active, "2": .active, "3": .fired]),
        ]
    }

    @Test("do not get an older state of an alert that fires while the alerts are read", arguments: Case.all)
    func firedDuringRead(_ example: Case) async throws {
        let events = AlertEvents()
        let stream = ConflatingStream<String, LiveValue<AlertObject>> { subscriber in
            await events.publish(of: alice, to: subscriber) { send in
                events.publish(example.fired.map { Self.alert($0, .fired) }, of: alice)
                for id in ["1", "2"] { send(Self.alert(id, .active)) }
                events.publish([Self.alert("end", .paused)], of: alice)
            }
        }
        var last: [String: StoredAlert.State] = [:]
        for await value in stream {
            let object = try value.get()
            let alert = try #require(object).alert
            if alert.id == "end" { break }
            last[alert.id] = alert.state
        }
        #expect(last == example.last)
    }
}

@Suite("The price of an alert", .timeLimit(.minutes(5)))
struct AlertSourceTests {
    @Test("comes from a connection that its user makes later, and from the server's source after its removal")
    func connected() async throws {
        try await withGateway { gateway in
            let (server, own) = (FixedQuotes(.yahoo, price: 100), FixedQuotes(.alpaca, price: 300))
            let services = GatewayServices(
                connections: [],
                connectors: [DataConnector(environment: .sandbox, market: own, mapping: SameSymbols())],
                market: [server.source], reads: ReadCaches(), userData: gateway.userData,
                condition: { provider in
                    ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
                })
            let (store, connections) = (gateway.userData.alerts, services.connectionService)
            let symbol = try #require(Symbol("AAPL"))
            func firedValues() async throws -> [Decimal?] {
                try await store.firings(of: alice, alert: nil, before: nil, limit: 10).map(\.value)
            }
            func create(_ condition: AlertCondition) async throws {
                _ = try #require(
                    try await store.create(condition, label: nil, rearmAfter: nil, for: alice))
            }
            // The second one is not met, so that the symbol is followed until the end.
            try await create(.priceAbove(symbol, 200))
            try await create(.priceAbove(symbol, 1_000))
            let evaluation = AlertEvaluation(services)
            let task = Task { await evaluation.run { Issue.record($0) } }
            try await waitUntil { server.callCount > 0 }
            #expect(try await firedValues().isEmpty && own.callCount == 0)

            let stored = StoredConnection(
                id: "c", owner: alice, provider: .alpaca, environment: .sandbox, connectedAt: .now)
            let connection = connections.open(
                stored, Secret("key"),
                DataConnector(environment: .sandbox, market: own, mapping: SameSymbols()), version: 1)
            #expect(connections.registry.add(connection) == nil)
            connections.didChange(connection)
            try await waitUntil { try await firedValues() == [300] }
            #expect(own.callCount > 0)

            try await create(.priceBelow(symbol, 150))
            services.subscriptions.alerts.alertsChanged(of: alice)
            connections.end(try #require(connections.registry.remove("c", of: alice)))
            try await waitUntil { try await firedValues() == [100, 300] }
            task.cancel()
            await task.value
            #expect(try await firedValues() == [100, 300])
        }
    }
}

/// A source of one price, which counts its calls.
private final class FixedQuotes: QuoteSource {
    let symbolsPerCall = 200
    private let provider: ProviderID
    private let price: Decimal
    private let calls = Mutex(0)

    init(_ provider: ProviderID, price: Decimal) {
        (self.provider, self.price) = (provider, price)
    }

    var callCount: Int { calls.withLock(\.self) }

    var source: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: SameSymbols(), provider: provider, environment: .sandbox, for: .everybody)
    }

    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        calls.withLock { $0 += 1 }
        var batch = KeyedResults<Symbol, Quote>()
        for symbol in symbols {
            var quote = Quote(symbol: symbol, provenance: Provenance(source: provider, fetchedAt: .now))
            quote.price = price
            batch[symbol] = quote
        }
        return batch
    }
}
