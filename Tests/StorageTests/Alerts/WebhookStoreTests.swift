import Brokerage
import EngineTestSupport
import Foundation
import PorticoCore
import Storage
import Testing
import Upstream

@Suite("Stored webhooks")
struct WebhookStoreTests {
    static let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
    static let secret = Secret("a planted secret of a webhook")

    /// Registers a webhook, and lets an alert fire at each of some seconds.
    static func fill(
        _ users: TwoUsers, _ key: MasterKey, seconds: [Int], limits: AlertStore.Limits = AlertStore.Limits()
    ) async throws -> (WebhookStore, StoredWebhook, [AlertStore.Fired]) {
        let store = try WebhookStore(in: users.file, key)
        let webhook = try #require(
            try await store.register(
                "https://example.com/alerts", label: "mine", secret, for: users.ann, now: now, test: test
            ).webhook)
        try await activate(webhook, of: users.ann, store, at: now)
        let alerts = AlertStore(in: users.file, limits: limits)
        let alert = try #require(
            try await alerts.create(AlertStoreTests.above("1"), label: nil, rearmAfter: 1, for: users.ann))
        var fired: [AlertStore.Fired] = []
        for second in seconds {
            fired.append(
                try await alerts.fire(
                    [AlertEvidence(alert: alert.id)], of: users.ann, now: now + .seconds(second)
                ) { firing in "{\"firing\":\"\(firing.id)\"}" })
        }
        return (store, webhook, fired)
    }

    @Sendable
    static func test(_ webhook: String) -> String { "{\"webhook\":\"\(webhook)\"}" }

    /// Accepts the test message as the receiver would.
    static func activate(
        _ webhook: StoredWebhook, of owner: OwnerID, _ store: WebhookStore, at now: Instant
    ) async throws {
        let message = try #require(
            try await store.deliveries(of: webhook.id, dueAt: .latest, limit: 9).first { $0.isTest })
        #expect(message.body == test(webhook.id) && webhook.state == .pending)
        try await store.didDeliver(message, at: now)
        #expect(try await store.webhooks(of: owner).first { $0.id == webhook.id }?.state == .active)
    }

    @Test(
        "have a secret and an address that are encrypted, bound to their row, and counted by the check",
        arguments: TestEngine.allCases)
    func secrets(engine: TestEngine) async throws {
        try await engine.with { database in
            let users = try TwoUsers(database)
            let key = MasterKey.random()
            let (store, webhook, _) = try await Self.fill(users, key, seconds: [])
            let target = try await store.target(of: webhook.id, users.ann)
            #expect(target?.secret == Self.secret && target?.url == "https://example.com/alerts")
            #expect(try await store.target(of: webhook.id, users.bob) == nil)
            let bytes = try await database.allBytes()
            #expect(bytes.range(of: Data("mine".utf8)) != nil)
            #expect(bytes.range(of: Data(Self.secret.bytes)) == nil)
            #expect(bytes.range(of: Data("example.com/alerts".utf8)) == nil)
            let location = database.location
            func examine() async throws -> [Int] {
                try await users.file.database.read { db in
                    let counts = try CredentialStore.examine(db, at: location, key)
                    return [counts.whole, counts.broken]
                }
            }
            #expect(try await examine() == [1, 0])
            // The address of another row cannot be decrypted, and does not remove the row from the list.
            let other = try await store.register(
                "https://example.com/other", label: "other", Self.secret, for: users.ann,
                now: Self.now + .seconds(1),
                test: Self.test)
            let otherID = try #require(other.webhook).id
            try await users.file.database.write { db in
                try db.execute(
                    "UPDATE webhook SET sealed_url = (SELECT sealed_url FROM webhook WHERE id = ?) WHERE id = ?",
                    [webhook.id, otherID])
            }
            #expect(
                try await store.webhooks(of: users.ann).map(\.url) == ["https://example.com/alerts", nil])
            #expect(try await examine() == [1, 1])
            #expect(try await store.delete(otherID, for: users.ann))
            // A secret that is moved to the webhook of another user cannot be decrypted there.
            try await users.file.database.write { db in
                try db.execute("UPDATE webhook SET owner = ?", [users.bob.text])
            }
            #expect(try await examine() == [0, 1])
            await #expect(
                throws: StorageError.decryptionFailed(path: location, connection: webhook.id)
            ) {
                _ = try await store.target(of: webhook.id, users.bob)
            }
            #expect(throws: StorageError.wrongMasterKey(path: location)) {
                try WebhookStore(in: users.file, .random())
            }
        }
    }

    @Test(
        "of which a delivery has a negative number of attempts are not delivered, and the others are",
        arguments: TestEngine.allCases)
    func damaged(engine: TestEngine) async throws {
        try await engine.with { database in
            let users = try TwoUsers(database)
            let (store, webhook, _) = try await Self.fill(users, MasterKey.random(), seconds: [0])
            let other = try #require(
                try await store.register(
                    "https://example.com/other", label: nil, Self.secret, for: users.bob, now: Self.now,
                    test: Self.test
                ).webhook)
            try await users.file.database.write { db in
                try db.execute("UPDATE webhook_delivery SET attempts = -1 WHERE webhook = ?", [webhook.id])
            }
            await #expect(throws: StorageError.self) {
                _ = try await store.deliveries(of: webhook.id, dueAt: .latest, limit: 9)
            }
            #expect(try await store.deliveries(of: other.id, dueAt: .latest, limit: 9).map(\.attempts) == [0])
        }
    }

    @Test("are the user's own, bounded, and gone with their user", arguments: TestEngine.allCases)
    func ownership(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, _) = try await Self.fill(users, .random(), seconds: [0])
            let listed = try await store.webhooks(of: users.ann)
            #expect(listed.map(\.id) == [webhook.id] && listed.map(\.label) == ["mine"])
            #expect(listed.map(\.url) == ["https://example.com/alerts"])
            #expect(listed.map(\.createdAt) == [Self.now] && listed.map(\.pendingDeliveries) == [1])
            #expect(listed.map(\.lastSuccessAt) == [Self.now] && listed.map(\.lastFailureAt) == [nil])
            #expect(listed.map(\.state) == [.active])
            #expect(listed.map(\.lastFailure) == [nil])
            #expect(try await store.webhooks(of: users.bob).isEmpty)
            #expect(try await !store.delete(webhook.id, for: users.bob))
            for number in 1...WebhookStore.maximumWebhooks {
                let added = try await store.register(
                    "https://example.com/\(number)", label: nil, Self.secret, for: users.ann, test: Self.test)
                #expect((added.webhook != nil) == (number < WebhookStore.maximumWebhooks), "\(number)")
                #expect(number < WebhookStore.maximumWebhooks || added == .tooMany)
            }
            // The same address is no other webhook, whatever its label is; another user may have it.
            let again = try await store.register(
                "https://example.com/alerts", label: "again", Self.secret, for: users.ann, test: Self.test)
            #expect(again == .exists(webhook.id))
            #expect(try await store.webhooks(of: users.ann).count == WebhookStore.maximumWebhooks)
            let other = try await store.register(
                "https://example.com/alerts", label: nil, Self.secret, for: users.bob, test: Self.test)
            #expect(try await store.delete(try #require(other.webhook).id, for: users.bob))
            #expect(try await store.delete(webhook.id, for: users.ann))
            // The test messages of the others.
            #expect(try await store.pendingCount() == WebhookStore.maximumWebhooks - 1)
            try await users.delete(users.ann)
            #expect(try await users.count("webhook") == 0)
        }
    }

    @Test("get each firing once, with an id that stays, until it is accepted", arguments: TestEngine.allCases)
    func deliveries(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, webhook, fired) = try await Self.fill(users, .random(), seconds: [0, 1])
            let later = Self.now + .seconds(10)
            #expect(try await store.due(at: Self.now - .seconds(1), except: [], limit: 9).isEmpty)
            #expect(try await store.due(at: later, except: [webhook.id], limit: 9).isEmpty)
            let due = try await store.due(at: later, except: ["other"], limit: 9)
            #expect(due.map(\.webhook) == [webhook.id] && due.map(\.owner) == [users.ann])
            let messages = try await store.deliveries(of: webhook.id, dueAt: later, limit: 9)
            #expect(messages.map(\.body) == fired.flatMap(\.firings).map { "{\"firing\":\"\($0.id)\"}" })
            #expect(messages.allSatisfy { $0.id.hasPrefix("msg_") && $0.attempts == 0 })
            // A failure postpones both.
            let next = later + .seconds(30)
            let discarded = try await store.didFail(
                messages[0], "status 500", readAt: later, at: later, next: next,
                expiredBefore: Self.now - .seconds(1))
            #expect(discarded == 0)
            #expect(try await store.nextDue(except: []) == next)
            #expect(try await store.nextDue(except: [webhook.id]) == nil)
            let again = try await store.deliveries(of: webhook.id, dueAt: next, limit: 9)
            #expect(again.map(\.id) == messages.reversed().map(\.id) && again.map(\.attempts) == [0, 1])
            try await store.didDeliver(again[0], at: next)
            let state = try #require(try await store.webhooks(of: users.ann).first)
            #expect(state.pendingDeliveries == 1 && state.lastSuccessAt == next)
            #expect(state.lastFailure == "status 500" && state.lastFailureAt == later)
            // One that is too old is discarded after its last attempt.
            let end = try await store.didFail(
                again[1], "no response", readAt: next, at: next, next: next + .seconds(60),
                expiredBefore: later)
            #expect(end == 1)
            #expect(try await store.pendingCount() == 0)
        }
    }

    @Test(
        "get their deliveries in the order of their latest attempts, however many wait",
        arguments: TestEngine.allCases)
    func order(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (store, first, _) = try await Self.fill(users, .random(), seconds: [0, 1, 2])
            let second = try #require(
                try await store.register(
                    "https://example.com/alerts", label: nil, Self.secret, for: users.bob,
                    now: Self.now + .seconds(5), test: Self.test
                ).webhook)
            try await Self.activate(second, of: users.bob, store, at: Self.now + .seconds(5))
            let alerts = AlertStore(in: users.file)
            let alert = try #require(
                try await alerts.create(
                    AlertStoreTests.above("1"), label: nil, rearmAfter: nil, for: users.bob))
            _ = try await alerts.fire(
                [AlertEvidence(alert: alert.id)], of: users.bob, now: Self.now + .seconds(6)
            ) { _ in "{}" }
            let later = Self.now + .seconds(60)
            func due() async throws -> [String] {
                try await store.due(at: later, except: [], limit: 9).map(\.webhook)
            }
            func message(of webhook: StoredWebhook) async throws -> WebhookDelivery {
                try #require(try await store.deliveries(of: webhook.id, dueAt: later, limit: 1).first)
            }
            // Without an attempt, the time of the registration counts.
            #expect(try await due() == [first.id, second.id])
            #expect(try await store.due(at: later, except: [], limit: 1).map(\.webhook) == [first.id])
            try await store.didDeliver(message(of: first), at: Self.now + .seconds(10))
            #expect(try await due() == [second.id, first.id])
            for (webhook, seconds, order) in [
                (second, 20, [first.id, second.id]), (first, 30, [second.id, first.id]),
            ] {
                let time = Self.now + .seconds(seconds)
                _ = try await store.didFail(
                    message(of: webhook), "status 500", readAt: time, at: time, next: time,
                    expiredBefore: Self.now)
                #expect(try await due() == order)
            }
            try await store.didDeliver(message(of: first), at: Self.now + .seconds(40))
            #expect(try await due() == [second.id, first.id])
        }
    }

    @Test(
        "have a bounded number of deliveries, of which the oldest are discarded",
        arguments: TestEngine.allCases)
    func bound(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            var limits = AlertStore.Limits()
            limits.deliveries = 3
            let (store, webhook, fired) = try await Self.fill(
                users, .random(), seconds: Array(0..<5), limits: limits)
            #expect(fired.map(\.deliveries) == [1, 1, 1, 1, 1])
            #expect(fired.map(\.droppedDeliveries) == [0, 0, 0, 1, 1])
            let kept = try await store.deliveries(of: webhook.id, dueAt: .latest, limit: 9)
            #expect(
                kept.map(\.body)
                    == fired.suffix(3).flatMap(\.firings).map { "{\"firing\":\"\($0.id)\"}" })
        }
    }

    @Test(
        "are pending until a test message is accepted, and disabled without one; another test makes them pending",
        arguments: TestEngine.allCases)
    func states(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = try WebhookStore(in: users.file, .random())
            let webhook = try #require(
                try await store.register(
                    "https://example.com/alerts", label: nil, Self.secret, for: users.ann, now: Self.now,
                    test: Self.test
                ).webhook)
            func state() async throws -> StoredWebhook.State? {
                try await store.webhooks(of: users.ann).first?.state
            }
            func message() async throws -> WebhookDelivery {
                let all = try await store.deliveries(of: webhook.id, dueAt: .latest, limit: 9)
                #expect(all.count == 1 && all.allSatisfy(\.isTest))
                return try #require(all.first)
            }
            // A firing is not sent to a webhook that is pending.
            let alerts = AlertStore(in: users.file)
            let alert = try #require(
                try await alerts.create(
                    AlertStoreTests.above("1"), label: nil, rearmAfter: 60, for: users.ann))
            let fired = try await alerts.fire(
                [AlertEvidence(alert: alert.id)], of: users.ann, now: Self.now
            ) { _ in "{}" }
            #expect(fired.firings.count == 1 && fired.deliveries == 0)
            let first = try await message()
            let later = Self.now + .seconds(10)
            _ = try await store.didFail(
                first, "status 401", readAt: later, at: later, next: later + .seconds(5),
                expiredBefore: Self.now - .seconds(1))
            #expect(try await state() == .pending)
            _ = try await store.didFail(
                first, "status 401", readAt: later, at: later, next: later + .seconds(5),
                expiredBefore: later)
            #expect(try await state() == .disabled)
            #expect(try await store.pendingCount() == 0)

            let tested = try await store.requestTest(
                of: webhook.id, for: users.ann, now: later, body: Self.test(webhook.id))
            #expect(tested?.state == .pending && tested?.pendingDeliveries == 1)
            // Another one takes the place of the first.
            let again = try await store.requestTest(
                of: webhook.id, for: users.ann, now: later, body: Self.test(webhook.id))
            #expect(again?.pendingDeliveries == 1)
            try await store.postpone(message(), until: later + .seconds(60))
            #expect(try await message().attempts == 0)
            #expect(try await store.nextDue(except: []) == later + .seconds(60))
            try await store.didDeliver(message(), at: later)
            #expect(try await state() == .active)
            // The test of an active webhook changes nothing, whatever its outcome is.
            _ = try await store.requestTest(
                of: webhook.id, for: users.ann, now: later, body: Self.test(webhook.id))
            _ = try await store.didFail(
                message(), "status 500", readAt: later, at: later, next: later,
                expiredBefore: later + .seconds(1))
            #expect(try await state() == .active)
            // A receiver that is gone gets nothing any more.
            let second = try await alerts.fire(
                [AlertEvidence(alert: alert.id)], of: users.ann, now: later + .seconds(60)
            ) { _ in "{}" }
            #expect(second.deliveries == 1)
            let firing = try #require(
                try await store.deliveries(of: webhook.id, dueAt: .latest, limit: 9).first)
            let discarded = try await store.didFail(
                firing, "status 410", readAt: later, at: later, next: later, expiredBefore: Self.now,
                isGone: true)
            #expect(discarded == 1)
            #expect(try await state() == .disabled)
            #expect(
                try await store.requestTest(of: webhook.id, for: users.bob, now: later, body: "{}") == nil)
        }
    }

    @Test(
        "of an earlier version are active, and their addresses are encrypted when the store is opened",
        arguments: TestEngine.allCases)
    func earlierVersion(engine: TestEngine) async throws {
        try await engine.with { database in
            let users = try TwoUsers(database)
            let key = MasterKey.random()
            let (store, webhook, _) = try await Self.fill(users, key, seconds: [])
            let planted = "https://planted.example/" + String(repeating: "token", count: 40)
            try await users.file.database.write { db in
                try db.execute(
                    "UPDATE webhook SET url = ?, sealed_url = NULL, url_key_id = NULL, state = NULL",
                    [planted])
            }
            // A row that an earlier version writes during an upgrade can be read, too.
            #expect(try await store.webhooks(of: users.ann).map(\.url) == [planted])
            let opened = try WebhookStore(in: users.file, key)
            let listed = try await opened.webhooks(of: users.ann)
            #expect(listed.map(\.url) == [planted] && listed.map(\.state) == [.active])
            let target = try await opened.target(of: webhook.id, users.ann)
            #expect(target?.url == planted && target?.secret == Self.secret)
            let clear: Int? = try await users.file.database.read { db in
                try db.value("SELECT count(*) FROM webhook WHERE url <> '' OR sealed_url IS NULL")
            }
            #expect(clear == 0)
            #expect(try await database.allBytes().range(of: Data("planted.example".utf8)) == nil)
        }
    }
}
