import Brokerage
package import Synchronization

/// The machinery of ``ReadCache``, for values of any kind.
///
/// It is not generic: generic code is not specialised across modules for `package` declarations, and looked-up type
/// metadata cost more than the cache itself (380 ns a look-up against 230).
package final class ReadStore: Sendable {
    typealias Fetch =
        @Sendable (_ keys: [CacheKey], _ context: CallContext) async throws(ProviderFailure)
        -> KeyedResults<CacheKey, any Sendable>

    package struct State {
        package var cache: LRUCache<CacheKey, CacheEntry>
        package var inFlightReads = InFlightReads()

        /// What is kept and of some use.
        mutating func usableEntry(
            _ key: CacheKey, at now: ContinuousClock.Instant, _ demand: ReadDemand?
        ) -> (CacheEntry, CacheEntry.Freshness)? {
            guard let kept = cache.value(for: key) else { return nil }
            let standing = kept.freshness(at: now, notBefore: demand?.earliest(at: key.provider))
            if standing == .over {
                cache.remove(key)
                return nil
            }
            return (kept, standing)
        }
    }

    let operation: String
    let kind: ReadKind
    let clock: TimeSource
    // One lock for all; it is held for look-ups and list operations, never while anything is called or resumed.
    package let state: Mutex<State>

    init(_ operation: String, entries: Int, bytes: Int, kind: ReadKind, clock: TimeSource) {
        self.operation = operation
        self.kind = kind
        self.clock = clock
        state = Mutex(State(cache: LRUCache(maximumCount: entries, maximumWeight: bytes)))
    }

    // MARK: At hand

    func cached(_ key: CacheKey, in context: CallContext?) -> (any Sendable)? {
        let now = clock.now()
        let demand = demand(of: context)
        guard let value = state.withLock({ Self.fresh(key, in: &$0, at: now, demand) }) else { return nil }
        record(.cached, [key], at: now, in: context)
        return value
    }

    func cached(_ keys: [CacheKey], in context: CallContext?) -> [any Sendable]? {
        let now = clock.now()
        let demand = demand(of: context)
        let values: [any Sendable]? = state.withLock { state in
            var values: [any Sendable] = []
            values.reserveCapacity(keys.count)
            for key in keys {
                guard let value = Self.fresh(key, in: &state, at: now, demand) else { return nil }
                values.append(value)
            }
            return values
        }
        if values != nil { record(.cached, keys, at: now, in: context) }
        return values
    }

    private static func fresh(
        _ key: CacheKey, in state: inout State, at now: ContinuousClock.Instant,
        _ demand: ReadDemand?
    ) -> (any Sendable)? {
        guard let (kept, standing) = state.usableEntry(key, at: now, demand), standing == .fresh else {
            return nil
        }
        return kept.value
    }

    func lastKnown(
        after failures: [(CacheKey, ProviderFailure)], in context: CallContext?
    ) -> (any Sendable)? {
        guard let asStale = kind.markedStale else { return nil }
        let now = clock.now()
        let keys = failures.filter { $0.1.cause.allowsStaleValue }.map(\.0)
        let latest = state.withLock { state in
            keys.compactMap { key in state.usableEntry(key, at: now, nil).map { (key, $0.0) } }
                .filter { $0.1.value != nil }.max { $0.1.requestedAt < $1.1.requestedAt }
        }
        guard let (key, kept) = latest, let value = kept.value else { return nil }
        record(.stale, [key], at: now, in: context)
        return asStale(value)
    }

    func isUnknown(_ key: CacheKey, in context: CallContext) -> Bool {
        let now = clock.now()
        let demand = demand(of: context)
        return state.withLock { state in
            guard let (kept, standing) = state.usableEntry(key, at: now, demand) else { return false }
            return standing == .fresh && kept.value == nil
        }
    }

    func storeUnknown(_ key: CacheKey) {
        let now = clock.now()
        let duration = kind.unknown ?? key.provider.traits.unknownLifetime
        guard duration > .zero else { return }
        let kept = CacheEntry(unknownAskedAt: now, readAt: now, for: duration)
        state.withLock { $0.cache.insert(kept, for: key, weight: key.weight) }
    }

    func invalidate(where isTouched: @Sendable (CacheKey) -> Bool) {
        state.withLock { state in
            state.cache.removeAll(where: isTouched)
            state.inFlightReads.release(where: isTouched)
        }
    }

    // MARK: By a call

    func values(
        for keys: [CacheKey], keysPerCall: Int, in context: CallContext, fetch: @escaping Fetch
    ) async -> [CacheKey: Result<any Sendable, ProviderFailure>] {
        var results: [CacheKey: Result<any Sendable, ProviderFailure>] = [:]
        var wanted = keys
        while !wanted.isEmpty {
            let plan = plan(wanted, keysPerCall: max(keysPerCall, 1), in: context)
            for (key, kept) in plan.cached { results[key] = result(of: kept, for: key) }
            for (key, refusal) in plan.limitErrors {
                results[key] = .failure(ProviderFailure(key.provider, .notAllowed(refusal)))
            }
            for departure in plan.newReads { startRead(departure, in: context, fetch: fetch) }
            recordCached(of: plan, in: context)
            wanted = []
            for (journey, landing) in await arrivals(of: plan.awaitedReads, in: context) {
                for key in journey.keys {
                    if mayRetry(journey, after: landing.failure(of: key)?.cause, in: context) {
                        wanted.append(key)
                    } else {
                        results[key] = landing.result(for: key)
                    }
                }
            }
        }
        return results
    }

    private func result(of kept: CacheEntry, for key: CacheKey) -> Result<any Sendable, ProviderFailure> {
        guard let value = kept.value else { return .failure(ProviderFailure(key.provider, .notFound)) }
        return .success(kept.hasFailedToRenew ? kind.markedStale?(value) ?? value : value)
    }

    func demand(of context: CallContext?) -> ReadDemand? {
        guard kind.heedsRequests, let context, let notBefore = context.notBefore else { return nil }
        return ReadDemand(notBefore: notBefore, acceptsMinimumAge: context.acceptsMinimumAge)
    }

    // MARK: Records

    private func recordCached(of plan: ReadPlan, in context: CallContext) {
        guard context.observe != nil, !plan.cached.isEmpty else { return }
        let now = clock.now()
        record(.stale, plan.stale, at: now, in: context)
        // As a rule nothing is past its time.
        let stale = Set(plan.stale)
        let fresh = plan.cached.map(\.0)
        record(.cached, stale.isEmpty ? fresh : fresh.filter { !stale.contains($0) }, at: now, in: context)
    }

    /// Tells of a read for which no call was made: one record for all of its keys.
    func record(
        _ outcome: CallRecord.Outcome, _ keys: [CacheKey], at start: ContinuousClock.Instant,
        duration: Duration = .zero, in context: CallContext?
    ) {
        guard let observe = context?.observe, let provider = keys.first?.provider else { return }
        observe(
            CallRecord(
                provider: provider, operation: operation, outcome: outcome, start: start, duration: duration))
    }
}

