import Foundation
import TestSupport
import Testing

@Suite("A Saxo account")
struct SaxoAccountTests {
    private static let query = """
        { accounts(provider: "saxo") { currency equity }
          positions(provider: "saxo") { symbol quote { price source } }
          quote(symbol: "EUR/DKK", provider: "saxo") { symbol currency price }
          chart(symbol: "AAPL", last: 3, provider: "saxo") { symbol } }
        """

    private func expectWhole(_ answer: RawResponse) throws {
        #expect(answer.failures.isEmpty, "\(answer.body)")
        let data = try #require(answer.json?["data"])
        let accounts = try #require(data["accounts"]?.elements)
        #expect(accounts.map { $0["currency"] } == ["EUR", "DKK"])
        for account in accounts { #expect(account["equity"]?.string != nil) }
        let positions = try #require(data["positions"]?.elements)
        #expect(positions.contains { $0["symbol"] == "USD/JPY" })
        for position in positions { #expect(position["quote"]?["price"]?.string != nil) }
        #expect(data["quote"]?["currency"] == "DKK")
        #expect(data["chart"]?["symbol"] == "AAPL")
    }

    @Test("is read with the token of the settings, for the owner only")
    func owner() async throws {
        try await withSandboxProgram { sandbox in
            let environment = [
                "PORTICO_SAXO_BASE_URL": "http://127.0.0.1:\(sandbox.port)/saxo",
                "PORTICO_SAXO_TOKEN": "sandbox-saxo-demo-access",
            ]
            try await withOwnersServer(environment) { server in
                try expectWhole(try await server.ask(Self.query, token: ownerToken))
                let quotes = try await sandbox.calls(of: "saxo")["GET /trade/v1/infoprices/list"]
                #expect(quotes != nil)
                // What exchanges license to one user is not told to others.
                let stranger = try await server.ask(
                    "{ quote(symbol: \"AAPL\") { price } accounts { equity } }", token: nil)
                #expect(
                    Set(stranger.failures) == [
                        FieldFailure("quote", "UNSUPPORTED", nil),
                        FieldFailure("accounts", "UNAUTHENTICATED", nil),
                    ], "\(stranger.body)")
                #expect(try await sandbox.calls(of: "saxo")["GET /trade/v1/infoprices/list"] == quotes)
            }
        }
    }

    @Test("is the second broker of the embedded sandbox")
    func embedded() async throws {
        try await withServer { server in
            try expectWhole(try await server.ask(Self.query))
        }
    }
}
