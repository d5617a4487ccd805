import Brokerage
import Testing
import Upstream

@Suite("A call to a provider")
struct ProviderHTTPClientTests {
    static func policy(attempts: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = attempts
        policy.pause = .milliseconds(1)
        policy.jitter = { 1 }
        // Long enough for a call to this machine, however busy it is.
        policy.attemptTimeout = .seconds(60)
        return policy
    }

    static func text(_ response: HTTPClientResponse) throws(JSONError) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    static func failure(_ body: () async throws -> String) async -> ProviderFailure? {
        do {
            Issue.record("answered \(try await body())")
            return nil
        } catch {
            return error as? ProviderFailure
        }
    }

    @Test("retries a read until it succeeds", arguments: [500, 502, 503, 429])
    func retries(_ status: Int) async throws {
        try await HTTPClientTests.with { request in
            request.number < 3 ? .status(status) : .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: Self.policy())
            let journal = Journal<CallRecord>()
            let context = ReadCacheTests.context(journal: journal)
            let answer = try await caller.call(
                "account", HTTPClientTests.request(server), in: context, read: Self.text)
            #expect(answer == "ok")
            #expect(server.requests.count == 3)
            #expect(journal.entries.count == 1)
            let record = try #require(journal.entries.first)
            #expect(record.outcome == .succeeded)
            #expect(record.attempts == 3)
            #expect(record.status == 200)
            #expect(record.operation == "account" && record.provider == .alpaca)
            #expect(record.duration > .zero)
        }
    }

    @Test("never retries a write", arguments: [HTTPClientMethod.post, .put, .patch, .delete])
    func writesOnce(_ method: HTTPClientMethod) async throws {
        try await HTTPClientTests.with { _ in
            .status(503)
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: Self.policy())
            let request = try HTTPClientTests.request(server, "/", method, body: [1])
            let failure = await Self.failure {
                try await caller.call("order", request, in: ReadCacheTests.context(), read: Self.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .unavailable))
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "does not retry a read that cannot succeed",
        arguments: [
            (400, ProviderFailure.Cause.invalidResponse(nil)), (401, .unauthorized), (403, .notEntitled),
            (404, .notFound),
            (302, .invalidResponse(nil)),
        ])
    func permanent(_ status: Int, _ cause: ProviderFailure.Cause) async throws {
        try await HTTPClientTests.with { _ in
            .status(status)
        } _: { server, transport in
            let caller = ProviderHTTPClient(.saxo, over: transport, retry: Self.policy())
            let request = try HTTPClientTests.request(server)
            let failure = await Self.failure {
                try await caller.call("account", request, in: ReadCacheTests.context(), read: Self.text)
            }
            #expect(failure == ProviderFailure(.saxo, cause))
            #expect(server.requests.count == 1)
        }
    }

    @Test("has the place of an error in its own failure, and not in the health that all clients see")
    func place() async throws {
        let error = JSONError(.expected(.decimal, found: .true), at: 118)
            .inside(.index(3)).inside(.key("latestTrade")).inside(.key("TINYCAP"))
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("{}".utf8))
        } _: { server, transport in
            let channel = ProviderChannel(QuotaAccount(.alpaca), over: transport, retry: Self.policy())
            let request = try HTTPClientTests.request(server)
            let failure = await Self.failure {
                try await channel.client().call("quotes", request, in: ReadCacheTests.context()) {
                    _ throws(JSONError) in throw error
                }
            }
            #expect(failure?.cause == .invalidResponse(error))
            #expect(failure?.description.contains("TINYCAP.latestTrade[3]") == true)
            let health = channel.monitor.health(of: .alpaca)
            #expect(health.state == .degraded)
            #expect(health.failure?.cause == .invalidResponse(nil))
        }
    }

    @Test("fails after the last attempt with the last failure")
    func exhausted() async throws {
        let port = TestServer.deadPort
        let transport = try HTTPClient(userAgent: "portico-test")
        let caller = ProviderHTTPClient(.alpaca, over: transport, retry: Self.policy(attempts: 4))
        let journal = Journal<CallRecord>()
        let request = try HTTPClientTests.request(port: port)
        let failure = await Self.failure {
            try await caller.call(
                "account", request, in: ReadCacheTests.context(journal: journal), read: Self.text)
        }
        #expect(failure == ProviderFailure(.alpaca, .unavailable))
        #expect(journal.entries.map(\.outcome) == [.failed(.unavailable)])
        #expect(journal.entries.map(\.attempts) == [4])
        #expect(journal.entries.map(\.status) == [nil])
        await transport.shutDown()
    }

    @Test("waits for Retry-After, and with doubling pauses without it")
    func waits() async throws {
        try await HTTPClientTests.with { request in
            switch request.number {
            case 1: .status(429, headers: ["Retry-After: 7"])
            case 2, 3: .status(503)
            default: .status(200, body: Array("ok".utf8))
            }
        } _: { server, transport in
            let clock = ManualClock()
            var policy = Self.policy(attempts: 4)
            policy.pause = .milliseconds(100)
            policy.jitter = { 0.5 }
            let caller = ProviderHTTPClient(.alpaca, over: transport, clock: clock.clock, retry: policy)
            let request = try HTTPClientTests.request(server)
            let context = ReadCacheTests.context(from: clock.now)
            let task = Task { try await caller.call("account", request, in: context, read: Self.text) }
            for pause in [Duration.seconds(7), .milliseconds(100), .milliseconds(200)] {
                await clock.somebodySleeps()
                #expect(clock.remaining == pause)
                clock.advance(by: pause)
            }
            #expect(try await task.value == "ok")
        }
    }

    @Test("does not wait beyond the deadline, and returns the retry time")
    func stopsAtDeadline() async throws {
        try await HTTPClientTests.with { _ in
            .status(429, headers: ["Retry-After: 3600"])
        } _: { server, transport in
            let clock = ManualClock()
            let caller = ProviderHTTPClient(
                .alpaca, over: transport, clock: clock.clock, retry: Self.policy())
            let request = try HTTPClientTests.request(server)
            let context = ReadCacheTests.context(from: clock.now)
            let retryAt = clock.wallTime + .seconds(3_600)
            let failure = await Self.failure {
                try await caller.call("account", request, in: context, read: Self.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .rateLimited(retryAt: retryAt)))
            #expect(failure?.cause.retryAt == retryAt)
            #expect(server.requests.count == 1)
        }
    }

    @Test("ends a slow attempt, so that another one is possible")
    func stuck() async throws {
        try await HTTPClientTests.with { request in
            request.number == 1 ? .silence : .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            // On a machine so busy that other attempts are late as well, there are enough of them.
            var policy = Self.policy(attempts: 50)
            policy.attemptTimeout = .milliseconds(200)
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: policy)
            let request = try HTTPClientTests.request(server)
            #expect(
                try await caller.call("account", request, in: ReadCacheTests.context(), read: Self.text)
                    == "ok")
        }
    }

    @Test("reports a malformed body with its location, and does not retry")
    func wrongShape() async throws {
        let body = Array("{\"equity\":true}".utf8)
        try await HTTPClientTests.with { _ in
            .status(200, body: body)
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: Self.policy())
            let request = try HTTPClientTests.request(server)
            let failure = await Self.failure {
                try await caller.call("account", request, in: ReadCacheTests.context()) {
                    response throws(JSONError) in
                    try JSONReader.read(response.body) { reader throws(JSONError) in
                        var text = ""
                        try reader.object { _, reader throws(JSONError) in text = "\(try reader.decimal())" }
                        return text
                    }
                }
            }
            #expect(
                failure?.description
                    == "alpaca: an invalid response: equity: expected a decimal, found true (byte 10)"
            )
            #expect(server.requests.count == 1)
        }
    }

    @Test("reads the provider's own errors first")
    func ownSigns() async throws {
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("{\"Note\":\"KEY123\"}".utf8))
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alphaVantage, over: transport, retry: Self.policy()) {
                response, now in
                response.body.count > 3 ? .quotaExhausted(retryAt: now) : nil
            }
            let request = try HTTPClientTests.request(server)
            let failure = await Self.failure {
                try await caller.call("quote", request, in: ReadCacheTests.context(), read: Self.text)
            }
            guard case .quotaExhausted? = failure?.cause else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(!"\(String(reflecting: failure))".contains("KEY123"))
        }
    }

    @Test("ends a pause when it is cancelled")
    func cancels() async throws {
        try await HTTPClientTests.with { _ in
            .status(503)
        } _: { server, transport in
            let clock = ManualClock()
            let caller = ProviderHTTPClient(
                .alpaca, over: transport, clock: clock.clock, retry: Self.policy())
            let request = try HTTPClientTests.request(server)
            let context = ReadCacheTests.context(from: clock.now)
            let task = Task { try await caller.call("account", request, in: context, read: Self.text) }
            await clock.somebodySleeps()
            task.cancel()
            await #expect(throws: ProviderFailure(.alpaca, .cancelled)) { try await task.value }
        }
    }

    @Test(
        "reads Retry-After in both forms",
        arguments: [
            ("120", "2026-11-20T14:32:00Z"), ("0", "2026-11-20T14:30:00Z"),
            ("Fri, 20 Nov 2026 15:00:01 GMT", "2026-11-20T15:00:01Z"), ("-1", nil), ("soon", nil), ("", nil),
            ("Fri, 31 Nov 2026 15:00:01 GMT", nil), ("Fri, 20 Foo 2026 15:00:01 GMT", nil),
            ("99999999999999999999", nil), ("9223372036854775807", "9999-12-31T23:59:59.999999999Z"),
        ])
    func retryAfter(_ value: String, _ expected: String?) throws {
        let now = try #require(Instant("2026-11-20T14:30:00Z"))
        let head = Array("HTTP/1.1 429 X\r\nRetry-After: \(value)\r\n\r\n".utf8)
        let response = HTTPClientResponse(status: 429, head: head, body: [])
        #expect(RetryAfter.instant(in: response, now: now)?.description == expected)
    }
}

extension ProviderHTTPClient {
    /// A client of a provider without limits of calls.
    init(
        _ provider: ProviderID, over transport: HTTPClient, clock: TimeSource = .system,
        retry: RetryPolicy = RetryPolicy(),
        failure: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause? = {
            ProviderFailure.Cause.status(of: $0, now: $1)
        }
    ) {
        self = ProviderChannel(QuotaAccount(provider), over: transport, clock: clock, retry: retry)
            .client(failure: failure)
    }
}
