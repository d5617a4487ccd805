import Foundation
import Sandbox
import TestSupport
import Testing

/// Several processes of Portico with one PostgreSQL database.
enum Replicas {
    /// The settings of replicas with a database of their own.
    ///
    /// - Parameters:
    ///   - other: Further settings.
    ///   - folder: The directory of the file with the owner's token.
    ///   - cluster: The server of the database; nil for the one that the tests share.
    /// - Returns: The settings.
    /// - Throws: An error if the database or the file cannot be created.
    static func environment(
        _ other: [String: String] = [:], _ folder: URL, in cluster: PostgresCluster? = nil
    ) throws -> [String: String] {
        let cluster = try cluster ?? PostgresCluster.shared.get()
        let name = "replicas_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        _ = try cluster.execute("CREATE DATABASE \(name)")
        var environment = try other.merging(ownerSetting(in: folder)) { $1 }.merging([
            "PORTICO_DATABASE_URL": cluster.url(name), "PORTICO_PASSWORD_COST": "4",
            "PORTICO_SIGN_UP": "open",
            "PORTICO_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]) { $1 }
        environment["PORTICO_DATA"] = nil
        return environment.merging(patience) { $1 }
    }

    /// The longest times for look-ups and replies of Redis: a machine with many tests exceeds the default values.
    static let patience = ["PORTICO_DATABASE_LOOK_UP_TIMEOUT": "2000", "PORTICO_REDIS_TIMEOUT": "2000"]

    /// The settings with the default values of these times, for tests of failures and of promises in seconds.
    static func impatient(_ environment: [String: String]) -> [String: String] {
        environment.filter { patience[$0.key] == nil }
    }

    /// The settings of replicas with the keys of a broker, its stream of prices, and a Redis server.
    static func environment(
        _ sandbox: Sandbox, _ redis: RedisServer, _ folder: URL
    ) throws -> [String: String] {
        let (keys, streamURL) = (SandboxUser.demo.alpaca, sandbox.alpaca.dataStreamURL)
        var upstream = Upstream(sandbox)
        // The stream accepts no token. The setting's scheme is http for ws.
        upstream.credential = [
            "PORTICO_ALPACA_KEY_ID": keys.keyID, "PORTICO_ALPACA_SECRET_KEY": keys.secretKey,
            "PORTICO_ALPACA_DATA_STREAM_URL": streamURL.replacing("ws://", with: "http://"),
            "PORTICO_REDIS_URL": redis.url(),
        ]
        return try environment(upstream.environment, folder)
    }

    /// The name of the database of replicas' settings.
    static func database(_ environment: [String: String]) -> String? {
        let path = environment["PORTICO_DATABASE_URL"]?.split(separator: "/").dropFirst(2).first
        return path?.split(separator: "?").first.map(String.init)
    }

    /// Executes SQL in the database of the replicas, and returns what `psql` prints.
    static func execute(_ sql: String, _ environment: [String: String]) throws -> String {
        try PostgresCluster.shared.get().execute(sql, in: #require(database(environment)))
    }

    /// Runs a number of replicas around a test, all of which are stopped after it.
    static func run(
        _ count: Int, _ environment: [String: String], _ known: [RunningServer] = [],
        _ test: ([RunningServer]) async throws -> Void
    ) async throws {
        guard count > 0 else { return try await test(known) }
        try await withServer(environment: environment) { server in
            try await run(count - 1, environment, known + [server], test)
        }
    }
}
