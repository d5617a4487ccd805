package import Cryptography
package import Redis
package import Storage
import Synchronization

/// The Redis server through which replicas share public values, streams of prices and the rates of clients.
///
/// Without it the server works as alone: values come from providers, and each replica applies its part of the rates.
package final class SharedRedis: CoordinationPart {
    package let client: RedisClient
    /// The connection for messages of streams; nil if no streams are shared.
    let subscriptions: RedisClient?
    let keyspace: RedisKeyspace
    /// The key under which replicas count tokens of clients.
    package let limitKey: SymmetricKey
    private let masterKey: MasterKey
    private let isSandbox: Bool
    private let heartbeat: RedisHeartbeat
    // Held for a few stores.
    private let state = Mutex(State())

    private struct State {
        var peers: RedisHeartbeat.Peers?
        var peersKnownAt: ContinuousClock.Instant?
    }

    /// - Parameters:
    ///   - url: The server.
    ///   - limits: The limits of its client.
    ///   - masterKey: The key from which the names of keys are derived.
    ///   - isSandbox: Whether the providers are simulated.
    ///   - sharesStreams: Whether streams of prices are shared, which needs leases.
    ///   - onChange: Called at each change of the connection.
    package init(
        _ url: RedisURL, _ limits: RedisClient.Limits, masterKey: MasterKey, isSandbox: Bool,
        sharesStreams: Bool, onChange: @escaping @Sendable (RedisClient.Change) -> Void
    ) {
        client = RedisClient(url, limits, report: onChange)
        (self.masterKey, self.isSandbox) = (masterKey, isSandbox)
        limitKey = masterKey.derivedKey(for: "portico redis token")
        var limits = limits
        // A late message does no harm, and many messages can precede a reply.
        limits.reply = .seconds(2)
        subscriptions = sharesStreams ? RedisClient(url, limits) : nil
        keyspace = Self.keyspace(masterKey, environment: isSandbox ? "sandbox" : "providers")
        heartbeat = RedisHeartbeat(client, keyspace, id: RandomID.make())
    }

    private static func keyspace(_ masterKey: MasterKey, environment: String) -> RedisKeyspace {
        RedisKeyspace(masterKey.derivedKey(for: "portico redis keys"), environment: environment)
    }

    /// The keys of values of providers in their environments; values of others are not used.
    func keyspace(of environments: [String]) -> RedisKeyspace {
        let names = (isSandbox ? ["sandbox"] : []) + environments.sorted()
        return Self.keyspace(masterKey, environment: names.joined(separator: ","))
    }

    /// The number of other replicas that was known last.
    var peerCount: Int { state.withLock { $0.peers?.count ?? 0 } }

    /// Whether another replica has reported within the last seconds that it reaches the database.
    package var peerReachesDatabase: Bool {
        state.withLock { state in
            guard let peers = state.peers, let knownAt = state.peersKnownAt else { return false }
            return peers.countWithDatabase > 0 && knownAt + RedisHeartbeat.lifetime > .now
        }
    }

    /// Keeps the connections until the task is cancelled.
    package func run() async {
        async let commands: Void = client.run()
        if let subscriptions {
            async let messages: Void = subscriptions.run()
            // Without commands, a broken connection, or one to a server that has become a replica, would not be detected.
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                await subscriptions.verifyServer()
            }
            await messages
        }
        await commands
    }

    /// Reports this replica until the task is cancelled.
    package func report(reachesDatabase: @Sendable () -> Bool) async {
        repeat {
            if let peers = try? await heartbeat.report(reachesDatabase: reachesDatabase()) {
                state.withLock { state in
                    state.peers = peers
                    state.peersKnownAt = .now
                }
            }
        } while (try? await Task.sleep(for: RedisHeartbeat.interval)) != nil
        await heartbeat.leave()
    }

    /// The server is ready also without Redis.
    package var states: [PartState] {
        let failure = client.failure
        return [
            PartState(
                name: "redis", isUp: client.isUp ? true : failure == nil ? nil : false,
                // Without the location, because the public port shows it; the log has both.
                detail: failure.map { "Redis is not used: \($0)" })
        ]
    }

    package var metrics: [PartMetric] {
        let counts = client.counts
        return [
            .gauge("redis_up", "1, or 0 without a connection to Redis.", client.isUp ? 1 : 0),
            .gauge("redis_peers", "Other replicas that have reported through Redis.", peerCount),
            .counter("redis_connections_total", "Connections that were opened.", counts.connections),
            .counter("redis_commands_total", "Commands to which Redis replied.", counts.commands),
            .counter("redis_failures_total", "Commands without a reply in time.", counts.failures),
            .counter("redis_refusals_total", "Commands that were not sent.", counts.refusals),
        ]
    }
}
