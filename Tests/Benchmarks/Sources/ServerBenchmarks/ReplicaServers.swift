import Foundation
import Sandbox
import TestSupport

/// The servers of the benchmark `replicas`, which run during all of it: single-machine mode and the first of two replicas on
/// the first core, the second replica on the second core.
struct ReplicaServers {
    let sandbox: Sandbox
    let postgres: PostgresCluster
    let redis: RedisServer
    /// With a data directory, without other servers.
    let single: PorticoProcess
    let replicas: [PorticoProcess]
    /// The token of the owner of the accounts at the sandbox.
    let ownerToken: String

    private static let database = "replicas"

    /// Starts all of them, runs a closure, and stops them.
    static func with(_ command: [String], _ work: (ReplicaServers) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (postgres, redis) = (try QueryCounts.cluster(), try RedisServer())
        _ = try postgres.execute("CREATE DATABASE \(database)")
        let (ownerToken, tokenFile) = ("owner-token-of-the-benchmark", folder.appending(path: "owner-token"))
        try ownerToken.write(to: tokenFile, atomically: true, encoding: .utf8)
        try await Sandbox.with { sandbox in
            let common = sandbox.environment.merging([
                "PORTICO_OWNER_TOKEN_FILE": tokenFile.path, "PORTICO_PASSWORD_COST": "4",
                "PORTICO_GUESTS_PER_ADDRESS": "1000000",
                "PORTICO_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            ]) { $1 }
            let shared = common.merging([
                "PORTICO_DATABASE_URL": postgres.url(database), "PORTICO_REDIS_URL": redis.url(),
            ]) { $1 }
            let local = common.merging(["PORTICO_DATA": folder.appending(path: "data").path]) { $1 }
            try await PorticoProcess.with(onCore(0, command), local) { single in
                try await PorticoProcess.with(onCore(0, command), shared) { first in
                    try await PorticoProcess.with(onCore(1, command), shared) { second in
                        try await work(
                            ReplicaServers(
                                sandbox: sandbox, postgres: postgres, redis: redis, single: single,
                                replicas: [first, second], ownerToken: ownerToken))
                    }
                }
            }
        }
    }

    private static func onCore(_ core: Int, _ command: [String]) -> [String] {
        ["taskset", "--cpu-list", "\(core)"] + command
    }

    func queries() throws -> QueryCounts {
        try QueryCounts(of: Self.database, in: postgres, redis)
    }

    /// The number of connections that PostgreSQL has from the replicas.
    func connections() throws -> Int {
        let text = try postgres.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(Self.database)'")
        guard let count = Int(text) else { throw BenchmarkError("psql printed no number: \(text)") }
        return count
    }
}

extension PorticoProcess {
    /// The processor time that the process has used.
    func processorTime() throws -> Duration {
        let path = "/proc/\(processID)/stat"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // The name of the program, in parentheses, can have spaces. Linux counts hundredths of a second for programs.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw BenchmarkError("\(path) has no processor time: \(text)")
        }
        return .milliseconds(10) * (user + system)
    }
}
