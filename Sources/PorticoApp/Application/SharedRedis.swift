import Brokerage
import Coordination
import Cryptography
import Gateway
import Logging
import NIOCore
import Redis
import ServiceLifecycle
import Storage
import Synchronization
import Upstream
import Web

/// The Redis server through which replicas share public values and the limits of clients.
///
/// Without it the server works as alone: values come from providers, and each replica applies its part of the limits.
final class SharedRedis: Sendable {
    let client: RedisClient
    /// The connection for messages of streams; nil if no streams are shared.
    private let subscriptions: RedisClient?
    private let streamLease: SharedQuoteStream.Lease?
    private let keyspace: RedisKeyspace
    /// The key under which replicas count tokens of clients.
    let limitKey: SymmetricKey
    private let masterKey: MasterKey
    private let isSandbox: Bool
    private let heartbeat: RedisHeartbeat
    private let limits: RedisLimitMerge
    private let logger: Logger
    // Held for a few stores.
    private let state = Mutex(State())

    private struct State {
        var peers: RedisHeartbeat.Peers?
        var peersKnownAt: ContinuousClock.Instant?
        var cache: RedisCache?
        var mergedClients = 0
    }

    /// The interval of merges of client limits.
    private static let mergeInterval = Duration.milliseconds(250)

    /// - Parameters:
    ///   - source: The server.
    ///   - masterKey: The key from which the names of keys are derived.
    ///   - isSandbox: Whether the providers are simulated.
    ///   - streamLease: Determines the replica that has the connection of a stream; nil if streams are not shared.
    ///   - logger: Logs each change of the connection.
    init(
        _ source: RedisSource, masterKey: MasterKey, isSandbox: Bool, streamLease: SharedQuoteStream.Lease?,
        logger: Logger
    ) {
        client = RedisClient(source.url, source.limits) { change in
            let location = source.url.location
            switch change {
            case .up: logger.notice("Redis is used: \(location).")
            case .down(let failure):
                logger.warning(
                    """
                    Redis at \(location) is not used: \(failure). Replicas request values from providers on their own \
                    until it is available.
                    """)
            }
        }
        self.masterKey = masterKey
        self.isSandbox = isSandbox
        self.logger = logger
        limitKey = masterKey.derivedKey(for: "portico redis token")
        self.streamLease = streamLease
        var limits = source.limits
        // A late message does no harm, and many messages can precede a reply.
        limits.reply = .seconds(2)
        subscriptions = streamLease.map { _ in RedisClient(source.url, limits) }
        keyspace = Self.keyspace(masterKey, environment: isSandbox ? "sandbox" : "providers")
        heartbeat = RedisHeartbeat(client, keyspace, id: RandomID.make())
        self.limits = RedisLimitMerge(client, keyspace)
    }

    private static func keyspace(_ masterKey: MasterKey, environment: String) -> RedisKeyspace {
        RedisKeyspace(masterKey.derivedKey(for: "portico redis keys"), environment: environment)
    }

    /// Creates the cache of public values.
    ///
    /// - Parameters:
    ///   - environments: The providers and their environments; values of others are not used.
    ///   - clock: The clock of the values.
    /// - Returns: The cache.
    func makeCache(environments: [String], clock: TimeSource) -> RedisCache {
        let names = (isSandbox ? ["sandbox"] : []) + environments.sorted()
        let cache = RedisCache(
            client, Self.keyspace(masterKey, environment: names.joined(separator: ",")), clock: clock)
        state.withLock { $0.cache = cache }
        return cache
    }

    /// Makes a stream of prices that replicas share; nil if streams are not shared.
    func streamSharing(clock: TimeSource) -> ProviderAssembly.StreamSharing? {
        guard let subscriptions, let streamLease else { return nil }
        return { [client, keyspace] stream, provider, environment in
            SharedQuoteStream(
                stream, of: provider, in: environment, over: client, subscriptions: subscriptions,
                keyspace: keyspace, clock: clock, lease: streamLease)
        }
    }

    /// Whether another replica has reported within the last seconds that it reaches the database.
    var peerReachesDatabase: Bool {
        state.withLock { state in
            guard let peers = state.peers, let knownAt = state.peersKnownAt else { return false }
            return peers.countWithDatabase > 0 && knownAt + RedisHeartbeat.lifetime > .now
        }
    }

    // MARK: Loops