/// The age of a value that an operation accepts.
struct ReadDemand {
    let notBefore: ContinuousClock.Instant
    let acceptsMinimumAge: Bool

    /// The earliest time of the provider's response that is accepted.
    func earliest(at provider: ProviderID) -> ContinuousClock.Instant {
        acceptsMinimumAge ? notBefore - provider.traits.minimumAge : notBefore
    }
}

extension ProviderFailure.Cause {
    /// Whether what was known before is still worth to be served: not where the provider answered that there is no such
    /// thing, or that it is not for this credential.
    fileprivate var allowsStaleValue: Bool {
        switch self {
        case .unavailable, .circuitOpen, .timedOut, .invalidResponse, .rateLimited, .quotaExhausted,
            .overloaded, .feedFull, .notAllowed:
            true
        case .unauthorized, .notEntitled, .notFound, .unsupported, .cancelled: false
        }
    }
}

extension ReadStore {
    /// The values of a flight's keys that outlived an earlier process and are fresh.
    ///
    /// Those that are of some use only are put in memory, for when the call fails.
    func restore(_ departure: ReadPlan.Departure, in context: CallContext) async -> [CacheKey: any Sendable] {
        guard let shelf = kind.persistentTable else { return [:] }
        let names = Dictionary(
            departure.keys.compactMap { key in shelf.name(of: key).map { ($0, key) } },
            uniquingKeysWith: { first, _ in first })
        if names.isEmpty { return [:] }
        let found = await shelf.cache.load(Array(names.keys))
        let (now, wallTime) = (clock.now(), clock.wallTime())
        var fresh: [CacheKey: any Sendable] = [:]
        var restored: [(CacheKey, CacheEntry, weight: Int)] = []
        for (name, lasting) in found {
            // What was read later than now was read by a clock that has been set back since: nobody knows its age.
            guard let key = names[name], lasting.readAt <= wallTime, wallTime < lasting.staleUntil,
                let value = shelf.decode(lasting.bytes)
            else { continue }
            if wallTime < lasting.freshUntil { fresh[key] = value }
            let kept = CacheEntry(value, restoredFrom: lasting, at: now, wallTime)
            restored.append((key, kept, kind.weight(value) + key.weight))
        }
        state.withLock { state in
            for (key, kept, weight) in restored where state.inFlightReads.isInFlight(key, departure.readID) {
                if let known = state.cache.value(for: key), known.requestedAt >= kept.requestedAt { continue }
                state.cache.insert(kept, for: key, weight: weight)
            }
        }
        if !fresh.isEmpty { record(.cached, Array(fresh.keys), at: now, in: context) }
        return fresh
    }

    /// Has values that were just read outlive the process, if they are of a scarce provider.
    func persist(_ keys: [CacheKey], _ landing: InFlightReads.Landing) {
        guard let shelf = kind.persistentTable else { return }
        let now = clock.wallTime()
        var lasting: [PersistentCacheKey: PersistentCacheEntry] = [:]
        for key in keys {
            guard let value = landing.values[key], let name = shelf.name(of: key),
                let bytes = shelf.encode(value)
            else { continue }
            let lifetime = kind.lifetime(value, now)
            lasting[name] = PersistentCacheEntry(
                bytes: bytes, readAt: now, freshUntil: now + lifetime.fresh, staleUntil: now + lifetime.end)
        }
        if !lasting.isEmpty { shelf.cache.save(lasting) }
    }
}
