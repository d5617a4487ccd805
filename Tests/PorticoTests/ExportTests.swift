import TestSupport
import Testing

@Suite("The export")
struct ExportTests {
    @Test("has everything of the user and no secret, and nothing of others")
    func everything() async throws {
        try await withServer { server in
            func guest(_ label: String) async throws -> String {
                let answer = try await server.ask(
                    "mutation { startGuestSession(label: \"\(label)\") { token } }", token: nil)
                return try #require(
                    answer.json?["data"]?["startGuestSession"]?["token"]?.string, "\(answer.body)")
            }
            let (mine, other) = (try await guest("mine"), try await guest("other"))
            for (token, name) in [(mine, "Tech"), (other, "Secret plans")] {
                let answer = try await server.ask(
                    """
                    mutation { createWatchlist(input: {name: "\(name)", symbols: ["AAPL", "MSFT"]}) {
                      watchlist { id } } }
                    """, token: token)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
            let export = try await server.get("/export", token: mine)
            #expect(export.status == 200)
            #expect(export["content-type"] == "application/json; charset=utf-8")
            #expect(export["cache-control"] == "no-store")
            let json = try #require(export.json)
            #expect(json["sessions"]?[0]?["label"]?.string == "mine")
            #expect(json["watchlists"]?.elements?.count == 1)
            #expect(json["watchlists"]?[0]?["name"]?.string == "Tech")
            let symbols = json["watchlists"]?[0]?["items"]?.elements?.compactMap { $0["symbol"]?.string }
            #expect(symbols == ["AAPL", "MSFT"])
            #expect(json["goals"]?.elements?.isEmpty == true)
            #expect(json["orders"]?.elements?.isEmpty == true)
            #expect(!export.body.contains(mine))
            #expect(!export.body.contains("Secret plans"))
        }
    }

    @Test("is nobody's without a session", arguments: [nil, "wrong"])
    func nobody(token: String?) async throws {
        try await withServer { server in
            let refused = try await server.get("/export", token: token)
            #expect(refused.status == 401)
            #expect(refused.message != nil)
        }
    }
}
