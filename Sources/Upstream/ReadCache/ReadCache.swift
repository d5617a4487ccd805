public import Brokerage
public import Synchronization

/// The limits of a cache.
package struct CacheBounds: Sendable {
    package var entries: Int
    /// The sum of the weights of all values.
    package var bytes: Int

    package init(entries: Int = 10_000, bytes: Int = 32 << 20) {
        self.entries = entries
        self.bytes = bytes
    }
}

/// A read-through cache for data of one kind from providers.
///
/// - Equal reads in flight are one call. A waiter leaves it when it is cancelled or its deadline comes; when
///   the last
///   has left, the call is cancelled.
/// - A value is returned from memory while it is fresh, and for a further time while one call renews it.
///   After that
///   it is returned only if no call succeeds, marked as stale, until it expires: see ``CacheLifetime``.
/// - The response that a provider does not know an object is stored for a short time. No other failure is
///   stored.
/// - A read that requires a value newer than its request (``CallContext/notBefore``) uses no value that was
///   requested
///   earlier, neither from memory nor from a call in flight.
/// - It is bounded in entries and in bytes; the least recently used entries are removed first.
///
/// The class and its look-ups are public, because the compiler specialises inlinable functions in other modules only if
/// they are public: a look-up with `package` takes twice the time.
public final class ReadCache<Query: CacheQuery, Value: Sendable>: Sendable {
    /// Reads the values of some queries of one scope from their provider; a query that the provider does not know is
    /// not in the result.
    ///
    /// The error that it throws is the failure of all of them.
    public typealias Load =
        @Sendable (_ queries: [Query], _ call: CallContext) async throws(ProviderFailure)
        -> KeyedResults<Query, Value>

    @usableFromInline package typealias Key = CacheKey<Query>
    @usableFromInline package typealias Entry = CacheEntry<Value>

    @usableFromInline
    package struct State: Sendable {
        @usableFromInline package var entries: CacheStorage<Query, Value>
        @usableFromInline package var inFlightReads = InFlightReads<Query, Value>()
        /// The weight of the values of users that ``CacheMemory`` counts; look-ups that remove an expired entry change the
        /// weight without a count.
        @usableFromInline var countedWeight = 0

        fileprivate init(_ bounds: CacheBounds) { entries = CacheStorage(bounds) }

        /// The change of the weight since the last count.
        @inlinable
        mutating func countWeight() -> Int {
            defer { countedWeight = entries.weightOfUsers }
            return entries.weightOfUsers - countedWeight
        }

        /// The entry of a key with its freshness; nil if there is none or it has expired.
        @inlinable
        mutating func usableEntry(
            _ key: Key, at now: ContinuousClock.Instant, notBefore: ContinuousClock.Instant?
        ) -> (Entry, Entry.Freshness)? {
            guard let entry = entries.entry(for: key) else { return nil }
            let freshness = entry.freshness(at: now, notBefore: notBefore)
            guard freshness != .expired else {
                entries.remove(key)
                return nil
            }
            return (entry, freshness)
        }

        @inlinable
        mutating func freshValue(
            _ key: Key, at now: ContinuousClock.Instant, notBefore: ContinuousClock.Instant?
        ) -> Value? {
            guard let (entry, freshness) = usableEntry(key, at: now, notBefore: notBefore),
                freshness == .fresh
            else { return nil }
            entries.hits &+= 1
            return entry.value
        }
    }

