import Brokerage

/// The stored result of a read: a value, or that the provider does not know it.
///
/// A class, so that a look-up copies a reference instead of the value, such as the 328 bytes of a quote.
@usableFromInline
package final class CacheEntry<Value: Sendable>: Sendable {
    /// Nil if the provider does not know the object.
    @usableFromInline let value: Value?
    /// The time at which the provider was asked.
    @usableFromInline let requestedAt: ContinuousClock.Instant
    @usableFromInline let freshUntil: ContinuousClock.Instant
    @usableFromInline let renewableUntil: ContinuousClock.Instant
    @usableFromInline let end: ContinuousClock.Instant
    /// Whether the value has expired and the last call to renew it failed.
    @usableFromInline let hasFailedToRenew: Bool
    /// The earliest time of the next call to renew the value.
    @usableFromInline let renewsFrom: ContinuousClock.Instant

    /// The time between a failed renewal and the next one.
    @usableFromInline static var pause: Duration { .seconds(1) }

    /// The use of an entry at a time.
    @usableFromInline
    enum Freshness: Hashable {
        /// It is served.
        case fresh
        /// It is served, and renewed unless a call is in flight or has just failed.
        case renewable(isDue: Bool)
        /// It is served only if no newer value is available.
        case stale
        /// It is not used any more.
        case expired
    }

    @inlinable
    init(
        _ value: Value, requestedAt: ContinuousClock.Instant, readAt: ContinuousClock.Instant,
        _ lifetime: CacheLifetime
    ) {
        self.value = value
        self.requestedAt = requestedAt
        freshUntil = readAt + lifetime.fresh
        renewableUntil = freshUntil + lifetime.whileRevalidating
        end = readAt + lifetime.end
        hasFailedToRenew = false
        renewsFrom = freshUntil
    }

    /// A value that an earlier or another process stored.
    init(
        _ value: Value, restoredFrom stored: PersistentCacheEntry, at now: ContinuousClock.Instant,
        _ wallTime: Instant
    ) {
        self.value = value
        requestedAt = now - wallTime.duration(since: stored.readAt)
        freshUntil = now + stored.freshUntil.duration(since: wallTime)
        renewableUntil = now + stored.renewableUntil.duration(since: wallTime)
        end = now + stored.staleUntil.duration(since: wallTime)
        hasFailedToRenew = false
        renewsFrom = freshUntil
    }

    /// An entry without a value: the provider does not know the object.
    @inlinable
    init(
        unknownRequestedAt requestedAt: ContinuousClock.Instant, readAt: ContinuousClock.Instant,
        for duration: Duration
    ) {
        value = nil
        self.requestedAt = requestedAt
        freshUntil = readAt + duration
        renewableUntil = freshUntil
        end = freshUntil
        hasFailedToRenew = false
        renewsFrom = freshUntil
    }

    /// The same entry after a call to renew the value failed.
    private init(_ entry: CacheEntry, failedAt now: ContinuousClock.Instant) {
        value = entry.value
        requestedAt = entry.requestedAt
        freshUntil = entry.freshUntil
        renewableUntil = entry.renewableUntil
        end = entry.end
        hasFailedToRenew = true
        renewsFrom = now + Self.pause
    }

    /// Returns the use of the entry at a time, for reads that accept values from `notBefore` on; nil accepts any.
    @inlinable
    func freshness(at now: ContinuousClock.Instant, notBefore: ContinuousClock.Instant?) -> Freshness {
        if now >= end { return .expired }
        if let notBefore, requestedAt < notBefore { return .stale }
        if now < freshUntil { return .fresh }
        return now < renewableUntil ? .renewable(isDue: now >= renewsFrom) : .stale
    }

    /// Whether the entry is a fresh value, or a fresh response that the object is unknown.
    @inlinable
    func isFresh(at now: ContinuousClock.Instant) -> Bool { now < freshUntil }

    /// The entry after a call to renew the value failed; the same one while the value is fresh.
    @usableFromInline
    func afterFailure(at now: ContinuousClock.Instant) -> CacheEntry {
        now < freshUntil ? self : CacheEntry(self, failedAt: now)
    }
}

/// The effect of the failure of a read on the stored entry of a query.
@usableFromInline
enum ReadFailureEffect {
    /// The provider does not know the object.
    case unknown
    case remove
    case nothing
    case recordFailure
}

extension ProviderFailure {
    /// Returns what a failed read does to the stored values.
    ///
    /// - Parameter isOfOneQuery: Whether the failure is that of one query; a failure of several queries does not say which of
    ///   them is unknown.
    /// - Returns: The effect.
    @usableFromInline
    func effect(isOfOneQuery: Bool) -> ReadFailureEffect {
        if cause == .notFound, isOfOneQuery { return .unknown }
        // The limit of the requesting client has no meaning for the value.
        if case .notAllowed = cause { return .nothing }
        return cause.traits.contains(.withdrawsValues) ? .remove : .recordFailure
    }
}
