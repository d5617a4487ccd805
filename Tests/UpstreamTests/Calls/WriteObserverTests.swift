import Brokerage
import Synchronization
import Testing
import Upstream

@Suite("The observer of a write")
struct WriteObserverTests {
    /// The calls of the observer, in order.
    private final class ReceivedEvents: Sendable {
        private let words = Mutex<[String]>([])
        private let isBroken: Bool

        init(isBroken: Bool = false) {
            self.isBroken = isBroken
        }

        struct Broken: Error {}

        var all: [String] { words.withLock(\.self) }

        var context: CallContext {
            CallContext(
                deadline: .now + .seconds(60),
                writeObserver: WriteObserver(
                    willSend: { [self] in
                        words.withLock { $0.append("sending") }
                        if isBroken { throw Broken() }
                    }, wasNotProcessed: { [self] in words.withLock { $0.append("not taken") } }))
        }
    }

    @Test(
        "is called before it is sent, and if the provider refused it unprocessed",
        arguments: [
            (200, ["sending"]), (400, ["sending"]), (401, ["sending", "not taken"]),
            (403, ["sending", "not taken"]), (404, ["sending"]), (429, ["sending", "not taken"]),
            (500, ["sending"]), (504, ["sending"]),
        ])
    func statuses(_ status: Int, _ expected: [String]) async throws {
        try await HTTPClientTests.with { _ in
            .status(status, body: Array("ok".utf8))
        } _: { server, transport in
            let told = ReceivedEvents()
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server, "/", .post, body: [1])
            _ = try? await caller.call("order", request, in: told.context, read: ProviderHTTPClientTests.text)
            #expect(told.all == expected)
            #expect(server.requests.count == 1)
        }
    }

    @Test("prevents it if it cannot be recorded")
    func stops() async throws {
        try await HTTPClientTests.with { _ in
            .status(200)
        } _: { server, transport in
            let told = ReceivedEvents(isBroken: true)
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server, "/", .post, body: [1])
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call("order", request, in: told.context, read: ProviderHTTPClientTests.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .cancelled))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("is called for a provider that cannot be reached")
    func unreachable() async throws {
        let port = TestServer.deadPort
        let transport = try HTTPClient(userAgent: "portico-test")
        let told = ReceivedEvents()
        let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
        let request = try HTTPClientTests.request(port: port, "/", .post)
        _ = try? await caller.call("order", request, in: told.context, read: ProviderHTTPClientTests.text)
        #expect(told.all == ["sending", "not taken"])
        await transport.shutDown()
    }

    private static let window = QuotaWindow("requests", limit: 2, per: .rolling(seconds: 60))

    @Test("does not report `not taken` if a kept connection breaks during the request and none can be made")
    func brokenAndUnreachable() async throws {
        try await HTTPClientTests.with { request in
            request.number == 2 ? .shutDown : .status(200)
        } _: { server, transport in
            let channel = ProviderChannel(
                QuotaAccount(.alpaca), over: transport, retry: ProviderHTTPClientTests.policy())
            let caller = channel.client(within: [Self.window])
            let told = ReceivedEvents()
            _ = try await caller.call(
                "account", HTTPClientTests.request(server), in: told.context,
                read: ProviderHTTPClientTests.text)
            let write = try HTTPClientTests.request(server, "/", .post, body: [1])
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call("order", write, in: told.context, read: ProviderHTTPClientTests.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .unavailable))
            #expect(server.requests.map(\.method) == ["GET", "POST"])
            #expect(told.all == ["sending"])
            #expect(
                channel.ledger.status(of: channel.quotaAccount).map(\.remaining) == [0],
                "the provider counted it")
        }
    }

    @Test("reports `not taken` if the provider accepts no connection in time")
    func noConnection() async throws {
        let listener = try FullListener()
        defer { listener.close() }
        var limits = HTTPClientLimits()
        limits.connectTimeout = .milliseconds(50)
        let transport = try HTTPClient(limits: limits, userAgent: "portico-test")
        let channel = ProviderChannel(
            QuotaAccount(.alpaca), over: transport, retry: ProviderHTTPClientTests.policy())
        let told = ReceivedEvents()
        let request = try HTTPClientTests.request(port: listener.port, "/", .post)
        let failure = await ProviderHTTPClientTests.failure {
            try await channel.client(within: [Self.window]).call(
                "order", request, in: told.context, read: ProviderHTTPClientTests.text)
        }
        #expect(failure == ProviderFailure(.alpaca, .timedOut))
        #expect(told.all == ["sending", "not taken"])
        #expect(channel.ledger.status(of: channel.quotaAccount).map(\.remaining) == [2])
        await transport.shutDown()
    }

    /// The event that ends a call.
    enum End: CaseIterable {
        case deadline, cancellation, shutDown
    }

    @Test(
        "reports `not taken` if the call ended before its first byte",
        arguments: End.allCases)
    func endedBefore(_ end: End) async throws {
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 1
        try await HTTPClientTests.with(limits: limits) { _ in
            .silence
        } _: { server, transport in
            // The write would wait for the one connection.
            let hanging = try HTTPClientTests.request(server)
            let first = Task { try? await transport.send(hanging) }
            await server.received(1)
            let (told, marked) = (ReceivedEvents(), Gate())
            // This clock stands still, so that the transport detects the end of the deadline first.
            let clock = ManualClock()
            let caller = ProviderHTTPClient(
                .alpaca, over: transport, clock: clock.clock, retry: ProviderHTTPClientTests.policy())
            let deadline = clock.now + (end == .deadline ? .milliseconds(20) : .seconds(60))
            let context = CallContext(
                deadline: deadline,
                writeObserver: WriteObserver(
                    willSend: {
                        try await told.context.writeObserver?.willSend()
                        if end == .deadline { try await ContinuousClock().sleep(until: deadline) }
                        marked.open()
                    }, wasNotProcessed: { told.context.writeObserver?.wasNotProcessed() }))
            let request = try HTTPClientTests.request(server, "/", .post, body: [1], within: .seconds(120))
            let write = Task {
                try await caller.call("order", request, in: context, read: ProviderHTTPClientTests.text)
            }
            await marked.pass()
            switch end {
            case .deadline: break
            case .cancellation: write.cancel()
            case .shutDown: await transport.shutDown()
            }
            await #expect(throws: ProviderFailure.self) { try await write.value }
            #expect(told.all == ["sending", "not taken"])
            #expect(server.requests.count == 1)
            first.cancel()
        }
    }

    @Test(
        "does not report `not taken` if the call ended after it was sent",
        arguments: [End.cancellation, .shutDown])
    func endedAfter(_ end: End) async throws {
        try await HTTPClientTests.with { _ in
            .silence
        } _: { server, transport in
            let told = ReceivedEvents()
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server, "/", .post, body: [1], within: .seconds(120))
            let write = Task {
                try await caller.call("order", request, in: told.context, read: ProviderHTTPClientTests.text)
            }
            await server.received(1)
            if end == .cancellation { write.cancel() } else { await transport.shutDown() }
            await #expect(throws: ProviderFailure.self) { try await write.value }
            #expect(told.all == ["sending"])
        }
    }

    @Test("is not called for a read")
    func reads() async throws {
        try await HTTPClientTests.with { _ in
            .status(200)
        } _: { server, transport in
            let told = ReceivedEvents()
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server)
            _ = try await caller.call(
                "account", request, in: told.context, read: ProviderHTTPClientTests.text)
            #expect(told.all.isEmpty)
        }
    }

    @Test(
        "a marked write is sent within five seconds after its mark, or not at all",
        arguments: [(4_999, true), (5_000, false), (60_000, false)])
    func late(_ milliseconds: Int, _ isSent: Bool) async throws {
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 1
        try await HTTPClientTests.with(limits: limits) { request in
            request.number == 1 ? .silence : .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let clock = ManualClock()
            let caller = ProviderHTTPClient(
                .alpaca, over: transport, clock: clock.clock, retry: ProviderHTTPClientTests.policy())
            let hanging = try HTTPClientTests.request(server)
            let first = Task { try await transport.send(hanging) }
            await server.received(1)
            // It is marked, and waits for the connection.
            let told = ReceivedEvents()
            let marked = Gate()
            let context = CallContext(
                deadline: .now + .seconds(120),
                writeObserver: WriteObserver(
                    willSend: {
                        try await told.context.writeObserver?.willSend()
                        marked.open()
                    }, wasNotProcessed: { told.context.writeObserver?.wasNotProcessed() }))
            let request = try HTTPClientTests.request(server, "/", .post, body: [1], within: .seconds(120))
            let write = Task {
                try await caller.call("order", request, in: context, read: ProviderHTTPClientTests.text)
            }
            await marked.pass()
            clock.advance(by: .milliseconds(milliseconds))
            first.cancel()
            let result = await write.result
            if isSent {
                #expect(try result.get() == "ok")
                #expect(told.all == ["sending"])
            } else {
                #expect(throws: ProviderFailure(.alpaca, .overloaded)) { try result.get() }
                #expect(told.all == ["sending", "not taken"])
                #expect(!server.requests.contains { $0.method == "POST" })
            }
        }
    }

    @Test("a process that is stopped while it sets the mark of a write does not send the write")
    func stoppedInTheMark() async throws {
        try await HTTPClientTests.with { _ in
            .status(200)
        } _: { server, transport in
            let clock = ManualClock()
            let caller = ProviderHTTPClient(
                .alpaca, over: transport, clock: clock.clock, retry: ProviderHTTPClientTests.policy())
            let told = ReceivedEvents()
            let context = CallContext(
                deadline: .now + .seconds(120),
                writeObserver: WriteObserver(
                    willSend: { clock.advance(by: .seconds(5)) },
                    wasNotProcessed: { told.context.writeObserver?.wasNotProcessed() }))
            let request = try HTTPClientTests.request(server, "/", .post, body: [1])
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call("order", request, in: context, read: ProviderHTTPClientTests.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .overloaded))
            #expect(told.all == ["not taken"])
            #expect(server.requests.isEmpty)
        }
    }
}
