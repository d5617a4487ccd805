import Brokerage
import EngineTestSupport
import PorticoCore
import Storage
import Testing
import Upstream

@Suite("Stored alerts")
struct AlertStoreTests {
    private static let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    static func above(_ price: String, _ symbol: String = "AAPL") throws -> AlertCondition {
        .priceAbove(try #require(Symbol(symbol)), try decimal(price))
    }

    private static func fire(
        _ alert: StoredAlert, _ store: AlertStore, of owner: OwnerID, value: String = "200.10",
        at now: Instant = now
    ) async throws -> AlertStore.Fired {
        let evidence = AlertEvidence(alert: alert.id, value: try decimal(value), asOf: now)
        return try await store.fire([evidence], of: owner, now: now) { "{\"alert\":\"\($0.alert)\"}" }
    }

    @Test("have every kind of condition after a restart", arguments: TestEngine.allCases)
    func conditions(engine: TestEngine) async throws {
        let aapl = try #require(Symbol("AAPL"))
        let conditions: [AlertCondition] = [
            try Self.above("250.000"), .priceBelow(aapl, try decimal("0.000000000001")),
            .dayRise(aapl, percent: try decimal("5.25")), .dayFall(aapl, percent: try decimal("3")),
            .orderState(order: "Order:c:1", [.filled, .partiallyFilled]), .goalReached(goal: "g"),
            .connectionNeedsRenewal(connection: "c"),
        ]
        try await engine.with { folder in
            do {
                let users = try TwoUsers(folder)
                for condition in conditions {
                    let alert = try await AlertStore(in: users.file).create(
                        condition, label: "phöne", rearmAfter: 60, for: users.ann, now: Self.now)
                    #expect(alert?.condition == condition && alert?.state == .active)
                }
            }
            let users = try TwoUsers(folder)
            let store = AlertStore(in: users.file)
            let kept = try await store.alerts(of: users.ann, after: nil, limit: 100)
            #expect(kept.map(\.condition) == conditions)
            #expect(
                kept.allSatisfy { $0.label == "phöne" && $0.rearmAfter == 60 && $0.createdAt == Self.now })
            #expect(kept.first?.condition.price?.description == "250.000")
            let rest = try await store.alerts(of: users.ann, after: kept[4].number, limit: 1)
            #expect(rest.map(\.id) == [kept[5].id])
            #expect(try await store.ownersOfActive() == [users.ann])
            #expect(try await store.alerts(of: users.bob, after: nil, limit: 100).isEmpty)
            #expect(try await store.alerts(kept.map(\.id), of: users.bob).isEmpty)
            #expect(try await !store.delete(kept[0].id, for: users.bob))
            #expect(try await store.update(kept[0].id, AlertPatch(), for: users.bob) == nil)
        }
    }

    @Test(
        "have users that are read in pages that are transactions of their own",
        arguments: TestEngine.allCases)
    func readsPages(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = AlertStore(in: users.file)
            func read() async throws -> (owners: [OwnerID], transactions: Int) {
                let before = users.file.database.transactionCount
                let owners = try await store.ownersOfActive()
                return (owners, users.file.database.transactionCount - before)
            }
            let empty = try await read()
            #expect(empty.owners.isEmpty)
            let numbers = 1_000...2_000
            try users.file.database.writeNow { db in
                for number in numbers {
                    try db.execute(
                        #"INSERT INTO "user" (id, created_at) VALUES (?, 0)"#, ["user\(number)"])
                    for (id, state) in [("a", "ACTIVE"), ("b", "ACTIVE"), ("c", "PAUSED")] {
                        try db.execute(
                            """
                            INSERT INTO alert (
                                id, owner, kind, subject, state, fired_count, created_at, updated_at
                            ) VALUES (?, ?, 'GOAL_REACHED', 'g', ?, 0, 0, 0)
                            """, ["\(id)\(number)", "user\(number)", state])
                    }
                }
            }
            let full = try await read()
            #expect(full.owners.map(\.text) == numbers.map { "user\($0)" })
            #expect(full.transactions - empty.transactions == (engine == .postgresql ? 3 : 0))
        }
    }

