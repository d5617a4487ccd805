import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Every endpoint of every stand-in answers in its provider's shape")
struct ExpectedResponseTests {
    private func everything<Result>(
        at moment: String = Moment.midday, _ body: (RunningSandbox) async throws -> Result
    ) async throws -> Result {
        try await withSandbox(
            at: moment,
            {
                $0.saxo.servesOldEndpoints = true
                $0.saxo.ordersPerSecond = nil
            }, body)
    }

    @Test(
        "and is the endpoint that it is counted as, whether the market is open or not",
        arguments: ExpectedResponse.all, [Moment.midday, Moment.weekend])
    func valid(_ expected: ExpectedResponse, moment: String) async throws {
        try await everything(at: moment) { fixture in
            let reply = try await expected.send(fixture)
            try expected.expectValid(reply)
            #expect(fixture.sandbox.calls[expected.provider, expected.endpoint] > 0)
        }
    }

    @Test("the table knows every endpoint: add yours", arguments: ProviderID.allCases)
    func complete(provider: ProviderID) async throws {
        let offered = try await everything { $0.sandbox.endpoints.calls(of: provider) }
        let known = ExpectedResponse.all.filter { $0.provider == provider }.map(\.endpoint)
        #expect(Set(offered).subtracting(known) == [])
        #expect(Set(known).subtracting(offered) == [])
    }

    /// The expected first message of a stream.
    struct ExpectedMessage: Sendable, CustomTestStringConvertible {
        let provider: ProviderID
        let endpoint: String
        let schema: String
        let shape: String
        let path: String
        var headers: [String: String] = [:]
        /// Makes the sandbox send a message; runs before the stream is opened.
        var before: @Sendable (RunningSandbox) async throws -> Void = { _ in }
        var firstMessage: String?
        var testDescription: String { "\(provider.name.text) \(endpoint)" }

        static let all: [ExpectedMessage] = [
            ExpectedMessage(
                provider: .alpaca, endpoint: "GET /v2/{feed}", schema: "alpaca", shape: "DataStreamMessage",
                path: "/alpaca-stream/v2/iex"),
            ExpectedMessage(
                provider: .alpaca, endpoint: "GET /v1beta1/{feed}", schema: "alpaca",
                shape: "DataStreamMessage", path: "/alpaca-stream/v1beta1/overnight"),
            ExpectedMessage(
                provider: .alpaca, endpoint: "GET /stream", schema: "alpaca", shape: "TradingStreamMessage",
                path: "/alpaca/stream", firstMessage: FakeAlpacaTradingStreamTests.token),
            ExpectedMessage(
                provider: .saxo, endpoint: "GET /connect", schema: "saxo", shape: "ResetSubscriptions",
                path: SaxoStreamTests.path, headers: SaxoStreamTests.headers,
                before: { fixture in
                    _ = try await fixture.saxo(
                        "POST", "/trade/v1/prices/subscriptions",
                        #"{"Arguments":{"Uic":21,"AssetType":"FxSpot"},"ContextId":"ctx-1","ReferenceId":"r"}"#
                    )
                    fixture.sandbox.saxoStreams.demandReset()
                }),
        ]
    }

    @Test("and so does every stream", arguments: ExpectedMessage.all)
    func streams(_ expected: ExpectedMessage) async throws {
        let schema = try Golden.schema(of: expected.schema).definition(expected.shape)
        try await everything { fixture in
            try await expected.before(fixture)
            let document = try await StreamClient.open(expected.path, of: fixture.client, expected.headers) {
                stream in
                if let firstMessage = expected.firstMessage { try await stream.send(firstMessage) }
                let frame = try await stream.next()
                switch frame {
                case .text(let text): return try JSONValue(parsing: text)
                case .binary(let bytes):
                    // Saxo's frames have a binary layout around the document.
                    let messages = expected.provider == .saxo ? try SaxoMessage.all(in: frame) : []
                    return try messages.first?.payload
                        ?? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
                case .ping, .pong, .close, .end: return .null
                }
            }
            #expect(schema.violations(in: document) == [])
            #expect(fixture.sandbox.calls[expected.provider, expected.endpoint] == 1)
        }
    }

    @Test("and no stream is missing", arguments: ProviderID.allCases)
    func completeStreams(provider: ProviderID) async throws {
        let offered = try await everything { $0.sandbox.endpoints.streams(of: provider) }
        let known = ExpectedMessage.all.filter { $0.provider == provider }.map(\.endpoint)
        #expect(Set(offered) == Set(known))
    }
}
