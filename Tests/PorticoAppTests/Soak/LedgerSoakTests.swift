import Foundation
import Sandbox
import TestSupport
import Testing

/// The counts of calls that quotas are kept by, over the life and death of the process.
@Suite("Soak: the ledger over kill -9")
struct LedgerSoakTests {
    private static var rounds: Int { max(Soak.rounds / 5, 1) }
    private static let limit = 100_000_000

    /// A provider's day, which begins at New York's midnight, and the calls before it.
    private struct Day {
        var date = Day.today
        var before = 0

        private static var today: String {
            var style = Date.ISO8601FormatStyle().year().month().day()
            style.timeZone = TimeZone(identifier: "America/New_York") ?? .gmt
            return Date.now.formatted(style)
        }

        /// Forgets what the provider has forgotten.
        mutating func turn(calls: Int) {
            guard date != Day.today else { return }
            self = Day(before: calls)
        }
    }

    @Test("no used call is lost, however often the process is killed")
    func killed() async throws {
        try await withSandbox { configuration in
            configuration.alphaVantage.requestsPerDay = nil
            configuration.alphaVantage.burstInterval = nil
        } _: { sandbox in
            try await withFolder { folder in
                var environment = alphaVantage(sandbox, data: folder, perDay: Self.limit)
                // Calls that a kill left in doubt count as spent: soon no minute would have any left.
                environment["PORTICO_ALPHA_VANTAGE_PER_MINUTE"] = "100000"
                var day = Day()
                for round in 0..<Self.rounds {
                    let before = sandbox.calls.total
                    try await withCrashingServer(environment: environment) { server in
                        try await check(server, before, &day)
                        await withTaskGroup { group in
                            group.addTask { await ask(round, server) }
                            group.addTask {
                                // The sandbox counts a call when it comes, and tells nobody.
                                try? await waitUntil { sandbox.calls.total > before }
                                try? await Task.sleep(for: .milliseconds(round * 37 % 61))
                            }
                            await group.next()
                            server.program.crash()
                            group.cancelAll()
                        }
                    }
                }
                #expect(sandbox.calls.total >= Self.rounds)
                try await withServer(environment: environment) { server in
                    try await check(server, sandbox.calls.total, &day)
                }
            }
        }
    }

    private func check(_ server: RunningServer, _ calls: Int, _ day: inout Day) async throws {
        day.turn(calls: calls)
        let spent = try await Self.limit - server.remaining("day")
        // Read before a midnight, it would be held against a count from behind it.
        day.turn(calls: calls)
        #expect(spent >= calls - day.before, "\(calls) calls, of which \(day.before) on days before")
    }

    /// Names that nobody has searched for yet, so that each is a call.
    private func ask(_ round: Int, _ server: RunningServer) async {
        await withTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    let name = "Name \(round) \(number)"
                    let query = RawRequest.query("{ search(text: \"\(name)\") { matchScore } }")
                    _ = try? await server.send(RawRequest.post(query))
                }
            }
        }
    }
}
