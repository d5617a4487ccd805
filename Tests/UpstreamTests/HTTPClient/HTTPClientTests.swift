import Testing
import Upstream

@Suite("The HTTP client")
struct HTTPClientTests {
    /// A server and a transport for one test, both stopped when it is over.
    static func with(
        limits: HTTPClientLimits = HTTPClientLimits(), greeting: [UInt8] = [],
        answer: @escaping @Sendable (TestServer.Request) -> TestServer.Reply,
        _ body: (TestServer, HTTPClient) async throws -> Void
    ) async throws {
        let server = try TestServer(greeting: greeting, answer)
        defer { server.stop() }
        try await HTTPClient.with(limits: limits, userAgent: "portico-test") {
            try await body(server, $0)
        }
    }

    static func request(
        _ server: TestServer, _ target: String = "/", _ method: HTTPClientMethod = .get, body: [UInt8]? = nil,
        within time: Duration = .seconds(60), maximumResponseBytes: Int = 1 << 20
    ) throws -> HTTPClientRequest {
        try request(
            port: server.port, target, method, body: body, within: time,
            maximumResponseBytes: maximumResponseBytes)
    }

    static func request(
        port: UInt16, _ target: String = "/", _ method: HTTPClientMethod = .get, body: [UInt8]? = nil,
        within time: Duration = .seconds(60), maximumResponseBytes: Int = 1 << 20
    ) throws -> HTTPClientRequest {
        HTTPClientRequest(
            method, try #require(HTTPURL("http://127.0.0.1:\(port)\(target)")), body: body,
            deadline: .now + time, maximumResponseBytes: maximumResponseBytes)
    }

    @Test("returns status, headers and body")
    func responds() async throws {
        try await Self.with { request in
            .status(418, headers: ["Retry-After:  12 ", "X-Rate: a"], body: Array(request.target.utf8))
        } _: { server, transport in
            let response = try await transport.send(Self.request(server, "/v2/account?x=1"))
            #expect(response.status == 418)
            #expect(!response.isSuccess)
            #expect(response["retry-after"] == "12")
            #expect(response["X-RATE"] == "a")
            #expect(response["X-Rat"] == nil)
            #expect(String(decoding: response.body, as: UTF8.self) == "/v2/account?x=1")
        }
    }

    @Test(
        "sends each method with its body and no header of libcurl",
        arguments: [HTTPClientMethod.get, .post, .put, .patch, .delete],
        [nil, [], Array("{\"qty\":\"1\"}".utf8)] as [[UInt8]?])
    func methods(_ method: HTTPClientMethod, _ body: [UInt8]?) async throws {
        try await Self.with { _ in
            .status(200)
        } _: { server, transport in
            var request = try Self.request(server, "/", method, body: body)
            request.headers.add("Authorization", "Bearer abc")
            request.headers.add("X-Empty", "")
            _ = try await transport.send(request)
            // The handle's next use must not remember this one.
            _ = try await transport.send(Self.request(server, "/next"))
            let seen = server.requests
            #expect(seen.map(\.method) == [method.rawValue, "GET"])
            #expect(seen[0].body == body ?? [])
            let head = seen[0].head.lowercased()
            #expect(head.contains("authorization: bearer abc\r\n"))
            #expect(head.contains("x-empty:"))
            #expect(head.contains("user-agent: portico-test\r\n"))
            #expect(!head.contains("expect:") && !head.contains("content-type:"))
            #expect(!seen[1].head.lowercased().contains("authorization"))
        }
    }

