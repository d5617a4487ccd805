import Brokerage
import Sandbox
import TestSupport
import Testing

/// Every effect at the stream of every provider with streams, scripted over HTTP.
@Suite("Every fault at every stream", .timeLimit(.minutes(20)))
struct StreamFaultTests {
    /// A stream, and an action that makes the sandbox send a first message on it.
    struct Probe: Sendable, CustomTestStringConvertible {
        let provider: String
        let endpoint: String
        let path: String
        var headers: [String: String] = [:]
        var before: @Sendable (RunningSandbox) async throws -> Void = { _ in }
        var greeting: String?
        /// Returns true for a complete message.
        let isWhole: @Sendable (StreamClient.Frame) -> Bool
        var testDescription: String { "\(provider) \(endpoint)" }

        private static let reset =
            #"[{"ReferenceId":"_resetsubscriptions","TargetReferenceIds":[]}]"#

        static let all: [Probe] = [
            Probe(
                provider: "alpaca", endpoint: "GET /v2/{feed}", path: "/alpaca-stream/v2/iex",
                isWhole: { $0 == .text(FakeAlpacaDataStreamTests.connected) }),
            Probe(
                provider: "alpaca", endpoint: "GET /stream", path: "/alpaca/stream",
                greeting: FakeAlpacaTradeStreamTests.token,
                isWhole: { $0 == .binary(Array(FakeAlpacaTradeStreamTests.authorized.utf8)) }),
            Probe(
                provider: "saxo", endpoint: "GET /connect", path: SaxoStreamTests.path,
                headers: SaxoStreamTests.headers,
                before: { house in
                    _ = try await house.saxo(
                        "POST", "/trade/v1/prices/subscriptions",
                        #"{"Arguments":{"Uic":21,"AssetType":"FxSpot"},"ContextId":"ctx-1","ReferenceId":"r"}"#
                    )
                    house.sandbox.saxoStreams.demandReset()
                },
                isWhole: { frame in
                    guard case .binary(let bytes) = frame else { return false }
                    return bytes.suffix(reset.utf8.count).elementsEqual(reset.utf8)
                }),
        ]

        /// Opens the stream, and reads the first frame and the next one.
        func frames(_ house: RunningSandbox) async throws -> [StreamClient.Frame] {
            try await before(house)
            return try await StreamClient.open(path, of: house.client, headers) { stream in
                if let greeting { try await stream.send(greeting) }
                return [try await stream.next(), try await stream.next()]
            }
        }
    }

    private func script(_ house: RunningSandbox, _ probe: Probe, _ effect: String, _ rest: String)
        async throws
    {
        let script =
            #"{\#(effect),"provider":"\#(probe.provider)","endpoint":"\#(probe.endpoint)\#(rest)","remaining":1}"#
        let added = try await house.client.post("/_sandbox/faults", script)
        #expect(added.status == 201, "\(added.body)")
    }

    @Test(
        "a handshake is refused, or not answered", arguments: Probe.all,
        [
            (#""effect":"status","status":503"#, 503), (#""effect":"status","status":429"#, 429),
            (#""effect":"expired_token""#, 401), (#""effect":"closed_connection""#, nil),
        ] as [(String, Int?)])
    func handshake(_ probe: Probe, _ fault: (effect: String, status: Int?)) async throws {
        try await withSandbox { house in
            try await script(house, probe, fault.effect, "")
            let error = await #expect(throws: StreamClient.Refused.self) {
                _ = try await StreamClient.open(probe.path, of: house.client, probe.headers) { _ in }
            }
            #expect(error?.status == fault.status)
        }
    }

    @Test("a stream is cut after its first message", arguments: Probe.all)
    func cut(_ probe: Probe) async throws {
        try await withSandbox { house in
            try await script(house, probe, #""effect":"disconnect""#, "")
            let frames = try await probe.frames(house)
            #expect(probe.isWhole(frames[0]), "\(frames[0])")
            #expect(frames[1] == .end)
        }
    }

    @Test(
        "a message is lost with its stream", arguments: Probe.all,
        [
            (#""effect":"closed_connection""#, StreamClient.Frame.end),
            (#""effect":"disconnect""#, .end),
            (#""effect":"status","status":500"#, .close(code: 1011)),
            (#""effect":"expired_token""#, .close(code: 1011)),
        ])
    func lost(_ probe: Probe, _ fault: (effect: String, frame: StreamClient.Frame)) async throws {
        try await withSandbox { house in
            try await script(house, probe, fault.effect, " message")
            let frames = try await probe.frames(house)
            #expect(frames[0] == fault.frame)
        }
    }

    @Test("a message is broken, of the type that it should be", arguments: Probe.all)
    func broken(_ probe: Probe) async throws {
        try await withSandbox { house in
            try await script(house, probe, #""effect":"malformed_body""#, " message")
            try await probe.before(house)
            let frame = try await StreamClient.open(probe.path, of: house.client, probe.headers) { stream in
                if let greeting = probe.greeting { try await stream.send(greeting) }
                return try await stream.next()
            }
            switch frame {
            case .text(let text): #expect((try? JSONValue(parsing: text)) == nil && !text.isEmpty)
            case .binary(let bytes): #expect(!bytes.isEmpty && !probe.isWhole(frame))
            case .ping, .pong, .close, .end: Issue.record("a message was expected, not \(frame)")
            }
        }
    }

    @Test("a stream that hangs stays open and silent until it is cut", arguments: Probe.all)
    func hangs(_ probe: Probe) async throws {
        try await withSandbox { house in
            try await script(house, probe, #""effect":"hang""#, " message")
            try await probe.before(house)
            let frame = try await StreamClient.open(probe.path, of: house.client, probe.headers) { stream in
                if let greeting = probe.greeting { try await stream.send(greeting) }
                // The script is empty once the fault has applied to the message.
                try await waitUntil { house.sandbox.faults.faults.isEmpty }
                let reply = try await house.client.post(
                    "/_sandbox/disconnect", #"{"provider":"\#(probe.provider)"}"#)
                #expect(reply.body == #"{"streams":1}"#)
                return try await stream.next()
            }
            #expect(frame == .end)
        }
    }
}
