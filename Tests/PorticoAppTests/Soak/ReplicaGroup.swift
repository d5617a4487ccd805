import Dispatch
import PorticoCore
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Replicas that a test kills, stops and starts again, each with settings of its own.
final class ReplicaGroup: Sendable {
    private struct Replica {
        var server: RunningServer
        var isPaused = false
    }

    private let settings: [[String: String]]
    private let longestLife: DispatchTimeInterval
    // Clients and disturbances use it at the same time; held for a few look-ups.
    private let replicas: Mutex<[Replica]>

    private init(
        _ settings: [[String: String]], _ longestLife: DispatchTimeInterval
    ) async throws {
        var replicas: [Replica] = []
        for environment in settings {
            replicas.append(Replica(server: try await Self.start(environment, longestLife)))
        }
        (self.settings, self.longestLife) = (settings, longestLife)
        self.replicas = Mutex(replicas)
    }

    /// Runs replicas around a test, and stops them with SIGTERM after it; then their exit status must be 0.
    ///
    /// - Parameters:
    ///   - settings: The settings of each replica.
    ///   - longestLife: The time after which a process is killed.
    ///   - test: The test.
    /// - Throws: The error of the test, or of a replica that does not start.
    static func run(
        _ settings: [[String: String]], longestLife: DispatchTimeInterval,
        _ test: (ReplicaGroup) async throws -> Void
    ) async throws {
        try await ProcessLimiter.take {
            let group = try await ReplicaGroup(settings, longestLife)
            let result = await Result.of { try await test(group) }
            for index in 0..<group.count { group.resume(index) }
            for server in group.servers { server.program.stop() }
            for server in group.servers {
                #expect(await server.program.exitStatus == 0, "\(server.program.errors.text)")
            }
            try result.get()
        }
    }

    private static func start(
        _ environment: [String: String], _ longestLife: DispatchTimeInterval
    ) async throws -> RunningServer {
        let program = try Program(
            ["serve", "--port", "0"], environment: environment, longestLife: longestLife)
        return RunningServer(program: program, port: try await program.port())
    }

    var count: Int { settings.count }

    /// The latest process of each replica; it may be stopped or have ended.
    var servers: [RunningServer] { replicas.withLock { $0.map(\.server) } }

    /// The replicas that are not stopped by ``pause(_:)``.
    var running: [Int] {
        replicas.withLock { replicas in replicas.indices.filter { !replicas[$0].isPaused } }
    }

    /// Ends a replica with SIGKILL, and starts it again.
    ///
    /// - Parameters:
    ///   - index: The number of the replica.
    ///   - absence: Executed after the signal, before the replica is started again.
    /// - Throws: The error of `absence`, or of a replica that does not start.
    func kill(_ index: Int, _ absence: () async throws -> Void = {}) async throws {
        let server = servers[index]
        server.program.crash()
        try await absence()
        #expect(await server.program.exitStatus == 128 + SIGKILL)
        try await restart(index)
    }

    /// Ends a replica with SIGTERM, and starts it again.
    ///
    /// - Parameters:
    ///   - index: The number of the replica.
    ///   - absence: Executed after the signal, before the replica is started again.
    /// - Throws: The error of `absence`, or of a replica that does not start.
    func terminate(_ index: Int, _ absence: () async throws -> Void = {}) async throws {
        let server = servers[index]
        server.program.stop()
        try await absence()
        #expect(await server.program.exitStatus == 0, "\(server.program.errors.text)")
        try await restart(index)
    }

    private func restart(_ index: Int) async throws {
        let server = try await Self.start(settings[index], longestLife)
        replicas.withLock { $0[index] = Replica(server: server) }
    }

    /// Stops a replica with SIGSTOP: its sockets stay open.
    func pause(_ index: Int) {
        let server = replicas.withLock { replicas in
            replicas[index].isPaused = true
            return replicas[index].server
        }
        server.program.send(SIGSTOP)
    }

    func resume(_ index: Int) {
        let server = replicas.withLock { replicas in
            replicas[index].isPaused = false
            return replicas[index].server
        }
        server.program.send(SIGCONT)
    }
}
