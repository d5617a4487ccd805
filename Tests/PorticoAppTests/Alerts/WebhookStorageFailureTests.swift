import Brokerage
import Gateway
import Sandbox
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Messages to webhooks while the database fails")
struct WebhookStorageFailureTests {
    private static let testing = WebhookPolicy(allowsTestReceivers: true)

    /// Time that stands still until a test advances it.
    private static func clock(_ leaps: ManualClock) -> TimeSource {
        let (start, begin) = (ContinuousClock.now, leaps.now)
        return TimeSource(
            now: { start + leaps.now.duration(since: begin) }, wallTime: { leaps.now },
            sleep: { end in
                await leaps.clock.wait(until: begin + start.duration(to: end))
                try Task.checkCancellation()
            })
    }

    @Test(
        "are sent once, although their deletion fails again and again, and then the next ones",
        arguments: ["DELETE ON webhook_delivery", "UPDATE ON webhook"])
    func acceptedOnce(refused: String) async throws {
        let leaps = ManualClock(.now)
        try await WebhookReceiver.with { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                let delivery = try await WebhookTests.Delivery(gateway, to: receiver.url)
                for minutes in [3, 2] { try await delivery.fire(at: leaps.now - .seconds(60 * minutes)) }
                try gateway.file.database.writeNow { db in
                    try db.executeScript(
                        "CREATE TRIGGER full_disk BEFORE \(refused) BEGIN SELECT RAISE(ABORT, 'full'); END")
                }
                let failures = Mutex(0)
                try await RunningDeliverer.run(
                    for: gateway, clock: Self.clock(leaps),
                    reporting: { report in
                        guard case .storage = report else { return }
                        failures.withLock { $0 += 1 }
                        // The longest pause, so that the deletion is tried again.
                        leaps.advance(by: .seconds(30))
                    }
                ) {
                    try await waitUntil { failures.withLock(\.self) >= 3 }
                    #expect(receiver.messages.count == 1)
                    #expect(gateway.services.alertCounts.delivered == 0)
                    try gateway.file.database.writeNow { db in
                        try db.executeScript("DROP TRIGGER full_disk")
                    }
                    try await waitUntil { try await delivery.state()["pendingDeliveries"] == 0 }
                }
                let messages = receiver.messages
                #expect(messages.count == 2 && Set(messages.map(\.id)).count == 2)
                let counts = gateway.services.alertCounts
                #expect(counts.delivered == 2 && counts.failed == 0)
            }
        }
    }

    /// A row that another program has changed, and the reason of the failure that its user gets.
    struct Damage: CustomTestStringConvertible, Sendable {
        let statement: String
        let reason: JSONValue
        var testDescription: String { statement }

        private static let undecryptable: JSONValue =
            "The stored address or secret cannot be decrypted: delete the webhook, and register it again."

        static let all = [
            Damage(
                statement: "UPDATE webhook SET sealed = zeroblob(length(sealed)) WHERE owner = ?",
                reason: undecryptable),
            Damage(
                statement: "UPDATE webhook SET sealed_url = zeroblob(length(sealed_url)) WHERE owner = ?",
                reason: undecryptable),
            Damage(
                statement: "UPDATE webhook_delivery SET attempts = -1 WHERE owner = ?",
                reason: "The messages of this webhook cannot be read or stored. Ask the operator."),
        ]
    }

    @Test("to a webhook with a damaged row hold no place of the others", arguments: Damage.all)
    func damaged(_ damage: Damage) async throws {
        // No pause ends.
        let leaps = ManualClock(.now)
        try await WebhookReceiver.with { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                let damaged = try await WebhookTests.Delivery(gateway, to: receiver.url + "/damaged")
                try await damaged.fire(at: leaps.now - .seconds(60))
                let other = try await WebhookTests.Delivery(
                    gateway, to: receiver.url, of: gateway.user("other"))
                try await other.fire(at: leaps.now - .seconds(60))
                let owner = gateway.owner
                try gateway.file.database.writeNow { db in try db.execute(damage.statement, [owner.text]) }
                let failures = Mutex(0)
                try await RunningDeliverer.run(for: gateway, clock: Self.clock(leaps)) { settings in
                    settings.maximumWebhooks = 1
                } reporting: { report in
                    if case .storage = report { failures.withLock { $0 += 1 } }
                } _: {
                    try await waitUntil { receiver.messages.count == 1 }
                    try await waitUntil { gateway.services.alertCounts.delivered == 1 }
                    try await waitUntil { failures.withLock(\.self) >= 1 }
                    try await waitUntil { try await damaged.state()["lastFailure"] == damage.reason }
                }
                #expect(failures.withLock(\.self) == 1)
                #expect(receiver.messages.count == 1)
                let state = try await damaged.state()
                #expect(state["lastFailure"] == damage.reason && state["pendingDeliveries"] == 1, "\(state)")
            }
        }
    }

    /// A failure of the database, for all users or for three of four, of whom the last one has the name "other".
    struct Failing: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let begin: String
        let end: String
        /// The messages that are sent during the failure.
        let sent: Int
        /// The messages that are sent in all, with repetitions.
        let total: Int
        var isOfAllUsers = false

        private static let refusal = "BEGIN SELECT RAISE(ABORT, 'refused'); END;"

        static let all = [
            Failing(
                testDescription: "damaged rows",
                begin: "UPDATE webhook_delivery SET attempts = -1 WHERE owner <> 'other'",
                end: "UPDATE webhook_delivery SET attempts = 0", sent: 1, total: 4),
            // Two accepted messages are kept in memory, and the first of three is sent again.
            Failing(
                testDescription: "no deletion",
                begin: """
                    CREATE TRIGGER refused_deletion BEFORE DELETE ON webhook_delivery WHEN OLD.owner <> 'other'
                    \(refusal)
                    """,
                end: "DROP TRIGGER refused_deletion", sent: 4, total: 5),
            Failing(
                testDescription: "no write",
                begin: """
                    CREATE TRIGGER refused_deletion BEFORE DELETE ON webhook_delivery \(refusal)
                    CREATE TRIGGER refused_pause BEFORE UPDATE ON webhook_delivery \(refusal)
                    """,
                end: "DROP TRIGGER refused_deletion; DROP TRIGGER refused_pause", sent: 2, total: 4,
                isOfAllUsers: true),
        ]
    }

    @Test(
        "to more webhooks than can wait in memory do not stop the others, and all are sent after the failure",
        arguments: Failing.all)
    func many(_ failing: Failing) async throws {
        let leaps = ManualClock(.now)
        try await WebhookReceiver.with { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                for name in ["first", "second", "third", "other"] {
                    let delivery = try await WebhookTests.Delivery(
                        gateway, to: "\(receiver.url)/\(name)", of: gateway.user(name))
                    try await delivery.fire(at: leaps.now - .seconds(60))
                }
                let database = gateway.file.database
                let store = try WebhookStore(in: gateway.file, gateway.master)
                try database.writeNow { db in try db.executeScript(failing.begin) }
                let failures = Mutex(0)
                try await RunningDeliverer.run(for: gateway, clock: Self.clock(leaps)) { settings in
                    (settings.maximumWebhooks, settings.maximumFailures) = (1, 2)
                    // The time passes in steps of 30 s during an attempt.
                    settings.timeout = .seconds(3_600)
                } reporting: { report in
                    if case .storage = report { failures.withLock { $0 += 1 } }
                } _: {
                    // No pause ends.
                    try await waitUntil { failures.withLock(\.self) == (failing.isOfAllUsers ? 2 : 3) }
                    try await waitUntil {
                        gateway.services.alertCounts.delivered == (failing.isOfAllUsers ? 0 : 1)
                    }
                    #expect(receiver.messages.count == failing.sent)
                    try database.writeNow { db in try db.executeScript(failing.end) }
                    try await waitUntil {
                        leaps.advance(by: .seconds(30))
                        return try await store.pendingCount() == 0
                    }
                    try await waitUntil { gateway.services.alertCounts.delivered == 4 }
                }
                let messages = receiver.messages
                #expect(messages.count == failing.total && Set(messages.map(\.id)).count == 4)
                #expect(gateway.services.alertCounts.failed == 0)
                let failed: Int? = try await database.read { db in
                    try db.value("SELECT count(*) FROM webhook WHERE last_failure_at >= last_success_at")
                }
                #expect(failed == 0)
            }
        }
    }
}
