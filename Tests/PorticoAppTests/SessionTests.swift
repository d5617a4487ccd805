import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Access to data")
struct SessionTests {
    private static let everything = """
        { account { equity } accounts { equity } positions { symbol } quotes(symbols: ["AAPL"]) { symbol price } }
        """

    private static let unauthenticated = Set(
        ["account", "accounts", "positions"].map { FieldFailure($0, "UNAUTHENTICATED", nil) })

    @Test("without a token, prices are returned and each private field fails")
    func anonymous() async throws {
        try await withServer { server in
            let answer = try await server.ask(SessionTests.everything, token: nil)
            #expect(answer.status == 200)
            #expect(Set(answer.failures) == SessionTests.unauthenticated)
            #expect(answer.nulls == ["account", "accounts", "positions"])
            #expect(answer.json?["data"]?["quotes"]?[0]?["price"]?.string != nil)
            #expect(
                answer.message == "This field needs a session: send its token as `Authorization: Bearer …`.")
        }
    }

    @Test(
        "an unknown token has public fields, and the sandbox names its own token in errors of other fields",
        arguments: ["nobody", "Sandbox"])
    func unknownToken(token: String) async throws {
        try await withServer { server in
            let answer = try await server.ask(SessionTests.everything, token: token)
            #expect(answer.status == 200)
            #expect(Set(answer.failures) == SessionTests.unauthenticated)
            #expect(answer.json?["data"]?["quotes"]?[0]?["price"]?.string != nil)
            #expect(answer.message == "The token is unknown. The sandbox's is `sandbox`.")
        }
    }

    @Test(
        "broker keys of the settings serve prices to all clients, account and positions to their owner only"
    )
    func owner() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let anonymous = try await server.ask(SessionTests.everything, token: nil)
                #expect(Set(anonymous.failures) == SessionTests.unauthenticated)
                #expect(anonymous.json?["data"]?["quotes"]?[0]?["price"]?.string != nil)
                // Nothing private was even asked for.
                #expect(
                    Set(sandbox.calls.all(of: .alpaca).map(\.name)) == [
                        "GET /v2/stocks/snapshots", "GET /v2/stocks/trades/latest",
                    ])

                let owner = try await server.ask(SessionTests.everything, token: ownerToken)
                #expect(owner.failures.isEmpty, "\(owner.body)")
                #expect(owner.nulls.isEmpty)

                // What the owner's question has left in memory is not for others.
                let again = try await server.ask(SessionTests.everything, token: nil)
                #expect(Set(again.failures) == SessionTests.unauthenticated)
                #expect(again.nulls == ["account", "accounts", "positions"])
            }
        }
    }

    @Test(
        "in front of a real provider, the sandbox's token and similar texts are unknown",
        arguments: ["sandbox", String(ownerToken.dropLast()), ownerToken + "x", ownerToken.uppercased()])
    func foreignToken(token: String) async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let answer = try await server.ask("{ account { equity } }", token: token)
                #expect(answer.failures == [FieldFailure("account", "UNAUTHENTICATED", nil)])
                #expect(answer.message == "The token is unknown.")
                #expect(sandbox.calls.total == 0)
            }
        }
    }

    @Test("without an owner's token no client reads the account, and prices are returned")
    func noOwner() async throws {
        try await withSandbox { sandbox in
            try await withServer(environment: Upstream(sandbox).environment) { server in
                let answer = try await server.ask(SessionTests.everything, token: nil)
                #expect(Set(answer.failures) == SessionTests.unauthenticated)
                #expect(answer.json?["data"]?["quotes"]?[0]?["price"]?.string != nil)
                for token in ["sandbox", ownerToken] {
                    let refused = try await server.ask("{ account { equity } }", token: token)
                    #expect(refused.failures == [FieldFailure("account", "UNAUTHENTICATED", nil)])
                }
            }
        }
    }
}
