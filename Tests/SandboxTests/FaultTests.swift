import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Faults on demand")
struct FaultTests {
    /// The client's observation of a fault at the account endpoint.
    struct Case: Sendable, CustomTestStringConvertible {
        let effect: Fault.Effect
        let json: String
        let isSeen: @Sendable (Client.Reply) -> Bool
        var testDescription: String { json }

        static let all: [Case] = [
            Case(effect: .status(500), json: #"{"effect":"status","status":500}"#) { reply in
                reply.status == 500
                    && reply.body == #"{"code":50010000,"message":"internal server error occurred"}"#
            },
            Case(
                effect: .status(503, retryAfter: 7),
                json: #"{"effect":"status","status":503,"retry_after":7}"#
            ) { reply in
                reply.status == 503 && reply.headers["retry-after"] == "7"
                    && reply.headers["content-type"] == "text/html"
            },
            Case(
                effect: .status(429, retryAfter: 1),
                json: #"{"effect":"status","status":429,"retry_after":1}"#
            ) { reply in
                reply.status == 429 && reply.headers["retry-after"] == "1"
                    && reply.body == #"{"code":42910000,"message":"rate limit exceeded"}"#
            },
            Case(effect: .malformedBody, json: #"{"effect":"malformed_body"}"#) { reply in
                reply.status == 200 && reply.isWhole && (try? JSONValue(parsing: reply.body)) == nil
            },
            Case(effect: .duplicateKey, json: #"{"effect":"duplicate_key"}"#) { reply in
                reply.status == 200 && reply.isWhole && reply.body.contains(/{("\w+"):null,\1:/)
            },
            Case(effect: .truncatedBody, json: #"{"effect":"truncated_body"}"#) { reply in
                reply.status == 200 && !reply.isWhole && !reply.body.isEmpty
            },
            Case(effect: .lostResponse, json: #"{"effect":"lost_answer"}"#) { $0.status == 500 },
            Case(effect: .proxyResponse(400), json: #"{"effect":"proxy_response","status":400}"#) { reply in
                reply.status == 400 && reply.headers["content-type"] == "text/html"
                    && reply.body.hasPrefix("<html>")
            },
            Case(effect: .closedConnection, json: #"{"effect":"closed_connection"}"#) { $0.status == nil },
            Case(effect: .expiredToken, json: #"{"effect":"expired_token"}"#) { reply in
                reply.status == 401
                    && reply.body == #"{"code":40110000,"message":"request is not authorized"}"#
            },
        ]
    }

    @Test("a fault set in process strikes its endpoint once, and no other", arguments: Case.all)
    func inProcess(_ fault: Case) async throws {
        try await withSandbox { fixture in
            let script = Fault(fault.effect, provider: .alpaca, endpoint: "GET /v2/account", remaining: 1)
            #expect(fixture.sandbox.faults.add(script))
            #expect(try await fixture.trading("/v2/positions").status == 200)
            let struck = try await fixture.trading("/v2/account")
            #expect(fault.isSeen(struck), "\(struck)")
            let after = try await fixture.trading("/v2/account")
            #expect(after.status == 200 && after.isWhole)
            #expect(fixture.sandbox.faults.faults.isEmpty)
        }
    }

    @Test("a fault set over HTTP strikes until the script is reset", arguments: Case.all)
    func overHTTP(_ fault: Case) async throws {
        try await withSandbox { fixture in
            let added = try await fixture.client.post("/_sandbox/faults", fault.json)
            #expect(added.status == 201)
            #expect(added.body == fault.json)
            #expect(try await fixture.client.get("/_sandbox/faults").body == #"{"faults":[\#(fault.json)]}"#)
            for path in ["/v2/account", "/v2/account", "/v2/positions"] {
                let struck = try await fixture.trading(path)
                #expect(fault.isSeen(struck), "\(struck)")
            }
            #expect(try await fixture.client.post("/_sandbox/reset", "").status == 204)
            #expect(try await fixture.trading("/v2/account").status == 200)
        }
    }

    @Test("the last row of a list is unreadable, and the other rows are the true ones")
    func unreadableRow() async throws {
        try await withSandbox { fixture in
            func rows() async throws -> [JSONValue] {
                let reply = try await fixture.trading("/v2/assets")
                return try #require(try JSONValue(parsing: reply.body).elements)
            }
            let whole = try await rows()
            let fault = #"{"effect":"unreadable_row","endpoint":"GET /v2/assets"}"#
            #expect(try await fixture.client.post("/_sandbox/faults", fault).body == fault)
            let struck = try await rows()
            #expect(struck.dropLast() == whole.dropLast())
            let last = try #require(struck.last?.members)
            #expect(Set(last.keys) == Set(whole.last?.members?.keys.map { $0 } ?? []))
            #expect(last.values.allSatisfy { $0["unreadable"] == .bool(true) })
            // An object without a list stays as it is.
            #expect(fixture.sandbox.faults.add(Fault(.unreadableRow, endpoint: "GET /v2/clock")))
            #expect(try await fixture.trading("/v2/clock").body.contains("next_open"))
        }
    }

    @Test("a fault may strike every third call only")
    func everyThird() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.faults.add(Fault(.status(500), every: 3)))
            var seen: [Int?] = []
            for _ in 0..<6 { seen.append(try await fixture.trading("/v2/account").status) }
            #expect(seen == [200, 200, 500, 200, 200, 500])
        }
    }

