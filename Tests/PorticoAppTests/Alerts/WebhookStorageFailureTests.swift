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

    /// Runs the delivery of all webhooks around a test.
    private static func deliver(
        _ gateway: TestGateway, clock: TimeSource, maximumWebhooks: Int = 16,
        reporting report: @escaping @Sendable (WebhookDeliverer.Report) -> Void,
        _ test: () async throws -> Void
    ) async throws {
        try await RunningDeliverer.run(
            for: gateway, clock: clock, { $0.maximumWebhooks = maximumWebhooks }, reporting: report, test)
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
                try await Self.deliver(gateway, clock: Self.clock(leaps)) { report in
                    guard case .storage = report else { return }
                    failures.withLock { $0 += 1 }
                    // The longest pause, so that the deletion is tried again.
                    leaps.advance(by: .seconds(30))
                } _: {
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
            Damage(statement: "UPDATE webhook_delivery SET attempts = -1 WHERE owner = ?", reason: .null),
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
                try await Self.deliver(gateway, clock: Self.clock(leaps), maximumWebhooks: 1) { report in
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
}
