import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The limits of calls to providers")
struct UpstreamLimitTests {
    private static func chart(_ last: Int) -> String {
        "{ chart(symbol: \"KO\", interval: ONE_DAY, last: \(last)) { fetchedAt } }"
    }

    @Test(
        "a client without a session, or with a guest session, has a limit of them a minute; a user has none",
        arguments: [false, true])
    func client(isGuest: Bool) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_UPSTREAM_CALLS_PER_CLIENT"] = "3"
            upstream.credential["PORTICO_SIGN_UP"] = "open"
            try await withServer(before: upstream) { server in
                let token = isGuest ? try await server.token() : nil
                let before = sandbox.calls.total
                for last in 1...3 {
                    let answer = try await server.ask(Self.chart(last), token: token)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                for last in 4...6 {
                    let refused = try await server.ask(Self.chart(last), token: token)
                    #expect(
                        refused.failures == [FieldFailure("chart", "RATE_LIMITED", nil)], "\(refused.body)")
                    let error = refused.json?["errors"]?[0]
                    #expect(error?["extensions"]?["retryAt"]?.string != nil)
                    #expect(
                        error?["message"]
                            == """
                            A client without a session, or with a guest session, has 3 calls to providers a \
                            minute: wait, or sign in.
                            """
                    )
                }
                #expect(sandbox.calls.total == before + 3)
                let known = try await server.ask(Self.chart(2), token: token)
                #expect(known.failures.isEmpty, "\(known.body)")
                for last in 7...11 {
                    let answer = try await server.ask(Self.chart(last), token: ownerToken)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                #expect(sandbox.calls.total == before + 8)
            }
        }
    }

    @Test(
        "a subscription takes one of its client for symbols without followers, and reports if none is left"
    )
    func subscriptions() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_UPSTREAM_CALLS_PER_CLIENT"] = "2"
            try await withServer(before: upstream) { server in
                func event(of symbol: String) async throws -> (client: RawClient, event: JSONValue) {
                    let query = "subscription { quotes(symbols: [\"\(symbol)\"]) { price } }"
                    let client = try await server.subscribe(RawRequest.query(query), token: nil)
                    return (client, try JSONValue(parsing: await client.event()))
                }
                var clients: [RawClient] = []
                defer { for client in clients { client.close() } }
                // AAPL is already followed when it is requested again.
                for symbol in ["AAPL", "KO", "AAPL"] {
                    let (client, event) = try await event(of: symbol)
                    clients.append(client)
                    #expect(event["data"]?["quotes"]?["price"]?.string != nil, "\(event)")
                }
                let (client, refusal) = try await event(of: "MSFT")
                clients.append(client)
                #expect(refusal.failures.first?.code == "RATE_LIMITED", "\(refusal)")
            }
        }
    }

    @Test("an operation makes no more of them than its limit; values that were read are returned")
    func operation() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_UPSTREAM_CALLS_PER_OPERATION"] = "2"
            try await withServer(before: upstream) { server in
                let before = sandbox.calls.total
                let fields = (1...5).map {
                    "c\($0): chart(symbol: \"KO\", interval: ONE_DAY, last: \($0)) { fetchedAt }"
                }
                let answer = try await server.ask("{ \(fields.joined(separator: " ")) }", token: ownerToken)
                #expect(answer.failures.map(\.code) == Array(repeating: "TOO_MANY_UPSTREAM_CALLS", count: 3))
                #expect(
                    answer.json?["errors"]?[0]?["message"]
                        == "The operation needs more than 2 calls to providers. Request less in one operation."
                )
                #expect(sandbox.calls.total == before + 2)
            }
        }
    }

    /// The sandbox reports 200, and the smaller limit counts.
    @Test(
        "the limit a minute of users' own keys is that of their setting",
        arguments: [nil, "100"] as [String?])
    func alpacaOfUsers(_ setting: String?) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_ALPACA_USERS_PER_MINUTE"] = setting
            upstream.credential["PORTICO_SIGN_UP"] = "open"
            try await withServer(before: upstream) { server in
                let user = #"{ username: "ann", password: "correct horse battery" }"#
                let signedUp = try await server.ask(
                    "mutation { signUp(input: \(user)) { token } }", token: nil)
                let key = SandboxUser.demo.alpaca
                let answer = try await server.ask(
                    """
                    mutation { connectProvider(input: { provider: "alpaca"
                      credential: { apiKey: { key: "\(key.keyID)", secret: "\(key.secretKey)" } } }) {
                      connection { rateLimits { limit } } } }
                    """, token: try #require(signedUp.json?["data"]?["signUp"]?["token"]?.string))
                let limits = answer.json?["data"]?["connectProvider"]?["connection"]?["rateLimits"]?.elements
                #expect(
                    limits?.map { $0["limit"]?.digits } == Array(repeating: setting ?? "200", count: 2),
                    "\(answer.body)")
            }
        }
    }

    @Test("Alpaca's limit a minute is that of the setting", arguments: [nil, "1000"] as [String?])
    func alpaca(_ setting: String?) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_ALPACA_PER_MINUTE"] = setting
            try await withServer(before: upstream) { server in
                let answer = try await server.ask(
                    "{ providers { provider: name rateLimits { name limit } } }", token: ownerToken)
                let alpaca = answer.json?["data"]?["providers"]?.elements?.first {
                    $0["provider"] == "alpaca"
                }
                let limits = alpaca?["rateLimits"]?.elements?.map { $0["limit"]?.digits }
                #expect(limits == Array(repeating: setting ?? "200", count: 2), "\(answer.body)")
            }
        }
    }
}
