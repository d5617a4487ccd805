import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Every endpoint of every stand-in answers in its provider's shape")
struct AnswerTests {
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
        arguments: Answer.all, [Moment.midday, Moment.weekend])
    func valid(_ answer: Answer, moment: String) async throws {
        try await everything(at: moment) { house in
            let reply = try await answer.ask(house)
            try answer.expectValid(reply)
            #expect(house.sandbox.calls[answer.provider, answer.endpoint] > 0)
        }
    }

    @Test("the table knows every endpoint: add yours", arguments: ProviderID.allCases)
    func complete(provider: ProviderID) async throws {
        let offered = try await everything { $0.sandbox.endpoints.calls(of: provider) }
        let known = Answer.all.filter { $0.provider == provider }.map(\.endpoint)
        #expect(Set(offered).subtracting(known) == [])
        #expect(Set(known).subtracting(offered) == [])
    }

    /// The expected first message of a stream.
    struct Opening: Sendable, CustomTestStringConvertible {
        let provider: ProviderID
        let endpoint: String
        let schema: String
        let shape: String
        let path: String
        var headers: [String: String] = [:]
        /// Makes the sandbox send a message; runs before the stream is opened.
        var before: @Sendable (RunningSandbox) async throws -> Void = { _ in }
        /// The client's first message.
        var greeting: String?
        var testDescription: String { "\(provider.rawValue) \(endpoint)" }

        static let all: [Opening] = [
            Opening(
                provider: .alpaca, endpoint: "GET /v2/{feed}", schema: "alpaca", shape: "DataStreamMessage",
                path: "/alpaca-stream/v2/iex"),
            Opening(
                provider: .alpaca, endpoint: "GET /stream", schema: "alpaca", shape: "TradingStreamMessage",
                path: "/alpaca/stream", greeting: FakeAlpacaTradeStreamTests.token),
            Opening(
                provider: .saxo, endpoint: "GET /connect", schema: "saxo", shape: "ResetSubscriptions",
                path: SaxoStreamTests.path, headers: SaxoStreamTests.headers,
                before: { house in
                    _ = try await house.saxo(
                        "POST", "/trade/v1/prices/subscriptions",
                        #"{"Arguments":{"Uic":21,"AssetType":"FxSpot"},"ContextId":"ctx-1","ReferenceId":"r"}"#
                    )
                    house.sandbox.saxoStreams.demandReset()
                }),
        ]
    }

    @Test("and so does every stream", arguments: Opening.all)
    func streams(_ wanted: Opening) async throws {
        let schema = try Golden.schema(of: wanted.schema).definition(wanted.shape)
        try await everything { house in
            try await wanted.before(house)
            let document = try await StreamClient.open(wanted.path, of: house.client, wanted.headers) {
                stream in
                if let greeting = wanted.greeting { try await stream.send(greeting) }
                let frame = try await stream.next()
                switch frame {
                case .text(let text): return try JSONValue(parsing: text)
                case .binary(let bytes):
                    // Saxo's frames have a binary layout around the document.
                    let messages = wanted.provider == .saxo ? try SaxoMessage.all(in: frame) : []
                    return try messages.first?.payload
                        ?? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
                case .ping, .pong, .close, .end: return .null
                }
            }
            #expect(schema.violations(in: document) == [])
            #expect(house.sandbox.calls[wanted.provider, wanted.endpoint] == 1)
        }
    }

    @Test("and no stream is missing", arguments: ProviderID.allCases)
    func completeStreams(provider: ProviderID) async throws {
        let offered = try await everything { $0.sandbox.endpoints.streams(of: provider) }
        let known = Opening.all.filter { $0.provider == provider }.map(\.endpoint)
        #expect(Set(offered) == Set(known))
    }
}