    @Test("reuses a connection")
    func reuses() async throws {
        try await Self.with { _ in
            .status(200, body: [1, 2, 3])
        } _: { server, transport in
            for _ in 0..<20 {
                let response = try await transport.send(Self.request(server))
                #expect(response.body == [1, 2, 3])
            }
            #expect(server.requests.count == 20)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("opens another connection after the server has closed an idle one, or has sent on it")
    func closedIdleConnections() async throws {
        let response = Array("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok".utf8)
        let late = Array("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n".utf8)
        try await Self.with { request in
            .raw(request.number % 2 == 0 ? response : response + late)
        } _: { server, transport in
            for _ in 0..<20 {
                let response = try await transport.send(Self.request(server))
                #expect(response.status == 200)
                #expect(response.body == Array("ok".utf8))
            }
            #expect(server.requests.count == 20)
            #expect(server.connectionCount == 20)
        }
    }

    @Test("opens no more connections to a host than its limit, and completes all calls")
    func bounded() async throws {
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 3
        try await Self.with(limits: limits) { _ in
            .status(200)
        } _: { server, transport in
            let requests = try (0..<60).map { _ in try Self.request(server) }
            await withTaskGroup { group in
                for request in requests {
                    group.addTask { (try? await transport.send(request))?.status }
                }
                for await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 60)
            #expect(server.connectionCount <= 3)
        }
    }

    @Test("closes a connection that was idle for longer than its limit when it calls another host")
    func idleConnections() async throws {
        var limits = HTTPClientLimits()
        limits.idleTime = .seconds(1)
        try await Self.with(limits: limits) { _ in
            .status(200)
        } _: { server, transport in
            let other = try TestServer { _ in .status(200) }
            defer { other.stop() }
            _ = try await transport.send(Self.request(server))
            let calls = Task {
                while !Task.isCancelled { _ = try await transport.send(Self.request(other)) }
            }
            await server.clientWentAway()
            calls.cancel()
            _ = await calls.result
        }
    }

    @Test("follows no redirect")
    func redirects() async throws {
        try await Self.with { _ in
            .status(302, headers: ["Location: http://127.0.0.1:1/"])
        } _: { server, transport in
            let response = try await transport.send(Self.request(server))
            #expect(response.status == 302)
            #expect(response["Location"] == "http://127.0.0.1:1/")
        }
    }

    @Test("reads only the final head after interim ones")
    func interim() async throws {
        let text =
            "HTTP/1.1 103 Early\r\nX-A: early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: late\r\n\r\nok"
        try await Self.with { _ in
            .raw(Array(text.utf8))
        } _: { server, transport in
            let response = try await transport.send(Self.request(server))
            #expect(response.status == 200)
            #expect(response["x-a"] == "late")
        }
    }

    @Test("decompresses, with a limit of the result")
    func decompresses() async throws {
        // gzip of 100,000 zero bytes, made with zlib.
        let gzip = Compressed.zeros
        try await Self.with { _ in
            .status(200, headers: ["Content-Encoding: gzip"], body: gzip)
        } _: { server, transport in
            let response = try await transport.send(Self.request(server))
            #expect(response.body == [UInt8](repeating: 0, count: 100_000))
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await transport.send(Self.request(server, maximumResponseBytes: 99_999))
            }
        }
    }

    @Test("refuses a body above the limit")
    func oversized() async throws {
        try await Self.with { _ in
            .status(200, body: [UInt8](repeating: 7, count: 1_001))
        } _: { server, transport in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await transport.send(Self.request(server, maximumResponseBytes: 1_000))
            }
            let response = try await transport.send(Self.request(server, maximumResponseBytes: 1_001))
            #expect(response.body.count == 1_001)
        }
    }

