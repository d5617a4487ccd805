package import Brokerage
package import Redis
import Synchronization
package import Upstream

/// A cache of public values that all replicas share.
///
/// A failure is a miss: values are then requested from their providers. Private values have no key
/// (``PersistentCacheKey``), so that they cannot be stored here.
///
/// A replica that finds no fresh value claims its key for a short time (`SET NX PX`) and calls the provider. Others wait for
/// the value, and call the provider themselves if it does not come. Only the quotas bound the number of calls.
package final class RedisCache: PersistentCache {
    /// The limits of a cache.
    package struct Limits: Sendable {
        /// The bytes of a value; longer ones are not stored.
        package var valueBytes = 1 << 20
        /// The time after which a claim ends by itself.
        package var claim = Duration.seconds(2)
        /// The longest wait for the value of another replica.
        package var wait = Duration.milliseconds(500)
        /// The pause between two look-ups while waiting.
        package var pollInterval = Duration.milliseconds(25)
        /// The most by which the clock of another replica may be ahead.
        ///
        /// A value that was read in the future, by this clock, counts as read now.
        package var clockSkew = Duration.seconds(1)

        package init() {}
    }

    /// The numbers of metrics, in values.
    package struct Counts: Hashable, Sendable {
        /// Fresh values that were found.
        package var hits = 0
        /// Values that had to be requested from a provider.
        package var misses = 0
        /// Fresh values that another replica was requesting, for which this one waited.
        package var waits = 0
        /// Values that were stored.
        package var writes = 0
        /// Values that were not stored, because they are too large or Redis failed.
        package var drops = 0

        package init() {}
    }

    private struct State {
        /// The claims of this process, with the values by which Redis recognizes them.
        var claims: [PersistentCacheKey: String] = [:]
        var claimCount = 0
        var counts = Counts()
    }

    package let isShared = true
    private let client: RedisClient
    private let keyspace: RedisKeyspace
    private let limits: Limits
    private let wallTime: @Sendable () -> Instant
    private let process = String(UInt64.random(in: .min ... .max), radix: 36)
    // Held for a few stores, never while anything is sent.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - client: The client of the server.
    ///   - keyspace: The names of the keys.
    ///   - limits: The limits.
    ///   - clock: The wall clock, by which values expire.
    package init(
        _ client: RedisClient, _ keyspace: RedisKeyspace, _ limits: Limits = Limits(),
        clock: TimeSource = .system
    ) {
        self.client = client
        self.keyspace = keyspace
        self.limits = limits
        wallTime = clock.wallTime
    }

    package var counts: Counts { state.withLock { $0.counts } }

    package func load(_ keys: [PersistentCacheKey]) async -> [PersistentCacheKey: PersistentCacheEntry] {
        var found: [PersistentCacheKey: PersistentCacheEntry] = [:]
        var awaited: Set<PersistentCacheKey> = []
        let end = ContinuousClock.now + limits.wait
        do {
            let replies = try await client.send(keys.map { RedisCommand(["GET", name(of: $0)]) })
            for (key, reply) in zip(keys, replies) { found[key] = entry(reply) }
            var missing = keys.filter { !isFresh(found[$0]) }
            while true {
                missing = try await claim(missing, &found)
                awaited.formUnion(missing)
                let next = ContinuousClock.now + limits.pollInterval
                guard !missing.isEmpty, next <= end else { break }
                try await Task.sleep(until: next, clock: .continuous)
            }
        } catch {
            // Redis failed, or no task waits for the values any more.
        }
        count(keys, found, awaited: awaited)
        return found
    }

    package func save(_ values: [PersistentCacheKey: PersistentCacheEntry]) {
        let now = wallTime()
        var commands: [RedisCommand] = []
        for (key, value) in values {
            let bytes = value.encoded
            guard bytes.count <= limits.valueBytes, now < value.staleUntil else { continue }
            commands.append(.set(name(of: key), to: bytes, for: value.staleUntil.duration(since: now)))
        }
        let stored = commands.count
        if let release = releaseCommand(Array(values.keys)) { commands.append(release) }
        guard !commands.isEmpty else { return drop(values.count) }
        Task.detached { [self, commands] in
            let replies = (try? await client.send(commands)) ?? []
            let written = replies.prefix(stored).count(where: \.isOK)
            state.withLock { state in
                state.counts.writes += written
                state.counts.drops += values.count - written
            }
        }
    }

    package func release(_ keys: [PersistentCacheKey]) {
        guard let command = releaseCommand(keys) else { return }
        // If Redis fails, the claims end by themselves.
        Task.detached { [client] in _ = try? await client.send([command]) }
    }

    // MARK: Values

    private func name(of key: PersistentCacheKey) -> String {
        keyspace.name("value:\(key.kind):\(key.provider.name.text)", key.subject)
    }

    /// The value of a reply, also an expired one; nil if there is none.
    private func entry(_ reply: RESPValue) -> PersistentCacheEntry? {
        guard let entry = reply.bytes.flatMap({ PersistentCacheEntry(encoded: $0) }) else { return nil }
        let lead = entry.readAt.duration(since: wallTime())
        return lead > .zero && lead <= limits.clockSkew ? entry.moved(by: .zero - lead) : entry
    }

    private func isFresh(_ entry: PersistentCacheEntry?) -> Bool {
        entry.map { wallTime() < $0.freshUntil } ?? false
    }

    private func count(
        _ keys: [PersistentCacheKey], _ found: [PersistentCacheKey: PersistentCacheEntry],
        awaited: Set<PersistentCacheKey>
    ) {
        let hits = keys.filter { isFresh(found[$0]) }
        let waits = hits.count(where: awaited.contains)
        state.withLock { state in
            state.counts.hits += hits.count
            state.counts.misses += keys.count - hits.count
            state.counts.waits += waits
        }
    }

    private func drop(_ count: Int) {
        state.withLock { $0.counts.drops += count }
    }

    // MARK: Claims

    private func claimName(of key: PersistentCacheKey) -> String {
        keyspace.name("claim:\(key.kind):\(key.provider.name.text)", key.subject)
    }

    /// Claims keys for this process; returns those that another one has claimed and whose values are not fresh yet.
    ///
    /// The values are read again after the claims: another process can have stored one and ended its claim since.
    private func claim(
        _ keys: [PersistentCacheKey], _ found: inout [PersistentCacheKey: PersistentCacheEntry]
    ) async throws(RedisFailure) -> [PersistentCacheKey] {
        let tokens = state.withLock { state in
            keys.map { _ in
                state.claimCount += 1
                return "\(process).\(state.claimCount)"
            }
        }
        let lifetime = "\(limits.claim.wholeMilliseconds)"
        let replies = try await client.send(
            zip(keys, tokens).flatMap { key, token in
                [
                    RedisCommand(["SET", claimName(of: key), token, "NX", "PX", lifetime]),
                    RedisCommand(["GET", name(of: key)]),
                ]
            })
        var (claimed, awaited): ([PersistentCacheKey], [PersistentCacheKey]) = ([], [])
        state.withLock { state in
            for (index, key) in keys.enumerated() where 2 * index + 1 < replies.count {
                if replies[2 * index].isOK {
                    state.claims[key] = tokens[index]
                    claimed.append(key)
                } else if replies[2 * index] == .null {
                    awaited.append(key)
                }
            }
        }
        for (index, key) in keys.enumerated() where 2 * index + 1 < replies.count {
            if let entry = entry(replies[2 * index + 1]) { found[key] = entry }
        }
        release(claimed.filter { isFresh(found[$0]) })
        return awaited.filter { !isFresh(found[$0]) }
    }

    /// The command that ends the claims of this process, unless another process has claimed the key since; nil if it has
    /// none.
    private func releaseCommand(_ keys: [PersistentCacheKey]) -> RedisCommand? {
        let claims = state.withLock { state in
            keys.compactMap { key in state.claims.removeValue(forKey: key).map { (key, $0) } }
        }
        guard !claims.isEmpty else { return nil }
        return RedisCommand(
            script: """
                for i, key in ipairs(KEYS) do
                    if redis.call('GET', key) == ARGV[i] then redis.call('DEL', key) end
                end
                return #KEYS
                """,
            keys: claims.map { claimName(of: $0.0) }, arguments: claims.map(\.1))
    }
}