    @Test(
        "fire once with one entry of the history, whoever evaluates them how often",
        arguments: TestEngine.allCases)
    func once(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = AlertStore(in: users.file)
            let alert = try #require(
                try await store.create(Self.above("200"), label: "up", rearmAfter: nil, for: users.ann))
            #expect(try await Self.fire(alert, store, of: users.bob).firings.isEmpty)
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await Self.fire(alert, store, of: users.ann).firings.count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.reduce(0, +) == 1)
            let history = try await store.firings(of: users.ann, alert: nil, before: nil, limit: 10)
            let firing = try #require(history.first)
            #expect(history.count == 1 && firing.alert == alert.id && firing.condition == alert.condition)
            #expect(firing.value?.description == "200.10" && firing.label == "up" && firing.asOf == Self.now)
            let fired = try #require(try await store.alerts([alert.id], of: users.ann).first)
            #expect(fired.state == .fired && fired.firedCount == 1 && fired.lastFiring == firing.id)
            #expect(fired.lastFiredAt == Self.now && fired.armedAt == nil)
            #expect(try await store.active(of: users.ann).isEmpty)
            // The history stays when the alert is deleted, and is the user's own.
            #expect(try await store.delete(alert.id, for: users.ann))
            #expect(try await store.firings([firing.id], of: users.ann) == [firing])
            #expect(try await store.firings([firing.id], of: users.bob).isEmpty)
        }
    }

    @Test("fire again after their pause, and not before", arguments: TestEngine.allCases)
    func rearming(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = AlertStore(in: users.file)
            let alert = try #require(
                try await store.create(Self.above("200"), label: nil, rearmAfter: 60, for: users.ann))
            for (seconds, isFired) in [
                (0, true), (1, false), (59, false), (60, true), (61, false), (120, true),
            ] {
                let fired = try await Self.fire(
                    alert, store, of: users.ann, at: Self.now + .seconds(seconds))
                #expect(fired.firings.count == (isFired ? 1 : 0), "after \(seconds) s")
            }
            let after = try #require(try await store.active(of: users.ann).first)
            #expect(after.firedCount == 3 && after.armedAt == Self.now + .seconds(180))
            #expect(
                !after.isArmed(at: Self.now + .seconds(179)) && after.isArmed(at: Self.now + .seconds(180)))
        }
    }

    @Test("are paused, activated again, renamed and ended", arguments: TestEngine.allCases)
    func changes(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = AlertStore(in: users.file)
            let alert = try #require(
                try await store.create(Self.above("200"), label: "a", rearmAfter: 600, for: users.ann))
            _ = try await Self.fire(alert, store, of: users.ann)
            func change(_ edit: (inout AlertPatch) -> Void) async throws -> StoredAlert? {
                var patch = AlertPatch()
                edit(&patch)
                return try await store.update(alert.id, patch, for: users.ann)
            }
            let paused = try await change { $0.isPaused = true }
            #expect(paused?.state == .paused && paused?.armedAt != nil)
            #expect(try await Self.fire(alert, store, of: users.ann, at: .latest).firings.isEmpty)
            let resumed = try await change { $0.isPaused = false }
            #expect(resumed?.state == .active && resumed?.armedAt == nil && resumed?.label == "a")
            let once = try await change {
                $0.label = .removed
                $0.rearmAfter = .removed
            }
            #expect(once?.label == nil && once?.rearmAfter == nil)
            #expect(try await Self.fire(alert, store, of: users.ann).alerts.first?.state == .fired)
            #expect(try await store.end([alert.id], of: users.ann).isEmpty)
            #expect(try await change { $0.isPaused = true }?.state == .fired)
            #expect(try await change { $0.isPaused = false }?.state == .active)
            #expect(try await store.end([alert.id, "unknown"], of: users.ann).map(\.state) == [.ended])
            #expect(try await change { $0.label = .set("b") }?.label == "b")
        }
    }

    @Test("and their history are bounded, and gone with their user", arguments: TestEngine.allCases)
    func bounds(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            var limits = AlertStore.Limits()
            (limits.alerts, limits.firings) = (2, 3)
            let store = AlertStore(in: users.file, limits: limits)
            let alert = try #require(
                try await store.create(Self.above("1"), label: nil, rearmAfter: 60, for: users.ann))
            #expect(
                try await store.create(Self.above("2"), label: nil, rearmAfter: nil, for: users.ann) != nil)
            #expect(
                try await store.create(Self.above("3"), label: nil, rearmAfter: nil, for: users.ann) == nil)
            #expect(
                try await store.create(Self.above("3"), label: nil, rearmAfter: nil, for: users.bob) != nil)
            var ids: [String] = []
            for minute in 0..<5 {
                let fired = try await Self.fire(
                    alert, store, of: users.ann, at: Self.now + .seconds(60 * minute))
                ids += fired.firings.map(\.id)
            }
            let history = try await store.firings(of: users.ann, alert: alert.id, before: nil, limit: 10)
            #expect(history.map(\.id) == ids.suffix(3).reversed())
            let older = try await store.firings(
                of: users.ann, alert: nil, before: history[0].number, limit: 1)
            #expect(older.map(\.id) == [ids[3]])
            try await users.delete(users.ann)
            #expect(try await users.count("alert") == 1)
            #expect(try await users.count("alert_firing") == 0)
        }
    }
}
