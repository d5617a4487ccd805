import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's stream of an account's orders")
struct FakeAlpacaTradingStreamTests {
    static let token = #"{"action":"authenticate","data":{"oauth_token":"sandbox-demo-token"}}"#
    static let keys =
        #"{"action":"auth","key":"PKSANDBOXDEMO0000001","secret":"sandbox-demo-secret"}"#
    static let listen = #"{"action":"listen","data":{"streams":["trade_updates"]}}"#
    static let authorized =
        #"{"stream":"authorization","data":{"status":"authorized","action":"authenticate"}}"#

    /// Reads a document from a binary frame, the form of paper accounts.
    private func message(_ stream: inout StreamClient) async throws -> JSONValue {
        guard case .binary(let bytes) = try await stream.next() else {
            Issue.record("a binary frame was expected")
            return .null
        }
        let document = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        let schema = try Golden.schema(of: "alpaca").definition("TradingStreamMessage")
        #expect(schema.violations(in: document) == [])
        return document
    }

    private func listening<Result: Sendable>(
        _ fixture: RunningSandbox, _ body: @escaping @Sendable (inout StreamClient) async throws -> Result
    ) async throws -> Result {
        try await StreamClient.open("/alpaca/stream", of: fixture.client) { stream in
            try await stream.send(Self.token)
            try await stream.expect(.binary(Array(Self.authorized.utf8)))
            try await stream.send(Self.listen)
            let response = try await message(&stream)
            #expect(response["data"]?["streams"] == .array(["trade_updates"]))
            return try await body(&stream)
        }
    }

    @Test("has a path that may end with a slash, as that of Alpaca's older library")
    func slash() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open("/alpaca/stream/", of: fixture.client) { stream in
                try await stream.send(Self.token)
                try await stream.expect(.binary(Array(Self.authorized.utf8)))
            }
        }
    }

    @Test("tells of an order from its beginning to its end, and of what is held afterwards")
    func orderEvents() async throws {
        try await withClock({ $0.alpaca.sharesPerSecond = 1 }) { fixture, clock in
            try await listening(fixture) { stream in
                let placed = try await fixture.place(FakeAlpacaOrdersTests.market)
                let new = try await message(&stream)
                #expect(new["stream"] == "trade_updates" && new["data"]?["event"] == "new")
                #expect(new["data"]?["order"] == placed)
                clock.advance(by: .seconds(1))
                let events = [try await message(&stream), try await message(&stream)].map { $0["data"] }
                #expect(events.map { $0?["event"] } == ["partial_fill", "fill"])
                #expect(events.map { $0?["qty"] } == ["1", "1"])
                #expect(events.map { $0?["position_qty"] } == ["53.25", "54.25"])
                let id = try #require(placed["id"]?.string)
                let order = try await fixture.document("Order", "/v2/orders/\(id)")
                #expect(events[1]?["order"] == order && order["status"] == "filled")
            }
        }
    }

    @Test("tells of orders that are replaced and cancelled, whoever asks for it")
    func ended() async throws {
        try await withSandbox { fixture in
            try await listening(fixture) { stream in
                let old = try await fixture.place(FakeAlpacaOrdersTests.resting())
                #expect(try await message(&stream)["data"]?["event"] == "new")
                let reply = try await fixture.write(
                    "PATCH", "/v2/orders/\(old["id"]?.string ?? "")", #"{"qty":"1"}"#)
                let new = try RunningSandbox.valid(reply, "Order")
                let received = [try await message(&stream), try await message(&stream)].map { $0["data"] }
                #expect(received.map { $0?["event"] } == ["replaced", "new"])
                #expect(received.map { $0?["order"]?["id"] } == [old["id"], new["id"]])
                _ = try await fixture.write("DELETE", "/v2/orders/\(new["id"]?.string ?? "")")
                let last = try await message(&stream)
                #expect(last["data"]?["event"] == "canceled")
                #expect(last["data"]?["order"]?["status"] == "canceled")
            }
        }
    }

    @Test("tells nobody of another's orders, and nothing to who has stopped to listen")
    func others() async throws {
        try await withSandbox { fixture in
            try await listening(fixture) { stream in
                let reply = try await fixture.write(
                    "POST", "/v2/orders", FakeAlpacaOrdersTests.resting(), RunningSandbox.second)
                #expect(reply.status == 200)
                let own = try await fixture.place(FakeAlpacaOrdersTests.resting())
                #expect(try await message(&stream)["data"]?["order"]?["id"] == own["id"])
                try await stream.send(#"{"action":"listen","data":{"streams":[]}}"#)
                #expect(try await message(&stream)["data"]?["streams"] == .array([]))
                _ = try await fixture.place(FakeAlpacaOrdersTests.resting())
                try await stream.send(Self.listen)
                #expect(try await message(&stream)["stream"] == "listening")
            }
        }
    }

    @Test("a live account's messages are text, and older clients are understood")
    func live() async throws {
        try await withSandbox({
            $0.alpaca.environment = .live
            $0.users[0] = SandboxUser(
                name: "demo", ledger: SandboxUser.demo.ledger,
                alpaca: .init(
                    keyID: "PKSANDBOXDEMO0000001", secretKey: "sandbox-demo-secret", token: "t",
                    environment: .live))
        }) { fixture in
            try await StreamClient.open("/alpaca/stream", of: fixture.client) { stream in
                try await stream.send(Self.keys)
                try await stream.expect(.text(Self.authorized))
            }
        }
    }

    @Test(
        "who is not known is told so, and may try again",
        arguments: [
            (#"{"action":"authenticate","data":{"oauth_token":"guess"}}"#, "authenticate"),
            (
                #"{"action":"authenticate","data":{"key_id":"PKSANDBOXDEMO0000001","secret_key":"guess"}}"#,
                "authenticate"
            ),
            (listen, "listen"), ("{", "listen"),
        ])
    func unauthorized(attempt: String, action: String) async throws {
        try await withSandbox { fixture in
            try await StreamClient.open("/alpaca/stream", of: fixture.client) { stream in
                try await stream.send(attempt)
                let response = try await message(&stream)
                #expect(response["data"]?["status"] == "unauthorized")
                #expect(response["data"]?["action"]?.string == action)
                try await stream.send(Self.token)
                try await stream.expect(.binary(Array(Self.authorized.utf8)))
            }
        }
    }

    @Test("is cut when the network goes away")
    func cut() async throws {
        try await withSandbox { fixture in
            try await listening(fixture) { stream in
                #expect(fixture.sandbox.streams.disconnect(.alpaca, "GET /stream") == 1)
                try await stream.expect(.end)
            }
        }
    }
}
