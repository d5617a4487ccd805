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
        var firstMessage: String?
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
                firstMessage: FakeAlpacaTradingStreamTests.token,
                isWhole: { $0 == .binary(Array(FakeAlpacaTradingStreamTests.authorized.utf8)) }),
            Probe(
                provider: "saxo", endpoint: "GET /connect", path: SaxoStreamTests.path,
                headers: SaxoStreamTests.headers,
                before: { fixture in
                    _ = try await fixture.saxo(
                        "POST", "/trade/v1/prices/subscriptions",
                        #"{"Arguments":{"Uic":21,"AssetType":"FxSpot"},"ContextId":"ctx-1","ReferenceId":"r"}"#
                    )
                    fixture.sandbox.saxoStreams.demandReset()
                },
                isWhole: { frame in
                    guard case .binary(let bytes) = frame else { return false }
                    return bytes.suffix(reset.utf8.count).elementsEqual(reset.utf8)
                }),
        ]

        /// Opens the stream, and reads the first frame and the next one.
        func frames(_ fixture: RunningSandbox) async throws -> [StreamClient.Frame] {
            try await before(fixture)
            return try await StreamClient.open(path, of: fixture.client, headers) { stream in
                if let firstMessage { try await stream.send(firstMessage) }
                return [try await stream.next(), try await stream.next()]
            }
        }
    }

    private func script(_ fixture: RunningSandbox, _ probe: Probe, _ effect: String, _ rest: String)
        async throws
    {
        let script =
            #"{\#(effect),"provider":"\#(probe.provider)","endpoint":"\#(probe.endpoint)\#(rest)","remaining":1}"#
        let added = try await fixture.client.post("/_sandbox/faults", script)
        #expect(added.status == 201, "\(added.body)")
    }

    @Test(
        "a handshake is refused, or not answered", arguments: Probe.all,
        [
            (#""effect":"status","status":503"#, 503), (#""effect":"status","status":429"#, 429),
            (#""effect":"expired_token""#, 401), (#""effect":"closed_connection""#, nil),
        ] as [(String, Int?)])
    func handshake(_ probe: Probe, _ fault: (effect: String, status: Int?)) async throws {
        try await withSandbox { fixture in
            try await script(fixture, probe, fault.effect, "")
            let error = await #expect(throws: StreamClient.Rejected.self) {
                _ = try await StreamClient.open(probe.path, of: fixture.client, probe.headers) { _ in }
            }
            #expect(error?.status == fault.status)
        }
    }

    @Test("a stream is cut after its first message", arguments: Probe.all)
    func cut(_ probe: Probe) async throws {
        try await withSandbox { fixture in
            try await script(fixture, probe, #""effect":"disconnect""#, "")
            let frames = try await probe.frames(fixture)
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
        try await withSandbox { fixture in
            try await script(fixture, probe, fault.effect, " message")
            let frames = try await probe.frames(fixture)
            #expect(frames[0] == fault.frame)
        }
    }

    @Test("a message is broken, of the type that it should be", arguments: Probe.all)
    func broken(_ probe: Probe) async throws {
        try await withSandbox { fixture in
            try await script(fixture, probe, #""effect":"malformed_body""#, " message")
            try await probe.before(fixture)
            let frame = try await StreamClient.open(probe.path, of: fixture.client, probe.headers) { stream in
                if let firstMessage = probe.firstMessage { try await stream.send(firstMessage) }
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
        try await withSandbox { fixture in
            try await script(fixture, probe, #""effect":"hang""#, " message")
            try await probe.before(fixture)
            let frame = try await StreamClient.open(probe.path, of: fixture.client, probe.headers) { stream in
                if let firstMessage = probe.firstMessage { try await stream.send(firstMessage) }
                // The script is empty once the fault has applied to the message.
                try await waitUntil { fixture.sandbox.faults.faults.isEmpty }
                let reply = try await fixture.client.post(
                    "/_sandbox/disconnect", #"{"provider":"\#(probe.provider)"}"#)
                #expect(reply.body == #"{"streams":1}"#)
                return try await stream.next()
            }
            #expect(frame == .end)
        }
    }
}