    /// The clocks of the cache.
    @usableFromInline package let time: TimeSource
    let operation: String
    private let name: String
    @usableFromInline let freshness: FreshnessPolicy<Value>
    @usableFromInline let weight: @Sendable (Value) -> Int
    @usableFromInline let persistence: PersistentCacheTable<Query, Value>?
    // One lock for all; it is held for look-ups and list operations, never while anything is called or resumed.
    @usableFromInline package let state: Mutex<State>
    @usableFromInline let memory: CacheMemory
    /// Whether each caller loads values of shared scopes with a credential of its own.
    let loadsWithCallersCredential: Bool
    /// The weight of the values of users that ``memory`` counts.
    @usableFromInline let countedWeight = Atomic<Int>(0)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - operation: The name of the reads in records: `quotes`.
    ///   - bounds: The number of entries, and the sum of their weights.
    ///   - name: The name of the cache in statistics, if another cache has reads with the same name.
    ///   - freshness: The freshness of values.
    ///   - weight: The approximate memory of a value in bytes; by default its inline size, which is right for plain
    ///     values only.
    ///   - persistence: Where values of providers with a low quota outlive the process. It is searched before a
    ///     provider is called, unless the request demands a new value; private values are never stored there.
    ///   - memory: The memory of users' values, which the cache shares with others by its bound in bytes; nil for a memory
    ///     of its own with that bound.
    ///   - loadsWithCallersCredential: Whether each caller loads values of shared scopes with a credential of its own. A caller
    ///     whose joined read failed by the credential of another caller, or by a limit of it, reads again. It may join a
    ///     later read first; after a second such failure it begins a read of its own. With one credential of the server
    ///     this would be a call for each caller.
    ///   - time: The clocks.
    package init(
        _ operation: String, _ bounds: CacheBounds, name: String? = nil, freshness: FreshnessPolicy<Value>,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride },
        persistence: PersistentCacheTable<Query, Value>? = nil, memory: CacheMemory? = nil,
        loadsWithCallersCredential: Bool = false, time: TimeSource = .system
    ) {
        self.operation = operation
        self.name = name ?? operation
        self.freshness = freshness
        self.weight = weight
        self.persistence = persistence
        self.loadsWithCallersCredential = loadsWithCallersCredential
        self.time = time
        state = Mutex(State(bounds))
        self.memory = memory ?? CacheMemory(limit: bounds.bytes)
        self.memory.add(
            CacheMemory.Member(
                share: max(bounds.bytes, 1), weight: { [weak self] in self?.weightOfUsers ?? 0 },
                evict: { [weak self] in self?.evict($0) ?? 0 },
                statistics: { [weak self] in self?.statistics }))
    }

    /// The use of the cache since it was created.
    package var statistics: CacheStatistics { state.withLock { $0.entries.statistics(named: name) } }

    private var weightOfUsers: Int { countedWeight.load(ordering: .relaxed) }

    private func evict(_ weight: Int) -> Int {
        let now = time.now()
        let removed = state.withLock { state in
            _ = state.entries.evict(weight, at: now)
            return -state.countWeight()
        }
        countedWeight.wrappingSubtract(removed, ordering: .relaxed)
        return removed
    }

    /// Changes the entries, and counts the change of their weight.
    @inlinable
    func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, added) = state.withLock { state in (change(&state), state.countWeight()) }
        countedWeight.wrappingAdd(added, ordering: .relaxed)
        memory.add(added)
        return result
    }

    // MARK: From memory

    /// The value, if it is in memory and fresh.
    ///
    /// Never waits, and never starts a call. With a call context it is recorded as a read of that operation, and
    /// respects its demand.
    @inlinable
    public func cached(_ query: Query, in scope: CacheScope, for call: CallContext? = nil) -> Value? {
        let (now, notBefore) = (time.now(), notBefore(for: call, in: scope))
        let value = state.withLock {
            $0.freshValue(Key(query, in: scope), at: now, notBefore: notBefore)
        }
        if value != nil, let call { recordHit(in: scope, at: now, for: call) }
        return value
    }

    /// All values, in order, if all are in memory and fresh; likewise.
    @inlinable
    public func cached(_ queries: [Query], in scope: CacheScope, for call: CallContext? = nil) -> [Value]? {
        let (now, notBefore) = (time.now(), notBefore(for: call, in: scope))
        let values: [Value]? = state.withLock { state in
            if scope.isPrivate {
                return state.entries.freshValues(
                    queries, ofConnection: scope, at: now, notBefore: notBefore)
            }
            var values: [Value] = []
            values.reserveCapacity(queries.count)
            for query in queries {
                let key = Key(query, in: scope)
                guard let value = state.freshValue(key, at: now, notBefore: notBefore) else { return nil }
                values.append(value)
            }
            return values
        }
        if values != nil, !queries.isEmpty, let call { recordHit(in: scope, at: now, for: call) }
        return values
    }

    /// All values of queries in several scopes, likewise; they are recorded as one read in the first scope.
    package func cached(_ keys: [CacheKey<Query>], for call: CallContext?) -> [Value]? {
        let now = time.now()
        let values: [Value]? = state.withLock { state in
            var values: [Value] = []
            values.reserveCapacity(keys.count)
            for key in keys {
                let notBefore = notBefore(for: call, in: key.scope)
                guard let value = state.freshValue(key, at: now, notBefore: notBefore) else { return nil }
                values.append(value)
            }
            return values
        }
        if values != nil, let scope = keys.first?.scope, let call { recordHit(in: scope, at: now, for: call) }
        return values
    }

    /// The latest stored value of a query, marked as stale: for use when no call succeeded.
    ///
    /// Nil if there is none, or if the failures say that there is no such object or that the credential may not see
    /// it.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - failures: the scopes that were read, one for each source of a route, with the failure of each source.
    ///   - call: the operation that reads; nil if nothing is recorded.
    /// - Returns: the value that was requested last.
    @usableFromInline
    package func stale(
        _ query: Query, after failures: [(CacheScope, ProviderFailure)], for call: CallContext? = nil
    ) -> Value? {
        guard let markStale = freshness.markStale else { return nil }
        let now = time.now()
        let scopes = failures.filter { $0.1.cause.traits.contains(.allowsStaleValue) }.map(\.0)
        let latest = state.withLock { state in
            scopes.compactMap { scope in
                state.usableEntry(Key(query, in: scope), at: now, notBefore: nil).map { (scope, $0.0) }
            }
            .filter { $0.1.value != nil }.max { $0.1.requestedAt < $1.1.requestedAt }
        }
        guard let (scope, entry) = latest, let value = entry.value else { return nil }
        if let call { record(.stale, in: scope, at: now, for: call) }
        return markStale(value)
    }

    /// Whether a response that the provider does not know the object is stored, and recent enough for an operation.
    package func isUnknown(_ query: Query, in scope: CacheScope, for call: CallContext) -> Bool {
        let (now, notBefore) = (time.now(), notBefore(for: call, in: scope))
        return state.withLock { state in
            guard
                let (entry, freshness) = state.usableEntry(
                    Key(query, in: scope), at: now, notBefore: notBefore)
            else { return false }
            return freshness == .fresh && entry.value == nil
        }
    }

    /// Stores that the provider does not know an object in any form.
    package func storeUnknown(_ query: Query, in scope: CacheScope) {
        let now = time.now()
        let duration = negativeTTL(in: scope)
        guard duration > .zero else { return }
        let entry = Entry(unknownRequestedAt: now, readAt: now, for: duration)
        update { $0.entries.insert(entry, for: Key(query, in: scope), weight: 0, at: now) }
    }

    /// Removes all values of an owner's connections to a provider, which a write may have changed.
    ///
    /// The result of a read in flight is returned to the tasks that wait for it. It is not stored, and no task joins
    /// that read any more.
    package func invalidate(privateTo owner: OwnerID, at provider: ProviderID) {
        update { state in
            state.entries.removeAll { $0.isPrivate(to: owner, at: provider) }
            state.inFlightReads.release { $0.isPrivate(to: owner, at: provider) }
        }
    }

    /// Removes one value, likewise.
    package func invalidate(_ query: Query, in scope: CacheScope) {
        update { state in
            state.entries.remove(Key(query, in: scope))
            state.inFlightReads.release(query, in: scope)
        }
    }

    @usableFromInline
    func negativeTTL(in scope: CacheScope) -> Duration {
        freshness.negativeTTL ?? scope.provider.traits.unknownLifetime
    }

    /// The earliest time of the provider's response that an operation accepts; nil if it accepts any.
    @usableFromInline
    func notBefore(for call: CallContext?, in scope: CacheScope) -> ContinuousClock.Instant? {
        guard freshness.honorsNoCache, let call, let notBefore = call.notBefore else { return nil }
        return call.acceptsMinimumAge ? notBefore - scope.provider.traits.minimumAge : notBefore
    }

    // MARK: Records

    @usableFromInline
    func recordHit(in scope: CacheScope, at now: ContinuousClock.Instant, for call: CallContext) {
        record(.cached, in: scope, at: now, for: call)
    }

    /// Records a read without a call: one record for all of its queries.
    func record(
        _ outcome: CallRecord.Outcome, in scope: CacheScope, at start: ContinuousClock.Instant,
        duration: Duration = .zero, for call: CallContext
    ) {
        call.observe?(
            CallRecord(
                provider: scope.provider, operation: operation, outcome: outcome, start: start,
                duration: duration))
    }
}