    /// Keeps the connections until the task is cancelled.
    func run() async {
        async let commands: Void = client.run()
        if let subscriptions {
            async let messages: Void = subscriptions.run()
            // A connection without messages would not notice that it is broken.
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                _ = try? await subscriptions.send([RedisCommand(["PING"])])
            }
            await messages
        }
        await commands
    }

    /// Reports this replica until the task is cancelled.
    func reportReplica(reachesDatabase: @Sendable () -> Bool) async {
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

    /// Merges the limits of clients with those of other replicas until the task is cancelled.
    ///
    /// While Redis is not available, the limits are divided by the number of replicas that was known last.
    func mergeLimits(of clients: ClientRateLimits) async {
        while (try? await Task.sleep(for: Self.mergeInterval)) != nil {
            let isMerged = await mergeOnce(clients)
            clients.divide(among: isMerged ? 1 : state.withLock { 1 + ($0.peers?.count ?? 0) })
        }
    }

    /// Returns false if Redis is not available.
    private func mergeOnce(_ clients: ClientRateLimits) async -> Bool {
        var spent: [String: Duration] = [:]
        var clientByName: [String: LimitedClient] = [:]
        for (client, amount) in clients.takeSpent() {
            guard let name = client.name else { continue }
            spent[name] = .nanoseconds(amount.nanoseconds)
            clientByName[name] = client
        }
        do throws(RedisFailure) {
            var debts: [LimitedClient: TimeAmount] = [:]
            for (name, debt) in try await limits.add(spent) {
                guard let client = clientByName[name] else { continue }
                debts[client] = .milliseconds(debt.wholeMilliseconds)
            }
            clients.merge(debts)
            state.withLock { $0.mergedClients += spent.count }
            return client.isUp
        } catch {
            // Amounts that may have been added are not added again: clients would pay twice.
            return false
        }
    }
}

extension SharedRedis {
    /// The state of Redis for `/health/ready`; the server is ready also without it.
    var component: Readiness.Component {
        let failure = client.failure
        let state: Readiness.State = client.isUp ? .up : failure == nil ? .unknown : .down
        return Readiness.Component("redis", state, detail: failure.map { "\(client.location): \($0)" })
    }

    /// The metrics of Redis.
    var families: [MetricFamily] {
        func family(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Int) -> MetricFamily {
            MetricFamily("portico_redis_\(name)", kind, help, [MetricFamily.Sample(Double(value))])
        }
        let counts = client.counts
        let (cache, merged, peers) = state.withLock { state in
            (state.cache?.counts ?? RedisCache.Counts(), state.mergedClients, state.peers?.count ?? 0)
        }
        return [
            family("up", .gauge, "1, or 0 without a connection to Redis.", client.isUp ? 1 : 0),
            family("peers", .gauge, "Other replicas that have reported through Redis.", peers),
            family("connections_total", .counter, "Connections that were opened.", counts.connections),
            family("commands_total", .counter, "Commands to which Redis replied.", counts.commands),
            family("failures_total", .counter, "Commands without a reply in time.", counts.failures),
            family("refusals_total", .counter, "Commands that were not sent.", counts.refusals),
            family("hits_total", .counter, "Values that were found in Redis.", cache.hits),
            family("misses_total", .counter, "Values that were not found in Redis.", cache.misses),
            family("waits_total", .counter, "Found values that another replica was requesting.", cache.waits),
            family("writes_total", .counter, "Values that were stored in Redis.", cache.writes),
            family("drops_total", .counter, "Values that could not be stored.", cache.drops),
            family("merged_clients_total", .counter, "Merges of limits, each of one client.", merged),
        ]
    }
}

/// Keeps the connection to Redis; it stops after the services that use it.
struct RedisConnectionService: Service {
    let redis: SharedRedis

    func run() async throws {
        await cancelWhenGracefulShutdown { await redis.run() }
    }
}

// Logs name the service.
extension RedisConnectionService: CustomStringConvertible {
    var description: String { "Redis" }
}

/// Reports this replica to the others, and merges the limits of clients.
struct ReplicaMergeService: Service {
    let redis: SharedRedis
    let clients: ClientRateLimits
    let reachesDatabase: @Sendable () -> Bool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let reports: Void = redis.reportReplica(reachesDatabase: reachesDatabase)
            await redis.mergeLimits(of: clients)
            await reports
        }
    }
}

// Logs name the service.
extension ReplicaMergeService: CustomStringConvertible {
    var description: String { "ReplicaMerge" }
}
