import Brokerage
import Dispatch
import Foundation
import Sandbox
import TestSupport
import Testing

/// Calls of three replicas whose clients ask for more than a quota allows, while replicas are stopped.
@Suite("Soak: a quota of several replicas")
struct QuotaSoakTests {
    private static let limit = 10
    private static let seconds = 12
    /// The time in which the calls of all windows must have arrived.
    private static var timeout: Duration { .seconds(seconds * Soak.windows * 10) }

    /// The settings of replicas with a provider whose window is short.
    private static func settings(_ sandbox: Sandbox, _ folder: URL) throws -> [String: String] {
        let text = try String(contentsOf: ProviderFileTests.example, encoding: .utf8)
        let changed = text.replacing(
            "calls: 5, seconds: 60 }", with: "calls: \(limit), seconds: \(seconds) }")
        try #require(changed != text)
        let file = folder.appending(path: "polygon.yaml")
        try changed.write(to: file, atomically: true, encoding: .utf8)
        var variables = Upstream(sandbox).environment
        variables["PORTICO_PROVIDERS"] = file.path
        variables["PORTICO_PROVIDER_POLYGON_FILE_BASE_URL"] = sandbox.polygon.baseURL
        variables["PORTICO_PROVIDER_POLYGON_FILE_KEY"] = FakePolygonSettings.realtimeKey
        return try Replicas.environment(variables, folder)
    }

    private static let clients = 6

    /// Asks for texts that were not searched before, each of which is a call, until a number of calls has arrived.
    ///
    /// - Returns: How many calls the database did not count in time, so that they were not sent.
    private static func ask(_ group: ReplicaGroup, _ client: Int, until isDone: @Sendable () -> Bool)
        async throws -> Int
    {
        var (number, uncounted) = (0, 0)
        try await waitUntil(timeout: timeout) {
            number += 1
            let query =
                "{ search(text: \"Name \(client) \(number)\", provider: \"polygon-file\") { matchScore } }"
            let server = group.servers[client % group.count]
            let answer = try? await server.ask(query, token: ownerToken)
            if answer?.code == "STORAGE_UNAVAILABLE" {
                uncounted += 1
            } else if let answer {
                #expect(answer.code == nil || answer.code == "QUOTA_EXHAUSTED", "\(answer.body)")
            }
            // There is no call before another slot is free.
            if answer?.code != nil { try await Task.sleep(for: .milliseconds(100)) }
            return isDone()
        }
        return uncounted
    }

    /// Stops one replica after the other for a while.
    ///
    /// - Returns: How often one was stopped.
    private static func pause(_ group: ReplicaGroup, until isDone: @Sendable () -> Bool) async throws -> Int {
        var random = SplitMix(seed: 1)
        var pauses = 0
        try await waitUntil(timeout: timeout) {
            let index = Int.random(in: 0..<group.count, using: &random)
            group.pause(index)
            pauses += 1
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1_500, using: &random)))
            group.resume(index)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &random)))
            return isDone()
        }
        return pauses
    }

    /// The most calls that arrived within the length of a window.
    private static func most(_ times: [ContinuousClock.Instant]) -> Int {
        var (start, most) = (times.startIndex, 0)
        for (end, time) in times.enumerated() {
            while times[start].duration(to: time) >= .seconds(seconds) { start += 1 }
            most = max(most, end - start + 1)
        }
        return most
    }

    @Test("is used and never exceeded in any interval, although replicas are stopped and continue")
    func paused() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let settings = try Self.settings(sandbox, folder)
                let life = DispatchTimeInterval.seconds(Self.seconds * Soak.windows * 10)
                try await ReplicaGroup.run(Array(repeating: settings, count: 3), longestLife: life) { group in
                    let isDone: @Sendable () -> Bool = {
                        sandbox.callTimes(of: .polygon).count > Self.limit * Soak.windows
                    }
                    async let pauses = Self.pause(group, until: isDone)
                    let uncounted = try await withThrowingTaskGroup(of: Int.self) { tasks in
                        for client in 0..<Self.clients {
                            tasks.addTask { try await Self.ask(group, client, until: isDone) }
                        }
                        return try await tasks.reduce(0, +)
                    }
                    // A look-up is not counted in time only if its replica was stopped; a client waits for one at a time.
                    let atRisk = try await pauses * Self.clients / group.count
                    #expect(uncounted <= atRisk, "\(uncounted) calls were not counted")
                    let most = Self.most(sandbox.callTimes(of: .polygon))
                    #expect(most <= Self.limit && most >= Self.limit * 9 / 10, "\(most) calls")
                }
            }
        }
    }
}
