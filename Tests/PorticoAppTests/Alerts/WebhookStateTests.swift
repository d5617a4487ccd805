import Brokerage
import Coordination
import Gateway
import PorticoCore
import ProviderTestSupport
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The state of a webhook")
struct WebhookStateTests {
    private static let testing = WebhookPolicy(allowsTestReceivers: true)

    /// A webhook as its user sees it.
    private static func state(_ gateway: TestGateway) async throws -> JSONValue {
        let answer = try await gateway.ask(
            "{ webhooks { id state pendingDeliveries lastSuccessAt lastFailure } }")
        return try #require(answer["data"]?["webhooks"]?[0], "\(answer)")
    }

    private static func test(_ id: String, _ gateway: TestGateway) async throws -> JSONValue {
        try await gateway.ask("mutation { testWebhook(id: \"\(id)\") { webhook { id state } } }")
    }

    /// Runs the delivery of all webhooks around a test.
    private static func deliver(
        _ gateway: TestGateway, clock: TimeSource = .system, pauses: [Duration] = [.milliseconds(1)],
        _ body: () async throws -> Void
    ) async throws {
        try await RunningDeliverer.run(for: gateway, clock: clock, { $0.pauses = pauses }, body)
    }

    @Test("is PENDING until the receiver accepts a signed test message, and only then firings are sent")
    func activation() async throws {
        // A receiver that verifies signatures refuses the first message, because it has no secret yet.
        let hasSecret = Mutex(false)
        try await WebhookReceiver.with { _ in
            .text("", status: hasSecret.withLock(\.self) ? 204 : 401)
        } _: { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                let answer = try await gateway.ask(WebhookTests.registration(receiver.url))
                let payload = try #require(answer["data"]?["registerWebhook"], "\(answer)")
                #expect(payload["webhook"]?["state"] == "PENDING")
                let id = try #require(payload["webhook"]?["id"]?.string)
                let secret = try #require(payload["secret"]?.string)
                let alerts = AlertStore(in: gateway.file)
                let alert = try #require(
                    try await alerts.create(
                        .priceAbove(.example, 200), label: nil, rearmAfter: 60, for: gateway.owner))
                func fire(at time: Instant) async throws -> Int {
                    try await alerts.fire(
                        [AlertEvidence(alert: alert.id)], of: gateway.owner, now: time,
                        body: AlertMessage.body
                    ).deliveries
                }
                let start = Instant.now - .seconds(60)
                // The first attempts fail, and the next one of its own would be in an hour.
                try await Self.deliver(gateway, pauses: [.milliseconds(1), .seconds(3_600)]) {
                    try await waitUntil { receiver.messages.count == 2 }
                    try await waitUntil {
                        try await Self.state(gateway)["lastFailure"]
                            == "The receiver responded with status 401."
                    }
                    #expect(try await fire(at: start) == 0)
                    #expect(try await Self.state(gateway)["state"] == "PENDING")
                    hasSecret.withLock { $0 = true }
                    let tested = try await Self.test(id, gateway)
                    #expect(tested["data"]?["testWebhook"]?["webhook"]?["state"] == "PENDING", "\(tested)")
                    try await waitUntil { try await Self.state(gateway)["state"] == "ACTIVE" }
                    #expect(try await fire(at: start + .seconds(60)) == 1)
                    gateway.services.subscriptions.alerts.deliverySignal.send()
                    try await waitUntil { receiver.messages.count == 4 }
                }
                let messages = receiver.messages
                #expect(
                    messages.map(\.type) == ["webhook.test", "webhook.test", "webhook.test", "alert.fired"])
                #expect(messages.allSatisfy { $0.isSigned(by: secret) })
                #expect(messages.prefix(3).allSatisfy { $0.data?["webhookId"]?.string == id })
                #expect(messages[0].id == messages[1].id && messages[1].id != messages[2].id)
            }
        }
    }

    @Test("is DISABLED after a day without an accepted test, and after 410; a test makes it PENDING again")
    func disabled() async throws {
        let status = Mutex(500)
        try await WebhookReceiver.with { _ in
            .text("", status: status.withLock(\.self))
        } _: { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                let store = try WebhookStore(in: gateway.file, gateway.master)
                let registered = try await store.register(
                    receiver.url, label: nil, WebhookSignature.makeSecret(), for: gateway.owner,
                    now: .now - .seconds(86_401), test: { _ in "{}" })
                #expect(registered.webhook?.state == .pending)
                try await Self.deliver(gateway) {
                    try await waitUntil { try await Self.state(gateway)["state"] == "DISABLED" }
                    let state = try await Self.state(gateway)
                    #expect(state["lastFailure"] == "The receiver responded with status 500.")
                    #expect(state["pendingDeliveries"] == 0)
                    let id = try #require(state["id"]?.string)
                    status.withLock { $0 = 200 }
                    let tested = try await Self.test(id, gateway)
                    #expect(tested["data"]?["testWebhook"]?["webhook"]?["state"] == "PENDING", "\(tested)")
                    try await waitUntil { try await Self.state(gateway)["state"] == "ACTIVE" }
                    status.withLock { $0 = 410 }
                    let again = try await Self.test(id, gateway)
                    #expect(again["data"]?["testWebhook"]?["webhook"]?["state"] == "ACTIVE", "\(again)")
                    try await waitUntil { try await Self.state(gateway)["state"] == "DISABLED" }
                    #expect(
                        try await Self.state(gateway)["lastFailure"]
                            == "The receiver responded with status 410.")
                }
                #expect(receiver.messages.count == 3)
            }
        }
    }

    @Test("needs no more than 20 test messages to a host in a minute, whoever its webhooks belong to")
    func hosts() async throws {
        let (start, now) = (ContinuousClock.now, Instant.now)
        // Time stands still, so that the limit stays reached.
        let clock = TimeSource(
            now: { start }, wallTime: { now },
            sleep: { _ in try await Task.sleep(for: .seconds(3_600)) })
        try await WebhookReceiver.with { receiver in
            try await withTestGateway(webhooks: Self.testing) { gateway in
                let store = try WebhookStore(in: gateway.file, gateway.master)
                for number in 0..<30 {
                    let owner = number < 10 ? gateway.owner : try gateway.user("other\(number / 10)")
                    _ = try await store.register(
                        receiver.url + "/\(number)", label: nil, WebhookSignature.makeSecret(), for: owner,
                        now: now - .seconds(1), test: { _ in "{}" })
                }
                try await Self.deliver(gateway, clock: clock) {
                    // The others were postponed without an attempt.
                    try await waitUntil { try await store.due(at: now, except: [], limit: 99).isEmpty }
                }
                #expect(receiver.messages.count == 20)
                #expect(try await store.pendingCount() == 10)
                #expect(gateway.services.alertCounts.failed == 0)
            }
        }
    }

    @Test("is tested at most 30 times an hour for a user, registrations included, and only for its own")
    func rate() async throws {
        try await withTestGateway(webhooks: Self.testing) { gateway in
            let registered = try await gateway.ask(WebhookTests.registration("https://8.8.8.8/alerts"))
            let id = try #require(
                registered["data"]?["registerWebhook"]?["webhook"]?["id"]?.string, "\(registered)")
            let other = try await gateway.ask(
                "mutation { testWebhook(id: \"\(id)\") { webhook { id } } }", as: gateway.user("other"))
            #expect(other.failures == [FieldFailure("testWebhook", "NOT_FOUND", nil)], "\(other)")
            #expect(other["errors"]?[0]?["message"]?.string == "There is no webhook \"\(id)\".")
            for _ in 0..<29 {
                let tested = try await Self.test(id, gateway)
                #expect(tested["errors"] == nil, "\(tested)")
            }
            let refused = try await Self.test(id, gateway)
            #expect(refused.failures == [FieldFailure("testWebhook", "RATE_LIMITED", nil)], "\(refused)")
            #expect(
                refused["errors"]?[0]?["message"]
                    == "Too many test messages to webhooks of this user: try again later.")
            #expect(refused["errors"]?[0]?["extensions"]?["retryAt"]?.string != nil)
        }
    }

    @Test("causes at most 30 test messages in an hour for a user, repetitions included")
    func repetitions() async throws {
        var people = UserPolicy()
        people.limits.webhookTestsOfHost = CallRate(burst: 1_000, every: .seconds(3))
        try await WebhookReceiver.with { _ in
            .text("", status: 500)
        } _: { receiver in
            try await withTestGateway(people: people, webhooks: Self.testing) { gateway in
                let registered = try await gateway.ask(WebhookTests.registration(receiver.url))
                let id = try #require(
                    registered["data"]?["registerWebhook"]?["webhook"]?["id"]?.string, "\(registered)")
                // Time stands still, so that the limit stays reached.
                let (start, now) = (ContinuousClock.now, Instant.now)
                let clock = TimeSource(
                    now: { start }, wallTime: { now },
                    sleep: { _ in try await Task.sleep(for: .seconds(3_600)) })
                let store = try WebhookStore(in: gateway.file, gateway.master)
                try await Self.deliver(gateway, clock: clock, pauses: [.zero]) {
                    // The message was postponed without an attempt.
                    try await waitUntil { try await store.due(at: now, except: [], limit: 9).isEmpty }
                }
                #expect(receiver.messages.count == 30)
                #expect(Set(receiver.messages.map(\.id)).count == 1)
                #expect(try await Self.state(gateway)["state"] == "PENDING")
                let refused = try await Self.test(id, gateway)
                #expect(refused.failures == [FieldFailure("testWebhook", "RATE_LIMITED", nil)], "\(refused)")
            }
        }
    }
}
