import Brokerage
import Dispatch
import HostileTraffic
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
            try await withServer(
                environment: sandbox.hostileSoakEnvironment, longestLife: .seconds(600)
            ) { server in
                let gauge = ProcessGauge(server.program.processID)
                let attack = HostileAttack(
                    port: server.port, requests: 1_000, requestsPerSecond: 500, connections: 8, held: 40,
                    seed: 1)
                let report = try await HostileRun(
                    quiet: .seconds(2), attack: attack.run
                ) {
                    try gauge.residentBytes()
                }.run(
                    with: LegitimateUsers(
                        port: server.port, connecting: users.map(\.connectingMutation)))
                #expect(report.failures(memoryLimit: HostileRun.memoryLimitOfDebugBuild) == [])
                #expect(report.hostile.requests == attack.requests)
                #expect(!report.attacked.latencies.isEmpty)
                for (provider, limit) in HostileRun.lowQuotas(minutes: report.minutes) {
                    let calls = sandbox.calls.all(of: provider).reduce(0) { $0 + $1.count }
                    #expect(calls <= limit, "\(provider.rawValue)")
                }
            }
        }
    }
}
