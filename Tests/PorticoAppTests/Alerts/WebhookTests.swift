import Brokerage
import Dispatch
import Gateway
import PorticoCore
import ProviderTestSupport
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Webhooks")
struct WebhookTests {
    // MARK: Signatures

    @Test("have the signatures of the published example of Standard Webhooks")
    func vector() throws {
        // standard-webhooks/standard-webhooks, libraries/python/tests/test_webhooks.py, test_sign_function.
        let key = try #require(Base64.standard.decoded("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8))
        let signature = try #require(WebhookSignature(Secret(key)))
        let headers = signature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, body: #"{"test": 2432232314}"#)
        #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(
            headers.map(\.value) == [
                "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
    }

    @Test("have random secrets of 32 bytes, and no longer ones are used")
    func secrets() throws {
        let secret = WebhookSignature.makeSecret()
        #expect(secret.bytes.count == 32 && secret != WebhookSignature.makeSecret())
        let text = WebhookSignature.text(of: secret)
        // 32 bytes have 43 digits and one "=".
        #expect(text == "whsec_" + Base64.standard.encoded(secret.bytes) + "=")
        #expect(WebhookSignature(Secret(secret.bytes + [0])) == nil)
    }

    // MARK: Addresses

    /// Addresses that are refused by default, with the reason.
    private static let refused: [(String, WebhookAddressError)] = [
        ("https://10.0.0.1/alerts", .notPublic("10.0.0.1")),
        ("https://127.0.0.1", .notPublic("127.0.0.1")), ("https://[::1]/", .notPublic("[::1]")),
        ("https://[fe80::1]", .notPublic("[fe80::1]")), ("https://[fd00::1]", .notPublic("[fd00::1]")),
        ("https://169.254.169.254/latest/meta-data", .notPublic("169.254.169.254")),
        ("https://0.0.0.0", .notPublic("0.0.0.0")),
        ("https://[::ffff:127.0.0.1]", .notPublic("[::ffff:127.0.0.1]")),
        ("https://[64:ff9b::7f00:1]", .notPublic("[64:ff9b::7f00:1]")),
        ("https://100.64.0.1", .notPublic("100.64.0.1")),
        ("https://192.168.1.1:8443", .notPublic("192.168.1.1")),
        ("https://224.0.0.1", .notPublic("224.0.0.1")), ("https://[ff02::1]", .notPublic("[ff02::1]")),
        // Names that resolve to such addresses.
        ("https://localhost/alerts", .notPublic("localhost")), ("https://LOCALHOST", .notPublic("localhost")),
        // Other forms of 127.0.0.1, which the system's resolver reads.
        ("https://2130706433", .unusualNumber("2130706433")), ("https://127.1", .unusualNumber("127.1")),
        ("https://0x7f000001", .unusualNumber("0x7f000001")), ("https://0X7F.1", .unusualNumber("0x7f.1")),
        ("https://0177.0.0.1", .unusualNumber("0177.0.0.1")),
        ("https://127.0.0.1.", .unusualNumber("127.0.0.1.")),
        ("https://name.invalid/", .unresolvable("name.invalid")),
        ("http://8.8.8.8/", .notSecure), ("http://127.0.0.1/", .notSecure), ("ftp://example.com", .malformed),
        ("https://user:secret@example.com", .malformed), ("https://example.com/#a", .malformed),
        ("example.com", .malformed), ("https://", .malformed),
        ("https://example.com/" + String(repeating: "a", count: 2_000), .malformed),
    ]

    @Test("are refused at addresses that are not public, in any form")
    func refusals() async throws {
        for (text, reason) in Self.refused {
            await #expect(throws: reason, "\(text)") {
                _ = try await WebhookAddress(text, WebhookPolicy()).resolve()
            }
        }
        for text in ["https://8.8.8.8/alerts", "https://[2606:4700:4700::1111]:8443/"] {
            let address = try await WebhookAddress(text, WebhookPolicy()).resolve()
            #expect(address.isPublic, "\(text)")
        }
    }

