import Synchronization
import TestSupport

/// Hostile traffic beside the users of a server, and what is demanded of the server meanwhile.
package struct HostileRun: Sendable {
    /// How much of everything.
    package struct Size: Sendable {
        package var requests: Int
        package var requestsPerSecond: Int
        /// Over how many connections the requests are sent.
        package var connections: Int
        package var held: Int
        package var users: Int
        /// How long the users work before the attack, for comparison.
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

    /// What was measured.
    package struct Report: Sendable {
        package let hostile: HostileClients.Result
        /// The users before and during the attack.
        package let quiet: LegitimateUsers.Result
        package let attacked: LegitimateUsers.Result
        /// Resident bytes of the server, each second of the attack and at its end.
        package let memory: [Int]
        /// How long it took in all, rounded up.
        package let minutes: Int
    }

    /// Resident memory that a release build may reach with default limits, in bytes.
    package static let memoryLimit = 300 << 20
    /// The same of a debug build, which copies more.
    package static let memoryLimitOfDebugBuild = 512 << 20
    private static let addresses = 8

    private let port: Int
    private let size: Size
    private let residentBytes: @Sendable () throws -> Int

    /// A run against a server on this machine.
    ///
    /// - Parameters:
    ///   - port: of the server.
    ///   - size: how much of everything.
    ///   - residentBytes: the resident memory of the server.
    package init(port: Int, size: Size, residentBytes: @escaping @Sendable () throws -> Int) {
        self.port = port
        self.size = size
        self.residentBytes = residentBytes
    }

    /// Lets the users work, then attacks while they go on.
    ///
    /// - Parameters:
    ///   - seed: of the requests.
    ///   - connect: see ``LegitimateUsers``.
    /// - Returns: what was measured.
    /// - Throws: where the users cannot sign up.
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

    /// Set until it is cleared; shared by tasks.
    private final class Flag: Sendable {
        private let value = Atomic(true)

        var isSet: Bool { value.load(ordering: .relaxed) }

        func clear() { value.store(false, ordering: .relaxed) }
    }
}

extension HostileRun.Report {
    /// What the server failed at, apart from speed; empty where all is well.
    ///
    /// - Parameter memoryLimit: resident memory that it may reach, in bytes.
    /// - Returns: a sentence for each failure.
    package func failures(memoryLimit: Int = HostileRun.memoryLimit) -> [String] {
        var failures = hostile.failures + attacked.failures.prefix(10) + quiet.failures.prefix(10)
        let highest = memory.max() ?? 0
        if highest > memoryLimit { failures.append("The server took \(highest >> 20) MB.") }
        // A short run does not show growth.
        if memory.count >= 60 {
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
