package import Brokerage

/// How much is kept of one kind of data, and how long where that does not depend on the value.
package struct CacheBounds: Sendable {
    package var timeToLive: Duration
    package var entries: Int
    /// Of all values together, by their weights.
    package var bytes: Int

    package init(timeToLive: Duration, entries: Int = 10_000, bytes: Int = 32 << 20) {
        self.timeToLive = timeToLive
        self.entries = entries
        self.bytes = bytes
    }
}

/// One kind of data read from providers: kept for a while, and asked for once however many ask.
///
/// - Equal reads in flight are one call. A waiter that is cancelled, or whose deadline comes, leaves alone; when the
///   last has left, the call is cancelled.
/// - A value is served from memory while it is fresh, and a while longer as one call renews it. What outlived that is
///   served where no call succeeds, marked as stale, until its time is over for good: see ``CacheLifetime``.
/// - That a provider knows no such thing is remembered briefly. No other failure is kept.
/// - A read that demands what is newer than its request (``CallContext/notBefore``) takes nothing that was asked for
///   earlier, neither from memory nor from a call in flight.
/// - Bounded in entries and in bytes; the least recently used go first.
package struct ReadCache<Value: Sendable>: Sendable {
    /// Fetches values for some keys; one that the provider does not know is not in the result.
    ///
    /// What it throws is the failure of all of them.
    package typealias Fetch =
        @Sendable (_ keys: [CacheKey], _ context: CallContext) async throws(ProviderFailure)
        -> KeyedResults<CacheKey, Value>

    package let store: ReadStore

    /// Reads of one kind whose values are good for a fixed time: what a client keeps for its own use.
    ///
    /// No stale value is served, and no request demands a new one.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `listing`.
    ///   - bounds: How much is kept, and how long.
    ///   - clock: What times are measured by.
    ///   - weight: About how many bytes a value takes; by default its inline size, which is right for plain values
    ///     only.
    package init(
        _ operation: String, bounds: CacheBounds, clock: TimeSource = .system,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride }
    ) {
        let kind = ReadKind.fixed(bounds.timeToLive, weight: Self.erased(weight))
        store = ReadStore(operation, entries: bounds.entries, bytes: bounds.bytes, kind: kind, clock: clock)
    }

    /// Reads of one kind whose values tell themselves how long they are good: what is served to those who ask.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `quotes`.
    ///   - entries: How many values are kept.
    ///   - bytes: Of all values together, by their weights.
    ///   - ageing: How values grow old.
    ///   - clock: What times are measured by.
    ///   - weight: About how many bytes a value takes; by default its inline size, which is right for plain values
    ///     only.
    package init(
        _ operation: String, entries: Int = 10_000, bytes: Int, ageing: FreshnessPolicy<Value>,
        clock: TimeSource = .system,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride }
    ) {
        let kind = ReadKind(ageing, weight: Self.erased(weight))
        store = ReadStore(operation, entries: entries, bytes: bytes, kind: kind, clock: clock)
    }

    /// Reads likewise, of whose values those of scarce providers outlive the process.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `quotes`.
    ///   - entries: How many values are kept in memory.
    ///   - bytes: Of all values in memory together, by their weights.
    ///   - ageing: How values grow old.
    ///   - lasting: where they do; nil for nowhere. It is looked at before a provider is asked, unless the request demands
    ///     a new value; what is private is never kept there.
    ///   - clock: What times are measured by.
    ///   - weight: About how many bytes a value takes.
    package init(
        _ operation: String, entries: Int = 10_000, bytes: Int, ageing: FreshnessPolicy<Value>,
        lasting: (any PersistentCache)?, clock: TimeSource = .system,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride }
    ) where Value: PersistentCacheValue {
        let shelf = lasting.map { PersistentCacheTable($0, of: Value.self) }
        let kind = ReadKind(ageing, weight: Self.erased(weight), lasting: shelf)
        store = ReadStore(operation, entries: entries, bytes: bytes, kind: kind, clock: clock)
    }

    private static func erased(
        _ weight: @escaping @Sendable (Value) -> Int
    ) -> @Sendable (any Sendable) -> Int {
        // Only values that went in below are weighed.
        { ($0 as? Value).map(weight) ?? 0 }
    }

    /// What times are measured by.
    package var clock: TimeSource { store.clock }

    // MARK: At hand

    /// The value if it is at hand and fresh.
    ///
    /// Never waits for anything, and never starts a call. With a context it counts as that operation's read, and heeds
    /// its demand.
    package func cached(_ key: CacheKey, in context: CallContext? = nil) -> Value? {
        guard let value = store.cached(key, in: context) else { return nil }
        return value as? Value
    }

    /// All values, in order, if all are at hand and fresh.
    ///
    /// Never waits for anything, and never starts a call.
    package func cached(_ keys: [CacheKey], in context: CallContext? = nil) -> [Value]? {
        guard let values = store.cached(keys, in: context) else { return nil }
        let typed = values.compactMap { $0 as? Value }
        return typed.count == keys.count ? typed : nil
    }

    /// What was last read, marked as stale: for when no call succeeded.
    ///
    /// Nil where nothing is known any more, and where the failures say that there is no such thing or that it is not for
    /// this credential.
    ///
    /// - Parameters:
    ///   - failures: the keys that were asked for, one for each source of a route, and what each source said.
    ///   - context: whose read it is; nil where nobody is to be told.
    /// - Returns: the value that was asked for last.
    package func lastKnown(
        after failures: [(CacheKey, ProviderFailure)], in context: CallContext? = nil
    ) -> Value? {
        store.lastKnown(after: failures, in: context) as? Value
    }

    /// Whether a response that there is nothing under a key is stored, and recent enough for an operation.
    package func isUnknown(_ key: CacheKey, in context: CallContext) -> Bool {
        store.isUnknown(key, in: context)
    }

    /// Stores that there is nothing under a key, for objects that a provider does not have in any form.
    package func storeUnknown(_ key: CacheKey) { store.storeUnknown(key) }

    /// Forgets what a write for an owner at a provider may have changed.
    ///
    /// What is being read at this moment goes to those who wait for it already, but is neither kept nor shared with
    /// anybody who asks from now on.
    package func invalidate(privateTo owner: OwnerID, at provider: ProviderID) {
        store.invalidate { $0.isPrivate(to: owner, at: provider) }
    }

    /// Forgets what a write may have changed.
    ///
    /// What is being read at this moment goes to those who wait for it already, but is neither kept nor shared with
    /// anybody who asks from now on. `isTouched` must not use this object.
    package func invalidate(where isTouched: @Sendable (CacheKey) -> Bool) {
        store.invalidate(where: isTouched)
    }

    // MARK: By a call

    /// The value from memory, from a call in flight, or by `fetch`; where that fails, the one that was last known.
    ///
    /// - Throws: the failure of the call; `notFound` where `fetch` brings nothing for the key; `timedOut` at the
    ///   deadline of `context`; `cancelled` with the task.
    package func value(
        for key: CacheKey, in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        let results = await values(for: [key], in: context) { keys, context throws(ProviderFailure) in
            [key: try await fetch(context)]
        }
        guard let result = results[key] else { throw ProviderFailure(key.provider, .notFound) }
        do throws(ProviderFailure) {
            return try result.get()
        } catch {
            guard let value = lastKnown(after: [(key, error)], in: context) else { throw error }
            return value
        }
    }

    /// The values from memory, from calls in flight, or by `fetch` for all the rest.
    ///
    /// Of a failure nothing is made up for: another source may be asked first, before ``lastKnown(after:in:)``.
    ///
    /// - Parameters:
    ///   - keys: Of one provider.
    ///   - keysPerCall: What `fetch` takes at once; more are fetched by several calls at the same time.
    ///   - context: Whose read it is, and until when.
    ///   - fetch: Asks the provider.
    /// - Returns: a value or a failure for every key; see ``value(for:in:fetch:)``.
    package func values(
        for keys: [CacheKey], keysPerCall: Int = .max, in context: CallContext, fetch: @escaping Fetch
    ) async -> [CacheKey: Result<Value, ProviderFailure>] {
        let results = await store.values(for: keys, keysPerCall: keysPerCall, in: context) {
            keys, context throws(ProviderFailure) in
            let batch = try await fetch(keys, context)
            return KeyedResults(batch.found.mapValues { $0 as any Sendable }, failures: batch.failures)
        }
        var typed: [CacheKey: Result<Value, ProviderFailure>] = [:]
        typed.reserveCapacity(results.count)
        for (key, result) in results {
            typed[key] = result.flatMap { value in
                // The store holds what this very value put in, so the cast cannot fail.
                (value as? Value).map { .success($0) } ?? .failure(ProviderFailure(key.provider, .notFound))
            }
        }
        return typed
    }
}
