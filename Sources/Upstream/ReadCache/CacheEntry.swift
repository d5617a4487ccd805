import Brokerage

/// What came of a read and is kept: a value, or that there is none.
package struct CacheEntry: Sendable {
    /// Nil where the provider knows no such thing.
    let value: (any Sendable)?
    /// When its provider was asked.
    let requestedAt: ContinuousClock.Instant
    private let freshUntil: ContinuousClock.Instant
    private let renewableUntil: ContinuousClock.Instant
    private let end: ContinuousClock.Instant
    /// It outlived its time, and a call that was to renew it failed.
    private(set) var hasFailedToRenew = false
    /// No call is made to renew it before.
    private var renewsFrom: ContinuousClock.Instant

    /// After a call that failed to renew a value, the next is not made for so long.
    private static let pause = Duration.seconds(1)

    /// How good it is at a moment.
    enum Freshness: Hashable {
        /// It is served.
        case fresh
        /// It is served, and renewed unless that is being done or has just failed.
        case renewable(isDue: Bool)
        /// It is served only if nothing newer is to be had.
        case lastKnown
        /// It is of no use.
        case over
    }

    init(
        _ value: any Sendable, requestedAt: ContinuousClock.Instant, readAt: ContinuousClock.Instant,
        _ lifetime: CacheLifetime
    ) {
        self.value = value
        self.requestedAt = requestedAt
        freshUntil = readAt + lifetime.fresh
        renewableUntil = freshUntil + lifetime.whileRevalidating
        end = readAt + lifetime.end
        renewsFrom = freshUntil
    }

    /// A value that outlived an earlier process; it is not renewed unasked.
    init(
        _ value: any Sendable, restoredFrom lasting: PersistentCacheEntry, at now: ContinuousClock.Instant,
        _ wallTime: Instant
    ) {
        self.value = value
        requestedAt = now - wallTime.duration(since: lasting.readAt)
        freshUntil = now + lasting.freshUntil.duration(since: wallTime)
        renewableUntil = freshUntil
        end = now + lasting.staleUntil.duration(since: wallTime)
        renewsFrom = freshUntil
    }

    /// That the provider knows no such thing.
    init(
        unknownAskedAt askedAt: ContinuousClock.Instant, readAt: ContinuousClock.Instant,
        for duration: Duration
    ) {
        value = nil
        self.requestedAt = askedAt
        freshUntil = readAt + duration
        renewableUntil = freshUntil
        end = freshUntil
        renewsFrom = freshUntil
    }

    /// - Parameters:
    ///   - now: the moment.
    ///   - notBefore: an earlier question than that is not good enough; nil if any is.
    /// - Returns: what may be done with it.
    func freshness(at now: ContinuousClock.Instant, notBefore: ContinuousClock.Instant?) -> Freshness {
        if now >= end { return .over }
        if let notBefore, requestedAt < notBefore { return .lastKnown }
        if now < freshUntil { return .fresh }
        return now < renewableUntil ? .renewable(isDue: now >= renewsFrom) : .lastKnown
    }

    /// A call that was to renew it failed.
    mutating func recordFailure(at now: ContinuousClock.Instant) {
        guard now >= freshUntil else { return }
        hasFailedToRenew = true
        renewsFrom = now + Self.pause
    }
}
