import Brokerage
import EngineTestSupport
import PorticoCore
import Storage
import Testing

@Suite("Webhooks with several deliveries")
struct WebhookDeliveryTests {
    private static let now = WebhookStoreTests.now

    @Test(
        "of which the receiver refuses one delivery get the others first, and all failures count for the pause",
        arguments: TestEngine.allCases)
    func refusedDelivery(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, _) = try await WebhookStoreTests.fill(users, .random(), seconds: [0, 1, 2])
            let start = Self.now + .seconds(10)
            let all = try await store.deliveries(of: webhook.id, dueAt: start, limit: 9)
            // The deliveries that fail, one after the other, by their places; then the order, and the attempts together.
            let steps: [(failing: Int, order: [Int], attempts: Int)] = [
                (0, [1, 2, 0], 1), (1, [2, 0, 1], 2), (2, [0, 1, 2], 3), (0, [1, 2, 0], 4),
            ]
            for (step, (failing, order, attempts)) in steps.enumerated() {
                let (begin, next) = (start + .seconds(60 * step), start + .seconds(60 * (step + 1)))
                _ = try await store.didFail(
                    all[failing], "status 400", readAt: begin, at: begin, next: next, expiredBefore: Self.now
                )
                #expect(try await store.deliveries(of: webhook.id, dueAt: begin, limit: 9).isEmpty)
                #expect(try await store.attempts(of: webhook.id, dueAt: begin) == 0)
                let due = try await store.deliveries(of: webhook.id, dueAt: next, limit: 9)
                #expect(due.map(\.id) == order.map { all[$0].id }, "step \(step)")
                #expect(try await store.attempts(of: webhook.id, dueAt: next) == attempts, "step \(step)")
            }
            // A number of another program does not count: 2 and 1 attempts are left, or 1 and 1.
            for (damaged, attempts) in [(1, 3), (0, 2)] {
                try await users.file.database.write { db in
                    try db.execute(
                        "UPDATE webhook_delivery SET attempts = ? WHERE id = ?", [Int64.max, all[damaged].id])
                }
                #expect(try await store.attempts(of: webhook.id, dueAt: .latest) == attempts)
                try await users.file.database.write { db in
                    try db.execute("UPDATE webhook_delivery SET attempts = 1 WHERE id = ?", [all[damaged].id])
                }
            }
        }
    }

    @Test(
        "postpone after a failure what existed when they were read, and nothing that fired after it",
        arguments: TestEngine.allCases)
    func postponed(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            // The attempt at the first begins at second 20 and fails at second 22.
            let seconds = [10, 19, 20, 21, 22]
            let (store, webhook, fired) = try await WebhookStoreTests.fill(users, .random(), seconds: seconds)
            let bodies = fired.flatMap(\.firings).map { "{\"firing\":\"\($0.id)\"}" }
            let (begin, end) = (Self.now + .seconds(20), Self.now + .seconds(22))
            let first = try #require(try await store.deliveries(of: webhook.id, dueAt: begin, limit: 1).first)
            _ = try await store.didFail(
                first, "no response", readAt: begin, at: end, next: end + .seconds(30),
                expiredBefore: Self.now)
            let due = try await store.deliveries(of: webhook.id, dueAt: end, limit: 9)
            #expect(due.map(\.body) == Array(bodies[3...]))
            let later = try await store.deliveries(of: webhook.id, dueAt: end + .seconds(30), limit: 9)
            #expect(later.map(\.body) == Array(bodies[1...] + bodies[...0]))
        }
    }

    @Test("wait for a time also if a row is unreadable", arguments: TestEngine.allCases)
    func unreadable(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, _) = try await WebhookStoreTests.fill(users, .random(), seconds: [0, 1, 40])
            try await users.file.database.write { db in
                try db.execute("UPDATE webhook_delivery SET attempts = -1")
            }
            let end = Self.now + .seconds(30)
            await #expect(throws: StorageError.self) {
                try await store.deliveries(of: webhook.id, dueAt: end, limit: 9)
            }
            try await store.postponeAll(
                of: webhook.id, users.ann, "cannot be read", at: Self.now + .seconds(29), until: end)
            #expect(try await store.due(at: end - .seconds(1), except: [], limit: 9).isEmpty)
            #expect(try await store.nextDue(except: []) == end)
            #expect(try await store.due(at: end, except: [], limit: 9).map(\.webhook) == [webhook.id])
            let times = try await users.file.database.read { db in
                try db.values("SELECT next_at FROM webhook_delivery ORDER BY next_at", [], as: Int64.self)
            }
            #expect(times == [30, 30, 40].map { (Self.now + .seconds($0)).millisecondsSince1970 })
        }
    }

    @Test("of a webhook whose rows are unreadable are behind those of others", arguments: TestEngine.allCases)
    func unreadableBehindOthers(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, _) = try await WebhookStoreTests.fill(users, .random(), seconds: [0])
            let other = try #require(
                try await store.register(
                    "https://example.com/other", label: nil, WebhookStoreTests.secret, for: users.ann,
                    now: Self.now + .seconds(1), test: WebhookStoreTests.test
                ).webhook)
            func due(at seconds: Int) async throws -> [String] {
                try await store.due(at: Self.now + .seconds(seconds), except: [], limit: 9).map(\.webhook)
            }
            #expect(try await due(at: 2) == [webhook.id, other.id])
            try await store.postponeAll(
                of: webhook.id, users.ann, "cannot be read", at: Self.now + .seconds(2),
                until: Self.now + .seconds(32))
            #expect(try await due(at: 31) == [other.id])
            #expect(try await due(at: 32) == [other.id, webhook.id])
        }
    }

    @Test("with a test message that must wait get their firings", arguments: TestEngine.allCases)
    func limitedTest(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, _) = try await WebhookStoreTests.fill(users, .random(), seconds: [1, 2])
            _ = try await store.requestTest(
                of: webhook.id, for: users.ann, now: Self.now, body: WebhookStoreTests.test(webhook.id))
            let later = Self.now + .seconds(10)
            let all = try await store.deliveries(of: webhook.id, dueAt: later, limit: 9)
            #expect(all.map(\.isTest) == [true, false, false])
            try await store.postpone(try #require(all.first), until: later + .seconds(60))
            let due = try await store.deliveries(of: webhook.id, dueAt: later, limit: 9)
            #expect(due.map(\.id) == all.dropFirst().map(\.id))
            #expect(try await store.nextDue(except: []) == Self.now + .seconds(1))
        }
    }

    @Test("of a user get the messages of a firing by one statement", arguments: TestEngine.allCases)
    func statements(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, first, _) = try await WebhookStoreTests.fill(users, .random(), seconds: [])
            for number in 1...3 {
                let webhook = try #require(
                    try await store.register(
                        "https://example.com/\(number)", label: nil, WebhookStoreTests.secret, for: users.ann,
                        now: Self.now, test: WebhookStoreTests.test
                    ).webhook)
                // The fourth is still pending.
                if number < 3 {
                    try await WebhookStoreTests.activate(webhook, of: users.ann, store, at: Self.now)
                }
            }
            // Only PostgreSQL has triggers of statements.
            if engine == .postgresql {
                try users.file.database.writeNow { db in
                    try db.executeScript(
                        """
                        CREATE TABLE logged_statement (number BIGINT);
                        CREATE FUNCTION log_statement() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN INSERT INTO logged_statement VALUES (1); RETURN NULL; END $$;
                        CREATE TRIGGER log_deliveries AFTER INSERT ON webhook_delivery
                        FOR EACH STATEMENT EXECUTE FUNCTION log_statement();
                        """)
                }
            }
            let alerts = AlertStore(in: users.file)
            var evidence: [AlertEvidence] = []
            for price in ["1", "2"] {
                let alert = try await alerts.create(
                    AlertStoreTests.above(price), label: nil, rearmAfter: nil, for: users.ann)
                evidence.append(AlertEvidence(alert: try #require(alert).id))
            }
            let fired = try await alerts.fire(evidence, of: users.ann, now: Self.now) {
                "{\"id\":\"\($0.id)\"}"
            }
            #expect(fired.firings.count == 2 && fired.deliveries == 6)
            var messages: [WebhookDelivery] = []
            for webhook in try await store.webhooks(of: users.ann) where webhook.state == .active {
                let own = try await store.deliveries(of: webhook.id, dueAt: Self.now, limit: 9)
                #expect(Set(own.map(\.body)) == Set(fired.firings.map { "{\"id\":\"\($0.id)\"}" }))
                #expect(own.allSatisfy { $0.webhook == webhook.id && $0.attempts == 0 && !$0.isTest })
                messages += own
            }
            #expect(messages.contains { $0.webhook == first.id })
            #expect(messages.count == 6 && Set(messages.map(\.id)).count == 6)
            if engine == .postgresql { #expect(try await users.count("logged_statement") == 2) }
        }
    }
}
