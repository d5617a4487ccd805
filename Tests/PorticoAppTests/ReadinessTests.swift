import Sandbox
import TestSupport
import Testing

@Suite("/health/ready")
struct ReadinessTests {
    private static func component(_ name: String, _ server: RunningServer) async throws -> JSONValue? {
        let answer = try await server.get("/health/ready")
        #expect(answer.status == 200)
        let report = try JSONValue(parsing: answer.body)
        #expect(report["status"] == "ready")
        return report["components"]?.elements?.first { $0["name"] == .string(name) }
    }

    @Test("names the provider that is down and since when, and is ready nevertheless")
    func down() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                #expect(try await Self.component("alpaca", server)?["state"] == "unknown")
                _ = try await server.ask("{ account { equity } }", token: ownerToken)
                let working = try await Self.component("alpaca", server)
                #expect(working?["state"] == "up")
                #expect(working?["detail"] == nil)
                #expect(sandbox.faults.add(Fault(.status(503))))
                // Three attempts each, of which five in a row open the circuit.
                for symbol in ["KO", "PEP", "MSFT"] {
                    _ = try await server.ask("{ instrument(symbol: \"\(symbol)\") { name } }", token: nil)
                }
                let broken = try await Self.component("alpaca", server)
                let detail = try #require(broken?["detail"]?.string)
                #expect(broken?["state"] == "down")
                #expect(detail.hasPrefix("unavailable since 20"), "\(detail)")
            }
        }
    }
}
