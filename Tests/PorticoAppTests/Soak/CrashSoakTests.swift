import Foundation
import Sandbox
import TestSupport
import Testing

/// What users entrusted to the server, over the life and death of the process: goals, watchlists, sessions, connections,
/// orders.
@Suite("Soak: users and orders over kill -9")
struct CrashSoakTests {
    /// The rest of them is the ledger's.
    private static var rounds: Int { Soak.rounds * 4 / 5 }

    /// The token of an owner, the providers, and new users from anywhere, in front of a folder that stays.
    private func environment(_ sandbox: Sandbox, _ folder: URL) throws -> [String: String] {
        try Upstream(sandbox).environment(
            in: folder,
            [
                "PORTICO_SIGN_UP": "open", "PORTICO_PASSWORD_COST": "4", "PORTICO_TRUSTED_PROXIES": "1",
                "PORTICO_POLYGON_BASE_URL": sandbox.polygon.baseURL,
                "PORTICO_POLYGON_KEY": FakePolygonSettings.demoKey,
            ])
    }

    @Test(
        "every acknowledged write is stored, and no order is placed twice, however often the process is killed"
    )
    func killed() async throws {
        try await withSandbox { configuration in
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
            configuration.polygon.requestsPerMinute = 1_000_000
        } _: { sandbox in
            try await withFolder { folder in
                let environment = try environment(sandbox, folder)
                let orders = SoakedOrders()
                var people: [SoakPerson] = []
                for round in 0..<Self.rounds {
                    Soak.forgetCalls(folder)
                    // Spread over as long as some writes take, and the same in each run.
                    let delay = Duration.milliseconds(round * 37 % 241)
                    try await withCrashingServer(environment: environment) { server in
                        try await people.last?.check(at: server)
                        let person = try await SoakPerson(round, at: server)
                        people.append(person)
                        try await orders.repeatLast(at: server)
                        await withTaskGroup { group in
                            group.addTask { await person.write(to: server) }
                            group.addTask { await orders.placeSome(at: server) }
                            group.addTask {
                                try? await Task.sleep(for: delay)
                                server.program.crash()
                            }
                        }
                    }
                }
                Soak.forgetCalls(folder)
                try await withServer(environment: environment) { server in
                    for person in people { try await person.check(at: server) }
                    try await orders.check(at: server, of: sandbox)
                }
                #expect(people.count == Self.rounds)
                // Otherwise the process was killed before anything could happen.
                #expect(people.contains { $0.things.count > 5 })
            }
        }
    }
}
