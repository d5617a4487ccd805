/// How much is kept of one kind of data, and how long.
package struct ReadBounds: Sendable {
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
/// - A value is served from memory until its time to live is over. Failures are not kept.
/// - Bounded in entries and in bytes; the least recently used go first.
package struct Reads<Value: Sendable>: Sendable {
    /// Fetches values for some keys; one that the provider does not know is not in the result.
    package typealias Fetch =
        @Sendable (_ keys: [CacheKey], _ context: CallContext) async throws(ProviderFailure) -> [CacheKey:
        Value]

    private let store: ReadStore

    /// Reads of one kind.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `quotes`.
    ///   - bounds: How much is kept, and how long.
    ///   - clock: What times are measured by.
    ///   - weight: About how many bytes a value takes; by default its inline size, which is right for plain values
    ///     only.
    package init(
        _ operation: String, bounds: ReadBounds, clock: CallClock = .system,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride }
    ) {
        store = ReadStore(operation, bounds: bounds, clock: clock) { value in
            // Only values that went in below are weighed.
            (value as? Value).map(weight) ?? 0
        }
    }

    // MARK: At hand

    /// The value if it is at hand and young enough.
    ///
    /// Never waits for anything.
    package func cached(_ key: CacheKey, in context: CallContext? = nil) -> Value? {
        guard let value = store.cached(key, in: context) else { return nil }
        return value as? Value
    }

    /// All values, in order, if all are at hand and young enough.
    ///
    /// Never waits for anything.
    package func cached(_ keys: [CacheKey], in context: CallContext? = nil) -> [Value]? {
        guard let values = store.cached(keys, in: context) else { return nil }
        let typed = values.compactMap { $0 as? Value }
        return typed.count == keys.count ? typed : nil
    }

    /// Forgets what a write may have changed.
    ///
    /// What is being read at this moment goes to those who wait for it already, but is neither kept nor shared with
    /// anybody who asks from now on. `isTouched` must not use this object.
    package func invalidate(where isTouched: @Sendable (CacheKey) -> Bool) {
        store.invalidate(where: isTouched)
    }

    // MARK: By a call

    /// The value from memory, from a call in flight, or by `fetch`.
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
        return try result.get()
    }

    /// The values from memory, from calls in flight, or by `fetch` for all the rest.
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
            // A loop, since a dictionary's `mapValues` would lose the error's type.
            var values: [CacheKey: any Sendable] = [:]
            for (key, value) in try await fetch(keys, context) { values[key] = value }
            return values
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
