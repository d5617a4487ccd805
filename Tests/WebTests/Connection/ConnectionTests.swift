import TestSupport
import Testing
import Web

@Suite("A connection")
struct ConnectionTests {
    @Test("responds to pipelined requests in order, whether responses are immediate or later")
    func pipelining() async throws {
        let gate = Event<Void>()
        try await withServer(TestService.make(later: { await gate.wait() })) { server in
            let client = try server.client()
            let documents = ["{ hello }", "{ slow }", "{ name }", "{ slow }", "{ session }"]
            try await client.send(documents.map { RawRequest.post(RawRequest.query($0)) }.joined())
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            gate.happen()
            for expected in ["slow\":\"done", "name\":\"none", "slow\":\"done", "session\":\"anonymous"] {
                #expect(try await client.response().body == #"{"data":{"\#(expected)"}}"#)
            }
        }
    }

    @Test("responds to any number of pipelined requests with immediate responses")
    func pipeliningAtHand() async throws {
        var limits = ServerLimits()
        limits.pipelinedRequests = 2
        try await withServer(limits: limits) { server in
            let client = try server.client()
            try await client.send(
                String(repeating: RawRequest.post(RawRequest.query("{ hello }")), count: 300))
            for _ in 0..<300 { #expect(try await client.response().status == 200) }
        }
    }

    @Test("refuses pipelined requests above the limit, after the responses to earlier ones")
    func pipeliningBeyondBound() async throws {
        var limits = ServerLimits()
        limits.pipelinedRequests = 2
        let gate = Event<Void>()
        try await withServer(TestService.make(later: { await gate.wait() }), limits: limits) { server in
            let client = try server.client()
            try await client.send(
                RawRequest.post(RawRequest.query("{ slow }"))
                    + String(repeating: RawRequest.post(RawRequest.query("{ hello }")), count: 4))
            gate.happen()
            #expect(try await client.response().body == #"{"data":{"slow":"done"}}"#)
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            let refusal = try await client.response()
            #expect(refusal.status == 503)
            #expect(
                refusal.message
                    == "More than 2 requests were sent without waiting for a response. Send fewer at a time.")
            #expect(try await client.rest() == "")
        }
    }

    @Test("reads requests that arrive byte by byte")
    func byteByByte() async throws {
        try await withServer { server in
            let client = try server.client()
            let chunked =
                "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n15\r\n\(RawRequest.query("{ hello }"))\r\n0\r\n\r\n"
            for text in [RawRequest.post(RawRequest.query("{ hello }")), chunked] {
                for byte in Array(text.utf8) { try await client.send([byte]) }
                #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            }
        }
    }

    @Test("responds to requests that arrived with the end of the client's side")
    func endOfInput() async throws {
        try await withServer { server in
            for count in [1, 20] {
                let client = try server.client()
                try await client.finish(
                    String(repeating: RawRequest.post(RawRequest.query("{ hello }")), count: count))
                for _ in 0..<count {
                    #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
                }
                #expect(try await client.rest() == "")
            }
        }
    }

    @Test(
        "responds to requests that arrived with the end of the client's side, and exceed the channel's buffer"
    )
    func endOfInputBehindMuch() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.finish(
                String(repeating: RawRequest.post(RawRequest.query("{ long }")), count: 8))
            for _ in 0..<8 { #expect(try await client.response().body.utf8.count > 50_000) }
            #expect(try await client.rest() == "")
        }
    }

    @Test("stays open after each of many requests")
    func keepAlive() async throws {
        try await withServer { server in
            let client = try server.client()
            for _ in 0..<100 {
                try await client.send(RawRequest.post(RawRequest.query("{ hello }")))
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(response["connection"] == nil)
            }
        }
    }

    @Test(
        "is closed at the client's request",
        arguments: [
            RawRequest.get("/health/live", fields: ["Connection: close"]),
            RawRequest.get("/health/live", fields: ["Connection: Keep-Alive, Close"]),
            RawRequest.get("/health/live", fields: ["Connection: Upgrade", "Upgrade: h2c"]),
            "GET /health/live HTTP/1.0\r\n\r\n",
        ])
    func close(_ request: String) async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(request)
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response["connection"] == "close")
            #expect(try await client.rest() == "")
        }
    }

    @Test("stays open for an HTTP/1.0 client that requests it")
    func keepAliveInHTTP10() async throws {
        try await withServer { server in
            let client = try server.client()
            for _ in 0..<2 {
                try await client.send("GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try await client.response()["connection"] == "keep-alive")
            }
        }
    }

    @Test("sends 100 Continue to a client that expects it")
    func expectContinue() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(
                "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 21\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try await client.response().status == 100)
            try await client.send(RawRequest.query("{ hello }"))
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
        }
    }

    @Test("sends 100 Continue after earlier responses only")
    func expectContinueInOrder() async throws {
        let gate = Event<Void>()
        try await withServer(TestService.make(later: { await gate.wait() })) { server in
            let client = try server.client()
            try await client.send(
                RawRequest.post(RawRequest.query("{ slow }"))
                    + "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 21\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            gate.happen()
            #expect(try await client.response().body == #"{"data":{"slow":"done"}}"#)
            #expect(try await client.response().status == 100)
            try await client.send(RawRequest.query("{ hello }"))
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
        }
    }

    @Test(
        "sends no 100 Continue to a request without the expectation, behind one whose body did not wait",
        arguments: ["HTTP/1.1\r\nHost: a", "HTTP/1.0"])
    func noContinue(_ version: String) async throws {
        let gate = Event<Void>()
        try await withServer(TestService.make(later: { await gate.wait() })) { server in
            let client = try server.client()
            let hello = RawRequest.query("{ hello }")
            // The last request is without the end of its body, so that it is arriving when the first response is written.
            try await client.send(
                RawRequest.post(RawRequest.query("{ slow }"))
                    + RawRequest.post(hello, fields: ["Expect: 100-continue"])
                    + "POST /graphql \(version)\r\nContent-Type: application/json\r\nContent-Length: 21\r\n\r\n"
                    + String(hello.dropLast()))
            gate.happen()
            #expect(try await client.response().body == #"{"data":{"slow":"done"}}"#)
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
            try await client.send(String(hello.suffix(1)))
            let last = try await client.response()
            #expect(last.status == 200)
            #expect(last.body == #"{"data":{"hello":"world"}}"#)
        }
    }

    @Test("cancels the work for a response if the client disconnects")
    func disconnect() async throws {
        let started = Event<Void>()
        let cancelled = Event<Void>()
        let service = TestService.make(later: {
            started.happen()
            try await waitForCancellation(telling: cancelled)
        })
        try await withServer(service) { server in
            let client = try server.client()
            try await client.send(RawRequest.post(RawRequest.query("{ slow }")))
            await started.wait()
            client.close()
            await cancelled.wait()
        }
    }

    @Test("delivers a response larger than the client's window, and the responses after it")
    func largeAnswer() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try await client.send(
                RawRequest.post(RawRequest.query("{ big }")) + RawRequest.post(RawRequest.query("{ big }"))
                    + RawRequest.post(RawRequest.query("{ hello }")))
            for _ in 0..<2 { #expect(try await client.response().body.utf8.count == (4 << 20) + 19) }
            #expect(try await client.response().body == #"{"data":{"hello":"world"}}"#)
        }
    }
}
