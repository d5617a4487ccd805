import Brokerage
import GraphQLTools
import Sandbox
import TestSupport
import Testing

@Suite("A failing provider")
struct FailureTests {
    /// What is asked for, and where its failure shows on the home screen.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case account = "GET /v2/account"
        case positions = "GET /v2/positions"
        case quotes = "GET /v2/stocks/snapshots"
        case history = "GET /v2/account/portfolio/history"

        var testDescription: String { rawValue }

        func paths(_ answer: RawResponse) -> [String] {
            switch self {
            case .account: return ["account", "account2"]
            case .positions: return ["positions.0"]
            case .quotes:
                let count = answer.json?["data"]?["positions"]?.elements?.count ?? 0
                return (0..<count).map { "positions.\($0).quote" }
            case .history: return ["account2.history"]
            }
        }
    }

    static let faults: [(effect: Fault.Effect, code: String)] = [
        (.status(500), "PROVIDER_UNAVAILABLE"),
        (.closedConnection, "PROVIDER_UNAVAILABLE"),
        (.truncatedBody, "PROVIDER_UNAVAILABLE"),
        (.malformedBody, "PROVIDER_RESPONSE_INVALID"),
        (.duplicateKey, "PROVIDER_RESPONSE_INVALID"),
        (.expiredToken, "RECONNECT_REQUIRED"),
    ]

    @Test(
        "leaves null with path, code and provider; other values are returned, and no error is cached",
        arguments: faults, Place.allCases)
    func fails(_ fault: (effect: Fault.Effect, code: String), at place: Place) async throws {
        // The first object of a list is a row, which is unreadable alone (UnreadableRowTests).
        if fault.effect == .duplicateKey, place == .positions { return }
        try await expectFailure(fault.effect, fault.code, at: place)
    }

    @Test("is awaited until the deadline of the operation, while other values are returned")
    func hangs() async throws {
        // The deadline is at 20 seconds; the client waits longer.
        try await expectFailure(.hang, "PROVIDER_TIMEOUT", at: .quotes)
    }

    @Test("with an exhausted quota has the time of the next call")
    func quota() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                #expect(
                    sandbox.faults.add(
                        Fault(.status(429, retryAfter: 3600), endpoint: Place.account.rawValue)))
                let answer = try await server.ask("{ account { equity } }", token: ownerToken)
                #expect(answer.failures == [FieldFailure("account", "QUOTA_EXHAUSTED")])
                let retryAt = answer.json?["errors"]?[0]?["extensions"]?["retryAt"]?.string
                #expect(try #require(retryAt.flatMap { Instant($0) }) > .now)
            }
        }
    }

    @Test("that cannot be reached leaves a null with an error for each value")
    func dead() async throws {
        // Nobody listens on port 1.
        let nowhere = Upstream(
            tradingURL: "http://127.0.0.1:1/alpaca", dataURL: "http://127.0.0.1:1/alpaca-data")
        try await withServer(before: nowhere) { server in
            let answer = try await server.ask(homeScreen, token: ownerToken)
            #expect(answer.status == 200)
            let code = "PROVIDER_UNAVAILABLE"
            #expect(
                Set(answer.failures) == [
                    FieldFailure("account", code), FieldFailure("positions.0", code),
                    FieldFailure("account2", code),
                ])
            #expect(answer.nulls == ["account", "positions.0", "account2"])
            // It still stands.
            #expect(try await server.get("/health/ready").status == 200)
        }
    }

    private func expectFailure(
        _ effect: Fault.Effect, _ code: String, at place: Place,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try SchemaFile.errorCodes.contains(code), sourceLocation: sourceLocation)
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                #expect(sandbox.faults.add(Fault(effect, provider: .alpaca, endpoint: place.rawValue)))
                let failed = try await server.ask(homeScreen, token: ownerToken)
                #expect(failed.status == 200, sourceLocation: sourceLocation)
                let paths = place.paths(failed)
                #expect(!paths.isEmpty, sourceLocation: sourceLocation)
                #expect(
                    Set(failed.failures) == Set(paths.map { FieldFailure($0, code) }), "\(failed.body)",
                    sourceLocation: sourceLocation)
                #expect(failed.failures.count == paths.count, sourceLocation: sourceLocation)
                #expect(failed.nulls == Set(paths), sourceLocation: sourceLocation)
                sandbox.faults.reset()
                let healthy = try await server.ask(homeScreen, token: ownerToken)
                #expect(healthy.failures.isEmpty, "\(healthy.body)", sourceLocation: sourceLocation)
                #expect(healthy.nulls.isEmpty, sourceLocation: sourceLocation)
            }
        }
    }
}
