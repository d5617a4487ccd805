import Synchronization
import TestSupport

/// Hostile traffic beside the users of a server, and the requirements for the server during it.
package struct HostileRun: Sendable {
    /// The measured values.
    package struct Report: Sendable {
        package let hostile: HostileClients.Result
        /// The users before and during the attack.
        package let quiet: LegitimateUsers.Result
        package let attacked: LegitimateUsers.Result
        /// Resident bytes of the server, each second of the attack and at its end.
        package let memory: [Int]
        /// The duration of the whole run, rounded up.
        package let minutes: Int
    }

    /// Resident memory that a release build may reach with default limits, in bytes.
    package static let memoryLimit = 300 << 20
    /// The same limit for a debug build, which copies more.
    package static let memoryLimitOfDebugBuild = 512 << 20
    /// The number of samples of the memory, one in a second, from which its growth is examined.
    package static let shortestForGrowth = 120

    private let quiet: Duration
    private let attack: @Sendable () async throws -> HostileClients.Result
    private let residentBytes: @Sendable () throws -> Int

    /// A run against a server.
    ///
    /// - Parameters:
    ///   - quiet: The time in which the users work before the attack, for comparison.
    ///   - attack: Attacks the server.
    ///   - residentBytes: Returns the resident memory of the server.
    package init(
        quiet: Duration,
        attack: @escaping @Sendable () async throws -> HostileClients.Result,
        residentBytes: @escaping @Sendable () throws -> Int
    ) {
        self.quiet = quiet
        self.attack = attack
        self.residentBytes = residentBytes
    }

    /// Runs the users alone, then attacks while they continue.
    ///
    /// - Parameter users: The users.
    /// - Returns: The measured values.
    /// - Throws: The error of the attack.
    package func run(with users: LegitimateUsers) async throws -> Report {
        let start = ContinuousClock.now
        // Caches are filled, and connections to the providers opened.
        _ = await users.work(for: quiet / 6)
        let quiet = await users.work(for: quiet)
        let isAttacked = Flag()
        let memory = Task { [residentBytes] in
            var samples: [Int] = []
            while isAttacked.isSet, !Task.isCancelled {
                samples.append(try residentBytes())
                try await Task.sleep(for: .seconds(1))
            }
            return samples + [try residentBytes()]
        }
        async let working = users.work { isAttacked.isSet }
        let hostile: HostileClients.Result
        do {
            defer { isAttacked.clear() }
            hostile = try await attack()
        }
        let attacked = await working
        return Report(
            hostile: hostile, quiet: quiet, attacked: attacked, memory: try await memory.value,
            minutes: Int((start.duration(to: .now) / .seconds(60)).rounded(.up)))
    }

    /// A flag that is set until it is cleared; shared by tasks.
    private final class Flag: Sendable {
        private let value = Atomic(true)

        var isSet: Bool { value.load(ordering: .relaxed) }

        func clear() { value.store(false, ordering: .relaxed) }
    }
}

extension HostileRun.Report {
    /// Returns the requirements that the server did not meet, except for speed; empty if it met all.
    ///
    /// - Parameters:
    ///   - memoryLimit: The limit of the resident memory, in bytes.
    ///   - hasFilledCaches: Whether the memory may not grow, because an earlier attack has filled the
    ///     caches. It
    ///     is examined if there are at least ``HostileRun/shortestForGrowth`` samples.
    /// - Returns: A sentence for each failure.
    package func failures(
        memoryLimit: Int = HostileRun.memoryLimit, hasFilledCaches: Bool = false
    ) -> [String] {
        var failures =
            hostile.failures + attackFailures + attacked.failures.prefix(10) + quiet.failures.prefix(10)
        let highest = memory.max() ?? 0
        if highest > memoryLimit { failures.append("The server took \(highest >> 20) MB.") }
        if hasFilledCaches, memory.count >= HostileRun.shortestForGrowth {
            let (early, late) = (
                median(memory[(memory.count / 5)..<(2 * memory.count / 5)]),
                median(memory.suffix(memory.count / 5))
            )
            if late > early + early / 10 + (8 << 20) {
                failures.append("The memory grows: from \(early >> 20) to \(late >> 20) MB.")
            }
        }
        return failures
    }

    /// The attacks of which few requests reached the server, so that the run does not test them.
    private var attackFailures: [String] {
        let sorted = hostile.outcomes.sorted { $0.key.rawValue < $1.key.rawValue }
        var failures = sorted.compactMap { attack, outcomes -> String? in
            let all = outcomes.values.reduce(0, +)
            let refused = outcomes.filter { $0.key.hasPrefix("429") }.values.reduce(0, +)
            let lost = outcomes["none"] ?? 0
            guard refused > all / 2 || lost > all / 100 + 1 else { return nil }
            return "Of \(all) requests of \(attack), \(refused) got 429 and \(lost) no response."
        }
        if hostile.sockets == 0 { failures.append("The server accepted no WebSocket of the attack.") }
        return failures
    }

    private func median(_ samples: ArraySlice<Int>) -> Int { samples.sorted()[samples.count / 2] }
}