    @Test("refuses an endless head")
    func oversizedHead() async throws {
        let headers = (0..<2_000).map { "X-\($0): \(String(repeating: "a", count: 100))" }
        try await Self.with { _ in
            .status(200, headers: headers)
        } _: { server, transport in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await transport.send(Self.request(server))
            }
        }
    }

    @Test("reports a port without a listener")
    func deadPort() async throws {
        let transport = try HTTPClient(userAgent: "portico-test")
        let port = TestServer.deadPort
        await #expect(throws: HTTPClientError.couldNotConnect) {
            try await transport.send(Self.request(port: port))
        }
        await transport.shutDown()
    }

    @Test("reports an unknown host")
    func unknownHost() async throws {
        let transport = try HTTPClient(userAgent: "portico-test")
        // A label of 64 letters is longer than names may have: the resolver knows without asking anybody.
        let url = try #require(HTTPURL("http://\(String(repeating: "a", count: 64)).invalid/"))
        await #expect(throws: HTTPClientError.couldNotResolve) {
            try await transport.send(HTTPClientRequest(.get, url, deadline: .now + .seconds(60)))
        }
        await transport.shutDown()
    }

    @Test("reports a TLS failure for a handshake with a text response")
    func tlsGarbage() async throws {
        let greeting = Array("220 mail.example.com ESMTP\r\n".utf8)
        try await Self.with(greeting: greeting, answer: { _ in .disconnect }) { server, transport in
            let url = try #require(HTTPURL("https://127.0.0.1:\(server.port)/"))
            await #expect(throws: HTTPClientError.tls) {
                try await transport.send(HTTPClientRequest(.get, url, deadline: .now + .seconds(60)))
            }
        }
    }

    @Test(
        "reports malformed and incomplete responses",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2\r\n", HTTPClientError.malformedResponse),
            ("", .interrupted),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .interrupted),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", .malformedResponse),
        ])
    func garbage(_ text: String, _ expected: HTTPClientError) async throws {
        try await Self.with { _ in
            .raw(Array(text.utf8))
        } _: { server, transport in
            await #expect(throws: expected) { try await transport.send(Self.request(server)) }
        }
    }

    @Test("fails at the deadline")
    func deadline() async throws {
        try await Self.with { _ in
            .silence
        } _: { server, transport in
            await #expect(throws: HTTPClientError.timedOut) {
                // Long enough for the connection.
                try await transport.send(Self.request(server, within: .seconds(2)))
            }
            await server.clientWentAway()
        }
    }

    @Test("fails at the deadline while it waits for a connection")
    func deadlineInQueue() async throws {
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 1
        try await Self.with(limits: limits) { _ in
            .silence
        } _: { server, transport in
            let first = try Self.request(server)
            let hanging = Task { try await transport.send(first) }
            await server.received(1)
            await #expect(throws: HTTPClientError.timedOut) {
                try await transport.send(Self.request(server, within: .milliseconds(50)))
            }
            #expect(server.requests.count == 1)
            hanging.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await hanging.value }
        }
    }

    @Test("does not send a request after its deadline")
    func pastDeadline() async throws {
        try await Self.with { _ in
            .status(200)
        } _: { server, transport in
            await #expect(throws: HTTPClientError.timedOut) {
                try await transport.send(Self.request(server, within: .zero))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("closes the connection if the task is cancelled")
    func cancels() async throws {
        try await Self.with { _ in
            .silence
        } _: { server, transport in
            let request = try Self.request(server)
            let task = Task { try await transport.send(request) }
            await server.received(1)
            task.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await task.value }
            await server.clientWentAway()
        }
    }

    @Test("sends nothing for a cancelled task")
    func cancelledBefore() async throws {
        try await Self.with { _ in
            .status(200)
        } _: { server, transport in
            let request = try Self.request(server)
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await transport.send(request)
            }
            await #expect(throws: HTTPClientError.cancelled) { try await task.value }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("refuses calls above its limit")
    func overloaded() async throws {
        var limits = HTTPClientLimits()
        limits.calls = 2
        try await Self.with(limits: limits) { _ in
            .silence
        } _: { server, transport in
            let request = try Self.request(server)
            let tasks = [
                Task { try await transport.send(request) }, Task { try await transport.send(request) },
            ]
            await server.received(2)
            await #expect(throws: HTTPClientError.overloaded) { try await transport.send(request) }
            for task in tasks { task.cancel() }
        }
    }

    @Test("fails calls in flight and later ones after its shutdown")
    func shutsDown() async throws {
        try await Self.with { _ in
            .silence
        } _: { server, transport in
            let request = try Self.request(server)
            let task = Task { try await transport.send(request) }
            await server.received(1)
            await transport.shutDown()
            await #expect(throws: HTTPClientError.shutDown) { try await task.value }
            await #expect(throws: HTTPClientError.shutDown) { try await transport.send(request) }
        }
    }

    @Test("that is released stops its thread")
    func dropped() async throws {
        let server = try TestServer { _ in .status(200) }
        var transport: HTTPClient? = try HTTPClient(userAgent: "portico-test")
        let request = try Self.request(server)
        #expect(try await transport?.send(request).status == 200)
        transport = nil
        await server.clientWentAway()
        server.stop()
    }

    @Test(
        "sends a write once if a reused connection breaks, and a read again",
        arguments: [HTTPClientMethod.post, .get])
    func writesOnce(_ method: HTTPClientMethod) async throws {
        try await Self.with { request in
            request.number == 2 ? .disconnect : .status(200)
        } _: { server, transport in
            _ = try await transport.send(Self.request(server))
            let second = try Self.request(server, "/", method, body: method == .get ? nil : [1])
            let result = await Task { try await transport.send(second) }.result
            switch method {
            case .get:
                #expect(try result.get().status == 200)
                #expect(server.requests.count == 3)
            case .post, .put, .patch, .delete:
                #expect(throws: HTTPClientError.interrupted) { try result.get() }
                #expect(server.requests.map(\.method) == ["GET", "POST"])
            }
        }
    }

    @Test(
        "checks whether a request may still be sent when it has its connection, and sends nothing if not",
        arguments: [HTTPClientMethod.post, .get])
    func maySend(_ method: HTTPClientMethod) async throws {
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 1
        try await Self.with(limits: limits) { request in
            request.number == 1 ? .silence : .status(200)
        } _: { server, transport in
            let first = try Self.request(server)
            let hanging = Task { try await transport.send(first) }
            await server.received(1)
            let questions = Journal<Int>()
            var request = try Self.request(server, "/late", method, body: method == .get ? nil : [1])
            request.maySend = {
                questions.note(server.requests.count)
                return false
            }
            let refused = request
            let late = Task { try await transport.send(refused) }
            hanging.cancel()
            await #expect(throws: HTTPClientError.notSent) { try await late.value }
            #expect(questions.entries == [1])
            request.maySend = { true }
            #expect(try await transport.send(request).status == 200)
            #expect(server.requests.map(\.target) == ["/", "/late"])
        }
    }

    @Test("does not repeat a counted read when its reused connection breaks")
    func countedOnce() async throws {
        try await Self.with { request in
            request.number == 2 ? .disconnect : .status(200)
        } _: { server, transport in
            _ = try await transport.send(Self.request(server))
            var second = try Self.request(server)
            second.maySend = { true }
            await #expect(throws: HTTPClientError.interrupted) { try await transport.send(second) }
            #expect(server.requests.count == 2)
        }
    }

    @Test("limits the time in which the kernel delivers data: TCP_USER_TIMEOUT is 30 s")
    func userTimeout() async throws {
        try await Self.with { _ in
            .status(200)
        } _: { server, transport in
            _ = try await transport.send(Self.request(server))
            #expect(ClientSocket.userTimeouts(ofPeer: server.port) == [30_000])
        }
    }

    @Test("completes a thousand concurrent calls, some of them cancelled")
    func many() async throws {
        try await Self.with { request in
            .status(200, body: Array(request.target.utf8))
        } _: { server, transport in
            let port = server.port
            try await withThrowingTaskGroup { group in
                for number in 0..<1_000 {
                    let request = try Self.request(port: port, "/\(number)")
                    group.addTask {
                        let task = Task { try await transport.send(request) }
                        if number % 7 == 0 { task.cancel() }
                        do {
                            let body = try await task.value.body
                            return String(decoding: body, as: UTF8.self) == "/\(number)"
                        } catch {
                            return error as? HTTPClientError == .cancelled && number % 7 == 0
                        }
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}
