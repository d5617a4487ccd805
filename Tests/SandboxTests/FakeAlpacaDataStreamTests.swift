import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's data stream")
struct FakeAlpacaDataStreamTests {
    static let auth = #"{"action":"auth","key":"PKSANDBOXDEMO0000001","secret":"sandbox-demo-secret"}"#
    static let keys = [
        "APCA-API-KEY-ID": "PKSANDBOXDEMO0000001", "APCA-API-SECRET-KEY": "sandbox-demo-secret",
    ]
    static let connected = #"[{"T":"success","msg":"connected"}]"#
    static let authenticated = #"[{"T":"success","msg":"authenticated"}]"#

    static func error(_ code: Int, _ message: String) -> StreamClient.Frame {
        .text(#"[{"T":"error","code":\#(code),"msg":"\#(message)"}]"#)
    }

    /// Opens an authenticated stream.
    private func stream<Result: Sendable>(
        _ fixture: RunningSandbox, _ body: @escaping @Sendable (inout StreamClient) async throws -> Result
    ) async throws -> Result {
        try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
            try await stream.expect(.text(Self.connected))
            try await stream.send(Self.auth)
            try await stream.expect(.text(Self.authenticated))
            return try await body(&stream)
        }
    }

    private func messages(_ stream: inout StreamClient) async throws -> [JSONValue] {
        guard case .text(let text) = try await stream.next() else {
            Issue.record("a text frame was expected")
            return []
        }
        let document = try JSONValue(parsing: text)
        #expect(
            try Golden.schema(of: "alpaca").definition("DataStreamMessage").violations(in: document) == [])
        return document.elements ?? []
    }

    @Test("sends trades, quotes and bars of what is listened to, as the clock goes on")
    func ticks() async throws {
        try await withClock(at: "2026-11-19T17:34:57Z") { fixture, clock in
            try await stream(fixture) { stream in
                try await stream.send(
                    #"{"action":"subscribe","trades":["AAPL"],"quotes":["MSFT","NOSUCH"],"bars":["*"]}"#)
                let confirmed = try await messages(&stream)
                #expect(confirmed.first?["trades"] == .array(["AAPL"]))
                #expect(confirmed.first?["quotes"] == .array(["MSFT", "NOSUCH"]))
                #expect(confirmed.first?["bars"] == .array(["*"]))
                #expect(confirmed.first?["corrections"] == .array(["AAPL"]))
                clock.advance(by: .seconds(1))
                let first = try await messages(&stream)
                #expect(first.map { $0["T"] } == ["t", "q"])
                #expect(first.map { $0["S"] } == ["AAPL", "MSFT"])
                let latest = try JSONValue(
                    parsing: await fixture.data("/v2/stocks/trades/latest?symbols=AAPL").body)
                #expect(first[0]["p"] == latest["trades"]?["AAPL"]?["p"])
                #expect(first[0]["t"] == latest["trades"]?["AAPL"]?["t"])
                clock.advance(by: .seconds(2))
                _ = try await messages(&stream)
                let minute = try await messages(&stream)
                let bars = minute.filter { $0["T"] == "b" }
                #expect(bars.count > 40 && bars.allSatisfy { $0["t"] == "2026-11-19T17:34:00Z" })
                try await stream.send(#"{"action":"unsubscribe","trades":["AAPL"],"bars":["*"]}"#)
                let received = try await messages(&stream)
                #expect(received.first?["trades"] == .array([]))
                clock.advance(by: .seconds(1))
                let last = try await messages(&stream)
                #expect(last.map { $0["T"] } == ["q"])
            }
        }
    }

    @Test("by a switch an odd lot follows each trade, whose condition says so")
    func oddLots() async throws {
        try await withClock(at: "2026-11-19T17:34:55Z", { $0.alpaca.streamsOddLots = true }) {
            fixture, clock in
            try await stream(fixture) { stream in
                try await stream.send(#"{"action":"subscribe","trades":["AAPL","KO"]}"#)
                _ = try await messages(&stream)
                clock.advance(by: .seconds(1))
                let trades = try await messages(&stream)
                #expect(trades.map { $0["S"] } == ["AAPL", "KO", "AAPL", "KO"])
                let conditions: [[JSONValue]] = [["@"], [" "], ["@", "I"], [" ", "I"]]
                #expect(trades.map { $0["c"]?.elements ?? [] } == conditions)
                #expect(trades.map { $0["z"] } == ["C", "A", "C", "A"])
            }
        }
    }

    @Test(
        "a malformed symbol, as that of a pair of currencies, keeps the subscription as it was",
        arguments: ["BTC/USD", "BAD"])
    func malformedSymbol(symbol: String) async throws {
        try await withSandbox({ $0.alpaca.malformedOnStream = ["BAD"] }) { fixture in
            try await stream(fixture) { stream in
                try await stream.send(#"{"action":"subscribe","trades":["AAPL","\#(symbol)"]}"#)
                try await stream.expect(Self.error(400, "invalid syntax"))
                try await stream.send(#"{"action":"subscribe","trades":["KO"]}"#)
                let confirmed = try await messages(&stream)
                #expect(confirmed.first?["trades"] == .array(["KO"]))
            }
        }
    }

    @Test("the overnight feeds have another address, and no other feed has it")
    func night() async throws {
        try await withSandbox { fixture in
            for feed in ["boats", "overnight"] {
                try await StreamClient.open("/alpaca-stream/v1beta1/\(feed)", of: fixture.client) { stream in
                    try await stream.expect(.text(Self.connected))
                }
            }
            for path in ["v2/boats", "v2/overnight", "v1beta1/iex"] {
                await #expect {
                    try await StreamClient.open("/alpaca-stream/\(path)", of: fixture.client) { _ in }
                } throws: {
                    ($0 as? StreamClient.Rejected)?.status == 404
                }
            }
        }
    }

    /// A text of at most 31 bytes in MessagePack.
    private static func packed(_ text: String) -> [UInt8] { [0xa0 | UInt8(text.utf8.count)] + text.utf8 }

    private static func bigEndian(_ bits: UInt64, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    private static func success(_ message: String) -> StreamClient.Frame {
        .binary([0x91, 0x82] + ["T", "success", "msg", message].flatMap(packed))
    }

    @Test("speaks MessagePack with a client whose handshake has this content type")
    func messagePack() async throws {
        let clock = ManualClock(try instant("2026-11-19T17:34:57Z"))
        let headers = ["Content-Type": "application/msgpack"]
        try await withSandbox({ $0.clock = clock.clock }) { fixture in
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client, headers) { stream in
                try await stream.expect(Self.success("connected"))
                try await stream.send(opcode: 2, [0xc1])
                let invalid =
                    ["T", "error", "code"].flatMap(Self.packed) + [0xd3, 0, 0, 0, 0, 0, 0, 1, 0x90]
                try await stream.expect(
                    .binary([0x91, 0x83] + invalid + ["msg", "invalid syntax"].flatMap(Self.packed)))
                let credential = [
                    "action", "auth", "key", "PKSANDBOXDEMO0000001", "secret", "sandbox-demo-secret",
                ]
                try await stream.send(opcode: 2, [0x83] + credential.flatMap(Self.packed))
                try await stream.expect(Self.success("authenticated"))
                let subscription = ["action", "subscribe", "trades"].flatMap(Self.packed)
                try await stream.send(opcode: 2, [0x82] + subscription + [0xdc, 0, 1] + Self.packed("AAPL"))
                guard case .binary(let confirmed) = try await stream.next() else {
                    Issue.record("a binary frame was expected")
                    return
                }
                #expect(
                    confirmed.starts(
                        with: [0x91, 0x8a] + ["T", "subscription", "trades"].flatMap(Self.packed)))
                clock.advance(by: .seconds(1))
                guard case .binary(let trade) = try await stream.next() else {
                    Issue.record("a binary frame was expected")
                    return
                }
                let latest = try JSONValue(
                    parsing: await fixture.data("/v2/stocks/trades/latest?symbols=AAPL").body)
                let time = try instant(#require(latest["trades"]?["AAPL"]?["t"]?.string))
                // The extension -1 has 12 bytes: nanoseconds, and seconds since 1970.
                let written =
                    Self.packed("t") + [0xc7, 12, 0xff]
                    + Self.bigEndian(UInt64(time.nanoseconds), count: 4)
                    + Self.bigEndian(UInt64(time.secondsSince1970), count: 8)
                #expect(trade.starts(with: [0x91]) && trade.contains(written))
                let price = try #require(latest["trades"]?["AAPL"]?["p"]?.digits.flatMap { Double($0) })
                #expect(
                    trade.contains(Self.packed("p") + [0xcb] + Self.bigEndian(price.bitPattern, count: 8)))
            }
        }
    }

    @Test("lets a client in by the headers of its handshake")
    func headers() async throws {
        try await withSandbox({ $0.alpaca.plans["demo"] = .unlimited }) { fixture in
            try await StreamClient.open("/alpaca-stream/v2/sip", of: fixture.client, Self.keys) { stream in
                try await stream.expect(.text(Self.connected))
                try await stream.expect(.text(Self.authenticated))
            }
        }
    }

    @Test("has the feed of all exchanges, and more than 30 symbols, for the paid plan only")
    func plan() async throws {
        let names = (0..<31).map { #""X\#($0)""# }.joined(separator: ",")
        let subscription = #"{"action":"subscribe","trades":[\#(names)]}"#
        try await withSandbox { fixture in
            try await StreamClient.open("/alpaca-stream/v2/sip", of: fixture.client, Self.keys) { stream in
                try await stream.expect(.text(Self.connected))
                try await stream.expect(
                    .text(#"[{"T":"error","code":409,"msg":"insufficient subscription"}]"#))
            }
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client, Self.keys) { stream in
                try await stream.expect(.text(Self.connected))
                try await stream.expect(.text(Self.authenticated))
                try await stream.send(subscription)
                try await stream.expect(.text(#"[{"T":"error","code":405,"msg":"symbol limit exceeded"}]"#))
            }
        }
        try await withSandbox({ $0.alpaca.plans["demo"] = .unlimited }) { fixture in
            try await StreamClient.open("/alpaca-stream/v2/sip", of: fixture.client, Self.keys) { stream in
                try await stream.expect(.text(Self.connected))
                try await stream.expect(.text(Self.authenticated))
                try await stream.send(subscription)
                let confirmation = try await stream.next()
                #expect("\(confirmation)".contains("subscription"))
            }
        }
    }

    @Test("refuses what is out of order, with its code")
    func disorder() async throws {
        try await withSandbox { fixture in
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                _ = try await stream.next()
                try await stream.send("{")
                try await stream.expect(Self.error(400, "invalid syntax"))
                try await stream.send(#"{"action":"subscribe","trades":["AAPL"]}"#)
                try await stream.expect(Self.error(401, "not authenticated"))
                try await stream.send(Self.auth)
                try await stream.expect(.text(Self.authenticated))
                try await stream.send(Self.auth)
                try await stream.expect(Self.error(403, "already authenticated"))
                try await stream.send(#"{"action":"dance"}"#)
                try await stream.expect(Self.error(400, "invalid syntax"))
                try await stream.send(opcode: 9, [1, 2])
                try await stream.expect(.pong)
                try await stream.send(opcode: 8)
                try await stream.expect(.close(code: 1000))
                try await stream.expect(.end)
            }
        }
    }

    @Test(
        "wrong credentials end the stream",
        arguments: [
            #"{"action":"auth","key":"PKSANDBOXDEMO0000001","secret":"guess"}"#,
            #"{"action":"auth","key":"oauth","secret":"sandbox-demo-token"}"#, #"{"action":"auth"}"#,
        ])
    func wrong(message: String) async throws {
        try await withSandbox { fixture in
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                _ = try await stream.next()
                try await stream.send(message)
                try await stream.expect(Self.error(402, "auth failed"))
                try await stream.expect(.close(code: 1008))
            }
        }
    }

    @Test("who says nothing for ten seconds is shown the door")
    func silence() async throws {
        try await withClock { fixture, clock in
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                _ = try await stream.next()
                // The deadline starts shortly after the first message. It is set by then, or will be set to
                // ten seconds after the unchanged time.
                try await stream.send("{")
                _ = try await stream.next()
                clock.advance(by: .seconds(10))
                try await stream.expect(Self.error(404, "auth timeout"))
                try await stream.expect(.close(code: 1008))
            }
        }
    }

    @Test("a user has one stream, and the next when it is closed")
    func seats() async throws {
        try await withSandbox { fixture in
            try await stream(fixture) { _ in
                try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client, Self.keys) {
                    stream in
                    try await stream.expect(.text(Self.connected))
                    try await stream.expect(Self.error(406, "connection limit exceeded"))
                    try await stream.expect(.close(code: 1008))
                }
            }
        }
    }

    @Test("a plan's limit of symbols keeps the subscription as it was")
    func symbolLimit() async throws {
        try await withSandbox({ $0.alpaca.streamedSymbolLimit = 2 }) { fixture in
            try await stream(fixture) { stream in
                try await stream.send(#"{"action":"subscribe","trades":["AAPL"],"quotes":["AAPL"]}"#)
                _ = try await messages(&stream)
                try await stream.send(#"{"action":"subscribe","trades":["MSFT"]}"#)
                try await stream.expect(Self.error(405, "symbol limit exceeded"))
            }
        }
    }

    @Test("an unknown feed, and a request that is no handshake, are answered over HTTP")
    func notAStream() async throws {
        try await withSandbox { fixture in
            let plain = try await fixture.client.get("/alpaca-stream/v2/iex")
            #expect(plain.status == 426)
            await #expect {
                try await StreamClient.open("/alpaca-stream/v2/nothing", of: fixture.client) { _ in }
            } throws: {
                ($0 as? StreamClient.Rejected)?.status == 404
            }
            #expect(fixture.sandbox.calls[.alpaca, "GET /v2/{feed}"] == 2)
        }
    }

    @Test("faults strike the handshake, and cut the stream after its first message")
    func handshakeFaults() async throws {
        try await withSandbox { fixture in
            let faults = fixture.sandbox.faults
            #expect(
                faults.add(
                    Fault(.status(503), provider: .alpaca, endpoint: "GET /v2/{feed}", remaining: 1)))
            await #expect {
                try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { _ in }
            } throws: {
                ($0 as? StreamClient.Rejected)?.status == 503
            }
            let set = try await fixture.client.post(
                "/_sandbox/faults",
                #"{"effect":"disconnect","provider":"alpaca","endpoint":"GET /v2/{feed}","remaining":1}"#)
            #expect(set.status == 201)
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                try await stream.expect(.text(Self.connected))
                try await stream.expect(.end)
            }
            try await stream(fixture) { _ in }
        }
    }

    @Test("faults strike single messages too")
    func messageFaults() async throws {
        try await withSandbox { fixture in
            let endpoint = "GET /v2/{feed} message"
            #expect(fixture.sandbox.faults.add(Fault(.malformedBody, endpoint: endpoint, remaining: 1)))
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                guard case .text(let text) = try await stream.next() else {
                    Issue.record("a text frame was expected")
                    return
                }
                #expect(text.hasPrefix("[{") && text.hasSuffix(",}"))
                #expect(
                    fixture.sandbox.faults.add(Fault(.closedConnection, endpoint: endpoint, remaining: 1)))
                try await stream.send(Self.auth)
                try await stream.expect(.end)
            }
        }
    }

    @Test("open streams are counted, and cut on demand, from the control desk too")
    func cut() async throws {
        try await withSandbox { fixture in
            try await stream(fixture) { stream in
                #expect(fixture.sandbox.streams[.alpaca, "GET /v2/{feed}"] == 1)
                let other = try await fixture.client.post("/_sandbox/disconnect", #"{"provider":"saxo"}"#)
                #expect(other.body == #"{"streams":0}"#)
                let cut = try await fixture.client.post(
                    "/_sandbox/disconnect", #"{"provider":"alpaca","endpoint":"GET /v2/{feed}"}"#)
                #expect(cut.body == #"{"streams":1}"#)
                try await stream.expect(.end)
            }
        }
    }

    @Test("a sandbox that stops closes its streams")
    func stop() async throws {
        try await withSandbox { fixture in
            try await stream(fixture) { stream in
                async let stopped: Void = fixture.sandbox.stop()
                try await stream.expect(.close(code: 1001))
                await stopped
            }
        }
    }
}
