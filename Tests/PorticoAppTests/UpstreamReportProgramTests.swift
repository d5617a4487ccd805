import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The calls of a response")
struct UpstreamReportProgramTests {
    private static func ask(_ server: RunningServer) async throws -> JSONValue? {
        let query = #"{ instrument(symbol: "KO") { name } }"#
        let answer = try await server.send(
            RawRequest.post(RawRequest.query(query), fields: ["Portico-Upstream: true"]))
        return try JSONValue(parsing: answer.body)["extensions"]?["portico"]
    }

    @Test("are those that the provider counts, and the next response needed none")
    func told() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let report = try await Self.ask(server)
                let calls = try #require(report?["upstream"]?.elements)
                #expect(calls.count == sandbox.calls.total)
                let call = try #require(calls.first)
                #expect(call["provider"] == "alpaca")
                #expect(call["outcome"] == "FETCHED")
                #expect(call["status"] == 200)
                #expect(call["attempts"] == 1)
                let whole = try #require(report?["durationMs"]?.number)
                let (start, duration) = (call["startMs"]?.number ?? -1, call["durationMs"]?.number ?? 0)
                #expect(start >= 0)
                #expect(duration > 0)
                // Each is cut to the microsecond for itself.
                #expect(start + duration <= whole + Decimal(2) / 1_000)
                let spared = try await Self.ask(server)?["upstream"]
                #expect(spared?.elements?.map { $0["outcome"] } == ["CACHED"])
                #expect(spared?[0]?["attempts"] == 0)
                #expect(spared?[0]?["status"] == .null)
                #expect(sandbox.calls.total == calls.count)
            }
        }
    }

    @Test("are counted by provider and outcome, with the remaining quota")
    func counted() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                for _ in 0..<3 { _ = try await Self.ask(server) }
                let lines = Set(try await server.get("/metrics").body.split(separator: "\n").map(String.init))
                let calls = #"portico_upstream_calls_total{provider="alpaca",outcome="#
                #expect(lines.contains(calls + #""fetched"} \#(sandbox.calls.total)"#))
                #expect(lines.contains(calls + #""cached"} 2"#))
                #expect(lines.contains(#"portico_provider_up{provider="alpaca"} 1"#))
                let quota = lines.first {
                    $0.hasPrefix(#"portico_quota_remaining{provider="alpaca",limit="trading"}"#)
                }
                let left = try #require(quota?.split(separator: " ").last.flatMap { Int($0) })
                let limit = lines.first {
                    $0.hasPrefix(#"portico_quota_limit{provider="alpaca",limit="trading"}"#)
                }
                #expect(limit?.split(separator: " ").last.flatMap { Int($0) } ?? 0 > left)
                #expect(lines.contains("portico_graphql_documents_reused_total 2"))
            }
        }
    }
}
