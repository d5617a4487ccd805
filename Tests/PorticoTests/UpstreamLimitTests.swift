import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The limits of calls to providers")
struct UpstreamLimitTests {
    private static func chart(_ last: Int) -> String {
        "{ chart(symbol: \"KO\", interval: ONE_DAY, last: \(last)) { fetchedAt } }"
    }

    @Test("a client without a session has a limit of calls a minute; a session has no such limit")
    func client() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_UPSTREAM_CALLS_PER_CLIENT"] = "3"
            try await withServer(before: upstream) { server in
                let before = sandbox.calls.total
                for last in 1...3 {
                    let answer = try await server.ask(Self.chart(last), token: nil)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                for last in 4...6 {
                    let refused = try await server.ask(Self.chart(last), token: nil)
                    #expect(
                        refused.failures == [FieldFailure("chart", "RATE_LIMITED", nil)], "\(refused.body)")
                    let error = refused.json?["errors"]?[0]
                    #expect(error?["extensions"]?["retryAt"]?.string != nil)
                    #expect(
                        error?["message"]
                            == "A client without a session may cause 3 calls to providers a minute. Wait, or sign in."
                    )
                }
                #expect(sandbox.calls.total == before + 3)
                let known = try await server.ask(Self.chart(2), token: nil)
                #expect(known.failures.isEmpty, "\(known.body)")
                for last in 7...11 {
                    let answer = try await server.ask(Self.chart(last), token: ownerToken)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                #expect(sandbox.calls.total == before + 8)
            }
        }
    }

    @Test("an operation has a limit of calls; the response contains the values that were read before it")
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

    @Test("Alpaca's limit a minute is that of the setting", arguments: [nil, "1000"] as [String?])
    func alpaca(_ setting: String?) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_ALPACA_PER_MINUTE"] = setting
            try await withServer(before: upstream) { server in
                let answer = try await server.ask(
                    "{ providers { provider rateLimits { name limit } } }", token: ownerToken)
                let alpaca = answer.json?["data"]?["providers"]?.elements?.first {
                    $0["provider"] == "ALPACA"
                }
                let limits = alpaca?["rateLimits"]?.elements?.map { $0["limit"]?.digits }
                #expect(limits == Array(repeating: setting ?? "200", count: 2), "\(answer.body)")
            }
        }
    }
}