    @Test("latency is waited for, and the answer is the true one")
    func latency() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.faults.add(Fault(.latency(.milliseconds(120)), remaining: 1)))
            let clock = ContinuousClock()
            let start = clock.now
            let reply = try await fixture.trading("/v2/account")
            #expect(reply.status == 200 && reply.isWhole)
            #expect(clock.now - start >= .milliseconds(120))
        }
    }

    @Test("latency ends when the script is reset, and the response is the true one")
    func endedLatency() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.faults.add(Fault(.latency(.seconds(3_600)))))
            async let reply = fixture.trading("/v2/account")
            try await waitUntil { fixture.sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
            fixture.sandbox.faults.reset()
            #expect(try await reply.status == 200)
        }
    }

    @Test("latency and another effect come together")
    func combined() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.faults.add(Fault(.latency(.milliseconds(1)))))
            #expect(fixture.sandbox.faults.add(Fault(.status(500))))
            let reply = try await fixture.trading("/v2/account")
            #expect(reply.status == 500)
        }
    }

    @Test("an answer that hangs comes never, others meanwhile do, and stopping ends it")
    func hang() async throws {
        let received = try await withSandbox { fixture -> Task<String, any Error> in
            #expect(fixture.sandbox.faults.add(Fault(.hang, endpoint: "GET /v2/account")))
            let client = fixture.client
            let hanging = Task {
                try await client.exchange(
                    "GET /alpaca/v2/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sandbox-demo-token\r\n\r\n"
                )
            }
            try await waitUntil { fixture.sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
            let other = try await fixture.trading("/v2/positions")
            #expect(other.status == 200)
            return hanging
        }
        #expect(try await received.value.isEmpty)
    }

    @Test("the market can be closed over HTTP, and opened again")
    func market() async throws {
        try await withSandbox { fixture in
            let path = "/v2/stocks/quotes/latest?symbols=BRK.B"
            let open = try await fixture.data(path).body
            let closed = #"{"hours":"closed","unpriced":["AAPL"]}"#
            #expect(try await fixture.client.post("/_sandbox/market", closed).body == closed)
            let quote = try JSONValue(parsing: await fixture.data(path).body)["quotes"]?["BRK.B"]
            #expect(quote?["bp"] == 0)
            let position = try JSONValue(parsing: await fixture.trading("/v2/positions/AAPL").body)
            #expect(position["current_price"] == .null)
            #expect(try await fixture.client.post("/_sandbox/reset", "").status == 204)
            #expect(try await fixture.data(path).body == open)
        }
    }

    @Test("the script is bounded")
    func bounded() async throws {
        try await withSandbox { fixture in
            for _ in 0..<FaultScript.maximumCount {
                #expect(fixture.sandbox.faults.add(Fault(.hang, endpoint: "none")))
            }
            #expect(!fixture.sandbox.faults.add(Fault(.hang, endpoint: "none")))
            let reply = try await fixture.client.post("/_sandbox/faults", #"{"effect":"hang"}"#)
            #expect(reply.status == 400)
            #expect(reply.body == #"{"error":"the script holds 256 faults; reset it first"}"#)
        }
    }
}
