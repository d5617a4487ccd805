import Brokerage
import Dispatch
import HostileTraffic
import IssuerSupport
import Sandbox
import TestSupport
import Testing

/// A small volume of the traffic that `HostileSoak` sends.
@Suite("Soak: hostile traffic of clients without a session")
struct HostileTrafficSoakTests {
    @Test("exhausts neither memory nor quotas, and no legitimate user gets an error")
    func hostile() async throws {
        let users = SandboxUser.copiesOfDemo(3, named: "user")
        try await withSandbox { configuration in
            configuration.users += users
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            sandbox.script = MarketScript(hours: .open)
            try await TestIssuer.with { issuer in
                try await withServer(
                    environment: sandbox.hostileSoakEnvironment(issuer), longestLife: .seconds(600)
                ) { server in
                    try await attack(server, sandbox, issuer, users)
                }
            }
        }
    }

    private func attack(
        _ server: RunningServer, _ sandbox: Sandbox, _ issuer: TestIssuer, _ users: [SandboxUser]
    ) async throws {
        let gauge = ProcessGauge(server.program.processID)
        let attack = HostileAttack(
            port: server.port, requests: 1_000, requestsPerSecond: 500, connections: 8, held: 40, seed: 1,
            tokens: issuer.inventedTokens)
        let report = try await HostileRun(quiet: .seconds(2), attack: attack.run) {
            try gauge.residentBytes()
        }.run(with: LegitimateUsers(port: server.port, connecting: users.map(\.connectingMutation)))
        #expect(report.failures(memoryLimit: HostileRun.memoryLimitOfDebugBuild) == [])
        #expect(report.hostile.requests == attack.requests)
        // Each attack is in the sample.
        #expect(Set(report.hostile.outcomes.keys) == Set(HostileRequests.Attack.allCases))
        #expect(!report.attacked.latencies.isEmpty)
        for (provider, limit) in HostileRun.lowQuotas(minutes: report.minutes) {
            let calls = sandbox.calls.all(of: provider).reduce(0) { $0 + $1.count }
            #expect(calls <= limit, "\(provider.name.text)")
        }
    }
}