    @Test("at loopback addresses are accepted with the setting for tests, and no other addresses")
    func testReceivers() async throws {
        let policy = WebhookPolicy(allowsTestReceivers: true)
        for text in ["http://127.0.0.1:8080/alerts", "http://localhost", "https://[::1]/"] {
            #expect(try await WebhookAddress(text, policy).resolve().isLoopback, "\(text)")
        }
        let others: [(String, WebhookAddressError)] = [
            ("http://10.0.0.1", .notSecure), ("https://10.0.0.1", .notPublic("10.0.0.1")),
            ("https://169.254.169.254", .notPublic("169.254.169.254")), ("http://8.8.8.8", .notSecure),
        ]
        for (text, reason) in others {
            await #expect(throws: reason, "\(text)") {
                _ = try await WebhookAddress(text, policy).resolve()
            }
        }
    }

    @Test(
        "whose names are not resolved in time get RATE_LIMITED, with the argument and the time to try again")
    func notResolved() async throws {
        let (isRunning, isReleased) = (Event<Void>(), DispatchSemaphore(value: 0))
        defer { isReleased.signal() }
        // The time limit ends when a look-up has a thread.
        let clock = TimeSource(now: { .now }, wallTime: { .now }, sleep: { _ in await isRunning.wait() })
        let resolver = HostResolver(clock: clock) { _ in
            isRunning.happen()
            isReleased.wait()
            return []
        }
        let owner = try #require(OwnerID("ann"))
        let cases: [(host: String, error: WebhookAddressError, part: String)] = [
            ("slow.example", .timedOut("slow.example"), "no DNS server responds"),
            ("next.example", .overloaded("next.example"), "resolves too many other names"),
        ]
        for (host, error, part) in cases {
            let address = try WebhookAddress("https://\(host)/alerts", WebhookPolicy())
            await #expect(throws: error) { try await address.resolve(for: owner, by: resolver) }
            let reported = FieldError(error, argument: "input.url")
            #expect(reported.code == .rateLimited && reported.argument == "input.url", "\(reported)")
            #expect(reported.retryAt != nil, "\(reported)")
            #expect(reported.message.contains(host) && reported.message.contains(part), "\(reported)")
        }
    }

    @Test("to an address that is not public get BAD_USER_INPUT, with the argument")
    func refusedRegistration() async throws {
        try await withTestGateway { gateway in
            for (url, part) in [
                ("https://10.0.0.1/alerts", "not public"), ("http://example.com", "https://"),
                ("https://2130706433", "number"), ("https://name.invalid", "no address"),
            ] {
                let answer = try await gateway.ask(Self.registration(url))
                let error = answer["errors"]?[0]
                #expect(error?["extensions"]?["code"] == "BAD_USER_INPUT", "\(answer)")
                #expect(error?["extensions"]?["argument"] == "input.url")
                #expect(error?["path"] == .array(["registerWebhook"]))
                let message = error?["message"]?.string ?? ""
                #expect(
                    message.hasPrefix("Argument \"input.url\": ") && message.contains(part), "\(answer)")
            }
            #expect(try await gateway.ask("{ webhooks { id } }")["data"]?["webhooks"] == .array([]))
        }
    }

    @Test(
        "with the address of another get CONFLICT, with the argument and the webhook; a deleted one frees it")
    func sameAddress() async throws {
        try await withTestGateway { gateway in
            func register(_ url: String) async throws -> JSONValue {
                try await gateway.ask(Self.registration(url))
            }
            let first = try await register("https://8.8.8.8/alerts")
            let id = try #require(
                first["data"]?["registerWebhook"]?["webhook"]?["id"]?.string, "\(first)")
            let second = try await register("https://8.8.8.8/alerts")
            let error = second["errors"]?[0]
            #expect(error?["extensions"]?["code"] == "CONFLICT", "\(second)")
            #expect(error?["extensions"]?["argument"] == "input.url")
            #expect(error?["path"] == .array(["registerWebhook"]))
            #expect(
                error?["message"]?.string
                    == "Argument \"input.url\": The webhook \"\(id)\" has this address. Delete it first to get another secret."
            )
            let deletion = try await gateway.ask("mutation { deleteWebhook(id: \"\(id)\") { deletedId } }")
            #expect(deletion["errors"] == nil, "\(deletion)")
            let third = try await register("https://8.8.8.8/alerts")
            #expect(third["data"]?["registerWebhook"]?["secret"]?.string != nil, "\(third)")
        }
    }

    // MARK: Delivery

    static func registration(_ url: String) -> String {
        "mutation { registerWebhook(input: { url: \"\(url)\" label: \"mine\" }) { webhook { id url state } secret } }"
    }

    /// A gateway with a webhook at a receiver, whose alert fires as often as is asked for.
    struct Delivery {
        let gateway: TestGateway
        let secret: String
        private let owner: OwnerID
        private let alert: StoredAlert

        init(_ gateway: TestGateway, to url: String, of user: OwnerID? = nil) async throws {
            self.gateway = gateway
            owner = user ?? gateway.owner
            let answer = try await gateway.ask(WebhookTests.registration(url), as: owner)
            let payload = try #require(answer["data"]?["registerWebhook"], "\(answer)")
            secret = try #require(payload["secret"]?.string)
            #expect(payload["webhook"]?["url"]?.string == url && payload["webhook"]?["state"] == "PENDING")
            try await WebhookStore(in: gateway.file, gateway.master).acceptTests(of: owner)
            alert = try #require(
                try await AlertStore(in: gateway.file).create(
                    .priceAbove(.example, 200), label: "up", rearmAfter: 60, for: owner))
        }

        func fire(at time: Instant = .now) async throws {
            let evidence = AlertEvidence(alert: alert.id, value: Decimal("200.10"), asOf: time)
            let fired = try await AlertStore(in: gateway.file).fire(
                [evidence], of: owner, now: time, body: AlertMessage.body)
            #expect(fired.deliveries == 1)
        }

        /// The webhook as its user sees it.
        func state() async throws -> JSONValue {
            let answer = try await gateway.ask(
                "{ webhooks { state pendingDeliveries lastSuccessAt lastFailureAt lastFailure } }")
            return try #require(answer["data"]?["webhooks"]?[0], "\(answer)")
        }

        /// Runs the delivery of all webhooks around a test.
        func run(
            clock: TimeSource = .system, _ edit: (inout WebhookDeliverer.Settings) -> Void = { _ in },
            _ test: () async throws -> Void
        ) async throws {
            try await RunningDeliverer.run(
                for: gateway, clock: clock,
                { settings in
                    settings.pauses = [.milliseconds(1), .milliseconds(2)]
                    edit(&settings)
                }, test)
        }
    }

    @Test("get a signed message for each firing, and again with the same id until they accept it")
    func delivery() async throws {
        let statuses = [500, 302, 404, 204]
        try await WebhookReceiver.with { number in
            .text(
                "", status: number <= statuses.count ? statuses[number - 1] : 204,
                headers: [("Location", "http://127.0.0.1:1/other")])
        } _: { receiver in
            try await withTestGateway(webhooks: WebhookPolicy(allowsTestReceivers: true)) { gateway in
                let delivery = try await Delivery(gateway, to: receiver.url)
                // A message is due at the time of its firing: the second firing, after the alert's pause, is one of now.
                let start = Instant.now - .seconds(60)
                try await delivery.fire(at: start)
                try await delivery.run {
                    try await waitUntil { try await delivery.state()["pendingDeliveries"] == 0 }
                    try await delivery.fire(at: start + .seconds(60))
                    gateway.services.subscriptions.alerts.deliverySignal.send()
                    try await waitUntil { receiver.messages.count == 5 }
                    try await waitUntil { try await delivery.state()["pendingDeliveries"] == 0 }
                }
                let messages = receiver.messages
                #expect(messages.count == 5 && Set(messages.prefix(4).map(\.id)).count == 1)
                #expect(messages.allSatisfy { $0.isSigned(by: delivery.secret) })
                #expect(messages.allSatisfy { $0.contentType == "application/json" })
                #expect(messages.allSatisfy { abs(($0.timestamp ?? 0) - start.secondsSince1970) < 3_600 })
                #expect(Set(messages.map(\.body)).count == 2 && messages[4].id != messages[0].id)
                let data = try #require(messages[0].data)
                #expect(data["kind"] == "PRICE_ABOVE" && data["symbol"] == "AAPL" && data["label"] == "up")
                #expect(data["price"] == "200" && data["value"] == "200.10")
                let firing = try await gateway.ask("{ alertFirings { nodes { id } } }")
                #expect(firing["data"]?["alertFirings"]?["nodes"]?[1]?["id"] == data["id"])
                let state = try await delivery.state()
                #expect(state["lastFailure"] == "The receiver responded with status 404.")
                #expect(state["lastSuccessAt"]?.string != nil && state["lastFailureAt"]?.string != nil)
                let counts = gateway.services.alertCounts
                #expect(counts.delivered == 2 && counts.failed == 3 && counts.discarded == 0)
            }
        }
    }

    /// A response that is a failure, and the reason that the user gets.
    struct Failing: CustomTestStringConvertible, Sendable {
        let reply: CannedServer.Reply
        let reason: String
        /// The longest time of the attempt: a slow machine may take seconds for any other response.
        var timeout = Duration.seconds(30)
        var testDescription: String { reason }

        static let all = [
            Failing(
                reply: .text("", status: 307, headers: [("Location", "http://127.0.0.1:1/")]),
                reason: "The receiver responded with status 307; redirects are not followed."),
            Failing(
                reply: .silence, reason: "The receiver did not respond in time.", timeout: .seconds(1)),
            Failing(reply: .disconnect, reason: "The connection to the receiver broke."),
            Failing(
                reply: .text(String(repeating: "a", count: 2_000)),
                reason: "The receiver's response is too large."),
        ]
    }

    @Test("that do not accept a message are sent no more after a day", arguments: Failing.all)
    func giveUp(_ failing: Failing) async throws {
        try await WebhookReceiver.with { _ in
            failing.reply
        } _: { receiver in
            try await withTestGateway(webhooks: WebhookPolicy(allowsTestReceivers: true)) { gateway in
                let delivery = try await Delivery(gateway, to: receiver.url)
                try await delivery.fire(at: .now - .seconds(86_401))
                try await delivery.run { settings in
                    settings.timeout = failing.timeout
                    settings.maximumResponse = 1_000
                } _: {
                    try await waitUntil { try await delivery.state()["pendingDeliveries"] == 0 }
                }
                let state = try await delivery.state()
                #expect(state["lastFailure"]?.string == failing.reason)
                let counts = gateway.services.alertCounts
                #expect(counts.delivered == 0 && counts.failed == 1 && counts.discarded == 1)
            }
        }
    }

    @Test("that respond slowly wait after the time of an attempt, so that those of other users get theirs")
    func turns() async throws {
        let (start, leaps) = (ContinuousClock.now, ManualClock(.now))
        let begin = leaps.now
        let clock = TimeSource(
            now: { start + leaps.now.duration(since: begin) }, wallTime: { leaps.now },
            sleep: { _ in try await Task.sleep(for: .seconds(3_600)) })
        let (receivers, receiver) = AsyncStream.makeStream(of: String.self)
        try await WebhookReceiver.with { _ in
            leaps.advance(by: .seconds(3_600))
            receiver.yield("slow")
            return .text("", status: 204)
        } _: { slow in
            try await WebhookReceiver.with { _ in
                receiver.yield("other")
                return .text("", status: 204)
            } _: { other in
                try await withTestGateway(webhooks: WebhookPolicy(allowsTestReceivers: true)) { gateway in
                    let many = try await Delivery(gateway, to: slow.url)
                    for minutes in [3, 2, 1] { try await many.fire(at: begin - .seconds(60 * minutes)) }
                    let one = try await Delivery(gateway, to: other.url, of: gateway.user("other"))
                    try await one.fire(at: begin)
                    try await many.run(clock: clock) { settings in
                        settings.maximumWebhooks = 1
                    } _: {
                        var order: [String] = []
                        for await name in receivers {
                            order.append(name)
                            if order.count == 4 { break }
                        }
                        #expect(order == ["slow", "other", "slow", "slow"])
                    }
                }
            }
        }
    }

    @Test("whose address is no longer permitted get no message")
    func recheck() async throws {
        try await WebhookReceiver.with { receiver in
            // Registered while the setting permitted it.
            try await withTestGateway { gateway in
                let webhooks = try WebhookStore(in: gateway.file, gateway.master)
                _ = try await webhooks.register(
                    receiver.url.replacing("http://", with: "https://"), label: nil,
                    WebhookSignature.makeSecret(), for: gateway.owner, test: { _ in "{}" })
                try await webhooks.acceptTests(of: gateway.owner)
                let alerts = AlertStore(in: gateway.file)
                let alert = try await alerts.create(
                    .priceAbove(.example, 1), label: nil, rearmAfter: nil, for: gateway.owner)
                let evidence = AlertEvidence(alert: try #require(alert).id)
                _ = try await alerts.fire([evidence], of: gateway.owner, body: AlertMessage.body)
                let client = try HTTPClient(userAgent: "portico-test")
                let reasons = AsyncStream.makeStream(of: String.self)
                let deliverer = WebhookDeliverer(gateway.services, over: client)
                let task = Task {
                    await deliverer.run { report in
                        if case .failure(_, let reason) = report { reasons.continuation.yield(reason) }
                    }
                }
                var iterator = reasons.stream.makeAsyncIterator()
                let reason = await iterator.next()
                task.cancel()
                await task.value
                await client.shutDown()
                let failure = "has an address that is not public. Messages are sent to public addresses only."
                #expect(reason == "The host \(failure)")
                // Neither the log nor the database has a part of the address in clear.
                let answer = try await gateway.ask("{ webhooks { lastFailure } }")
                #expect(
                    answer["data"]?["webhooks"]?[0]?["lastFailure"]?.string == "The host \(failure)",
                    "\(answer)")
                #expect(receiver.messages.isEmpty)
            }
        }
    }
}
