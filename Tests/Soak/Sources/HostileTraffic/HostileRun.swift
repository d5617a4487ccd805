import Synchronization
import TestSupport

/// Hostile traffic beside the users of a server, and the requirements for the server during it.
package struct HostileRun: Sendable {
    /// The amounts of all parts of a run.
    package struct Size: Sendable {
        package var requests: Int
        package var requestsPerSecond: Int
        /// The number of connections over which the requests are sent.
        package var connections: Int
        package var held: Int
        package var users: Int
        /// The time in which the users work before the attack, for comparison.
        package var quiet: Duration

        package init(
            requests: Int, requestsPerSecond: Int, connections: Int, held: Int, users: Int, quiet: Duration
        ) {
            self.requests = requests
            self.connections = connections
            self.requestsPerSecond = requestsPerSecond
            self.held = held
            self.users = users
            self.quiet = quiet
        }
    }

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
    private static let addresses = 8

    private let port: Int
    private let size: Size
    private let residentBytes: @Sendable () throws -> Int

    /// A run against a server on this machine.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - size: The amounts of all parts.
    ///   - residentBytes: Returns the resident memory of the server.
    package init(port: Int, size: Size, residentBytes: @escaping @Sendable () throws -> Int) {
        self.port = port
        self.size = size
        self.residentBytes = residentBytes
    }

    /// Runs the users alone, then attacks while they continue.
    ///
    /// - Parameters:
    ///   - seed: The seed of the requests.
    ///   - connect: See ``LegitimateUsers``.
    /// - Returns: The measured values.
    /// - Throws: An error if the users cannot sign up.
    package func run(seed: UInt64, connect: String) async throws -> Report {
        let start = ContinuousClock.now
        let users = try await LegitimateUsers(size.users, port: port, connect: connect)
        let quietEnd = ContinuousClock.now + size.quiet
        let quiet = await users.work { ContinuousClock.now < quietEnd }
        let isAttacked = Flag()
        let held = Task { [port, size] in await HeldConnections(port: port, count: size.held).hold() }
        let memory = Task { [residentBytes] in
            var samples: [Int] = []
            while isAttacked.isSet, !Task.isCancelled {
                samples.append(try residentBytes())
                try await Task.sleep(for: .seconds(1))
            }
            return samples + [try residentBytes()]
        }
        async let working = users.work { isAttacked.isSet }
        let hostile = await HostileClients(
            port: port, connections: size.connections, addresses: Self.addresses,
            perSecond: size.requestsPerSecond
        ).send(size.requests, seed: seed)
        isAttacked.clear()
        let attacked = await working
        held.cancel()
        await held.value
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
    /// The requirements that the server did not meet, except for speed; empty if it met all.
    ///
    /// - Parameter memoryLimit: The limit of the resident memory, in bytes.
    /// - Returns: A sentence for each failure.
    package func failures(memoryLimit: Int = HostileRun.memoryLimit) -> [String] {
        var failures = hostile.failures + attacked.failures.prefix(10) + quiet.failures.prefix(10)
        let highest = memory.max() ?? 0
        if highest > memoryLimit { failures.append("The server took \(highest >> 20) MB.") }
        // In a run of less than five minutes, caches are still being filled.
        if memory.count >= 300 {
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

    private func median(_ samples: ArraySlice<Int>) -> Int { samples.sorted()[samples.count / 2] }
}
