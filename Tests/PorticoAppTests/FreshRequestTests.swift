import Sandbox
import TestSupport
import Testing

@Suite("A request with Cache-Control: no-cache")
struct FreshRequestTests {
    private static let query =
        #"{ chart(symbol: "KO", interval: ONE_DAY, last: 5) { fetchedAt columns { close } } }"#

    private static func demand(_ directives: String, token: String?) -> String {
        let fields = ["Cache-Control: \(directives)"] + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        return RawRequest.post(RawRequest.query(query), fields: fields)
    }

    @Test(
        "of a user reads new values, which later requests get too; other directives have no effect",
        arguments: [
            ("no-cache", true), ("max-age=60, No-Cache", true), ("no-store", false), ("max-age=60", false),
        ])
    func fresh(directives: String, isNew: Bool) async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let first = try await server.ask(Self.query, token: ownerToken)
                #expect(first.failures.isEmpty, "\(first.body)")
                let calls = sandbox.calls.total
                // A value younger than a second is new enough for every request.
                try await Task.sleep(for: .milliseconds(1_100))
                let second = try await server.send(Self.demand(directives, token: ownerToken))
                #expect(second.failures.isEmpty, "\(second.body)")
                #expect((sandbox.calls.total == calls) == !isNew)
                #expect((second.body == first.body) == !isNew)
                let all = sandbox.calls.total
                let third = try await server.ask(Self.query, token: ownerToken)
                #expect(third.body == second.body)
                #expect(sandbox.calls.total == all)
            }
        }
    }

    @Test(
        "without a session, or with a guest session, gets cached values, and makes no call",
        arguments: [false, true])
    func anonymous(isGuest: Bool) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_SIGN_UP"] = "open"
            try await withServer(before: upstream) { server in
                let token = isGuest ? try await server.token() : nil
                let first = try await server.ask(Self.query, token: token)
                let calls = sandbox.calls.total
                try await Task.sleep(for: .milliseconds(1_100))
                let second = try await server.send(Self.demand("no-cache", token: token))
                #expect(second.body == first.body)
                #expect(sandbox.calls.total == calls)
            }
        }
    }

    @Test(
        "gets the cached value if it is younger than its provider's minimum age: a minute for Alpha Vantage"
    )
    func young() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential.merge(alphaVantage(sandbox, data: nil)) { $1 }
            upstream.credential["PORTICO_ROUTE_CHARTS"] = "alpha-vantage"
            try await withServer(before: upstream) { server in
                let first = try await server.ask(Self.query, token: ownerToken)
                #expect(first.failures.isEmpty, "\(first.body)")
                let calls = sandbox.calls.total
                try await Task.sleep(for: .milliseconds(1_100))
                for _ in 0..<3 {
                    let second = try await server.send(Self.demand("no-cache", token: ownerToken))
                    #expect(second.body == first.body)
                }
                #expect(sandbox.calls.total == calls)
            }
        }
    }
}
