import GraphQL
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Web

@Suite("Limits")
struct LimitTests {
    @Test("of connections refuse those above them, and accept the next after one has closed")
    func connections() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        try await withServer(limits: limits) { server in
            let first = try server.client()
            try await first.send(RawRequest.get("/health/live"))
            #expect(try await first.response().status == 200)
            let second = try server.client()
            let refusal = try await second.response()
            #expect(refusal.status == 503)
            #expect(refusal.message == "Too many connections are open. Try again in a moment.")
            #expect(refusal["retry-after"] == "1")
            #expect(try await second.rest() == "")
            try await first.send(RawRequest.get("/health/live", fields: ["Connection: close"]))
            _ = try await first.rest()
            first.close()
            // The server detects the closed connection asynchronously, and may reject new ones until then.
            var status = 503
            try await waitUntil {
                let third = try server.client()
                // A rejected connection may be reset before the response is read.
                status = (try? await third.asking(RawRequest.get("/health/live")).status) ?? 503
                return status != 503
            }
            #expect(status == 200)
        }
    }

    @Test("of requests in flight refuse requests that would wait, and accept immediate responses")
    func requestsInFlight() async throws {
        var limits = ServerLimits()
        limits.requestsInFlight = 1
        limits.requestsQueued = 0
        let (service, started, gate) = TestService.gated()
        try await withServer(service, limits: limits) { server in
            let first = try server.client()
            try await first.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            let second = try server.client()
            try await second.send(RawRequest.post(RawRequest.query("{ slow }")))
            let refusal = try await second.response()
            #expect(refusal.status == 503)
            #expect(refusal.code == "OVERLOADED")
            #expect(refusal.message == "Too many requests are being processed. Try again in a moment.")
            #expect(refusal["retry-after"] == "1")
            try await second.send(RawRequest.post(RawRequest.query("{ hello }")))
            #expect(try await second.response().status == 200)
            gate.happen()
            #expect(try await first.response().status == 200)
            try await second.send(RawRequest.post(RawRequest.query("{ slow }")))
            #expect(try await second.response().status == 200)
        }
    }

    @Test("of the responses to a batch replace those that all of them together exceed by errors")
    func batchMemory() async throws {
        var limits = ServerLimits.patient
        limits.batch = 3
        try await withServer(limits: limits) { server in
            let requests = ["{ big }", "{ big }", "{ hello }"].map { RawRequest.query($0) }
            let response = try await server.ask(RawRequest.post("[\(requests.joined(separator: ","))]"))
            #expect(response.status == 200)
            let results = try #require(response.json?.elements)
            #expect(results.count == 3)
            #expect(results[0]["data"]?["big"]?.string?.utf8.count == 4 << 20)
            let error = results[1]["errors"]?[0]
            #expect(error?["extensions"]?["code"]?.string == "RESPONSE_TOO_LARGE")
            #expect(
                error?["message"]?.string
                    == "The response has more than 8388608 bytes, which is the limit. Select fewer fields, or request fewer items."
            )
            #expect(results[2]["data"]?["hello"]?.string == "world")
        }
    }

    @Test(
        "of requests in flight start no queued request whose token has ended in the meantime",
        arguments: [
            (#"{"query":"{ session }"}"#, #"{"data":{"session":"refused"}}"#),
            (#"[{"query":"{ session }"}]"#, #"[{"data":{"session":"refused"}}]"#),
        ])
    func endedInQueue(body: String, answer: String) async throws {
        var limits = ServerLimits.patient
        limits.requestsInFlight = 1
        limits.batch = 1
        limits.queueTimeout = .seconds(60)
        let (started, queued) = (Event<Void>(), Event<Void>())
        let (end, gate) = (Event<Void>(), Event<Void>())
        var service = TestService.make(later: {
            started.happen()
            await gate.wait()
        })
        service.isValid = { _ in !end.hasHappened }
        service.session = { [session = service.session] token in
            session(end.hasHappened && token != nil ? "ended" : token)
        }
        service.respond = { [respond = service.respond] request, context in
            let response = respond(request, context)
            guard case .ready(let atHand) = response else { return response }
            queued.happen()
            return .async { atHand }
        }
        try await withServer(service, limits: limits) { server in
            let (first, second) = (try server.client(), try server.client())
            try await first.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            try await second.send(RawRequest.post(body, fields: ["Authorization: Bearer good"]))
            await queued.wait()
            end.happen()
            gate.happen()
            #expect(try await second.response().body == answer)
        }
    }

    @Test("of requests in flight queue others in order")
    func queue() async throws {
        var limits = ServerLimits.patient
        limits.requestsInFlight = 1
        let (service, started, gate) = TestService.gated()
        try await withServer(service, limits: limits) { server in
            let first = try server.client()
            try await first.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            let gone = try server.client()
            let waiting = [try server.client(), try server.client()]
            for client in [gone] + waiting {
                try await client.send(RawRequest.post(RawRequest.query("{ slow }")))
            }
            // The next request in the queue gets its place.
            gone.close()
            gate.happen()
            for client in [first] + waiting { #expect(try await client.response().status == 200) }
        }
    }

    @Test("of time end the wait in the queue")
    func queueTimeout() async throws {
        var limits = ServerLimits.patient
        limits.requestsInFlight = 1
        limits.queueTimeout = .milliseconds(50)
        let (service, started, gate) = TestService.gated()
        try await withServer(service, limits: limits) { server in
            let first = try server.client()
            try await first.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            let second = try server.client()
            let refusal = try await second.asking(RawRequest.post(RawRequest.query("{ slow }")))
            #expect(refusal.status == 503)
            #expect(refusal["retry-after"] == "1")
            gate.happen()
            #expect(try await first.response().status == 200)
            #expect(try await second.asking(RawRequest.post(RawRequest.query("{ slow }"))).status == 200)
        }
    }

    @Test("of time end a connection whose request does not arrive", arguments: SlowClient.all)
    func slowClients(_ slow: SlowClient) async throws {
        var limits = ServerLimits()
        slow.limit(&limits)
        try await withServer(limits: limits) { server in
            let client = try server.client()
            if !slow.bytes.isEmpty { try await client.send(slow.bytes) }
            guard let message = slow.message else {
                #expect(try await client.rest() == "")
                return
            }
            let response = try await client.response()
            #expect(response.status == 408)
            #expect(response.code == "REQUEST_TIMEOUT")
            #expect(response.message == message)
            #expect(try await client.rest() == "")
        }
    }

    @Test("of time end a response that does not arrive, and cancel its work; the connection continues")
    func slowAnswer() async throws {
        var limits = ServerLimits()
        limits.responseTimeout = .milliseconds(50)
        let cancelled = Event<Void>()
        let service = TestService.make(later: { try await waitForCancellation(telling: cancelled) })
        try await withServer(service, limits: limits) { server in
            let client = try server.client()
            try await client.send(
                RawRequest.post(RawRequest.query("{ slow }")) + RawRequest.post(RawRequest.query("{ hello }"))
            )
            let response = try await client.response()
            #expect(response.status == 504)
            #expect(response.code == "TIMEOUT")
            #expect(response.message == "The response took longer than 0.05 seconds.")
            await cancelled.wait()
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
        }
    }

    // Without the limit, both would wait for the end of a drain that takes an hour.

    @Test("of time end a connection whose client does not read its response", .timeLimit(.minutes(10)))
    func slowReader() async throws {
        var limits = ServerLimits()
        limits.writeTimeout = .milliseconds(50)
        limits.drainTimeout = .hours(1)
        try await withServer(limits: limits) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            // More than the kernel buffers for both sides.
            try await client.send(String(repeating: RawRequest.post(RawRequest.query("{ big }")), count: 4))
            try await client.firstBytes()
            server.stop()
            try await server.running.value
        }
    }

    @Test("of time end a connection whose client reads a byte at a time", .timeLimit(.minutes(10)))
    func trickle() async throws {
        var limits = ServerLimits()
        limits.writeTimeout = .milliseconds(200)
        try await withServer(limits: limits) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try await client.send(String(repeating: RawRequest.post(RawRequest.query("{ big }")), count: 4))
            // Each byte comes from the client's own buffer of 64 KiB.
            try await waitUntil {
                _ = try await client.takeBytes(1)
                try await Task.sleep(for: .milliseconds(20))
                return server.server.state.load.connections.count == 0
            }
        }
    }

    @Test(
        "of time do not end a connection whose client reads steadily, also one that closes after the response",
        arguments: ["keep-alive", "close"])
    func steadyReader(_ connection: String) async throws {
        var limits = ServerLimits()
        // Long beside the pauses of the reader, so that a machine with much work does not end the connection.
        limits.writeTimeout = .seconds(5)
        let size = 20 << 20
        let route = ReadOnlyRoute { _ in
            var response = HTTPResponse(
                .ok, "text/plain", body: Array(repeating: UInt8(ascii: "a"), count: size))
            response.headers = [HTTPResponse.Header("cache-control", "no-store")]
            return response
        }
        try await withServer(limits: limits, routes: ["/large": route]) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 64 << 10)
            try await client.send(RawRequest.get("/large", fields: ["Connection: \(connection)"]))
            // 80 times 256 KiB in 80 times 120 ms.
            for _ in 0..<(size / (256 << 10)) {
                _ = try await client.takeBytes(256 << 10)
                try await Task.sleep(for: .milliseconds(120))
            }
        }
    }

    @Test(
        "of time end a connection whose client does not close it after the last response",
        .timeLimit(.minutes(10)))
    func lingering() async throws {
        var limits = ServerLimits()
        limits.lingerTimeout = .milliseconds(50)
        limits.drainTimeout = .hours(1)
        try await withServer(limits: limits) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/health/live", fields: ["Connection: close"]))
            _ = try await client.rest()
            server.stop()
            try await server.running.value
        }
    }
}

/// A client that stops in the middle of a request.
struct SlowClient: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    /// Nil if the connection is closed without a response.
    let message: String?
    let limit: @Sendable (inout ServerLimits) -> Void

    static let all = [
        SlowClient(testDescription: "nothing sent", bytes: "", message: nil) {
            $0.idleTimeout = .milliseconds(50)
        },
        SlowClient(
            testDescription: "half a head", bytes: "GET /health/live HTTP/1.1\r\nHost:",
            message: "The request's head took longer than 0.05 seconds to arrive."
        ) { $0.headTimeout = .milliseconds(50) },
        SlowClient(
            testDescription: "half a body",
            bytes: String(RawRequest.post(RawRequest.query("{ hello }")).dropLast(3)),
            message: "The request's body took longer than 0.05 seconds to arrive."
        ) { $0.bodyTimeout = .milliseconds(50) },
        SlowClient(
            testDescription: "half a body that is not wanted",
            bytes: String(RawRequest.post("{}", path: "/a").dropLast(1)),
            message: "The request's body took longer than 0.05 seconds to arrive."
        ) { $0.bodyTimeout = .milliseconds(50) },
    ]
}
