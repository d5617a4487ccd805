import Brokerage

/// What ``ReadStore`` must know of the values that it keeps, whatever their type.
struct ReadKind: Sendable {
    /// About how many bytes a value takes.
    var weight: @Sendable (any Sendable) -> Int
    /// How long a value is good that was read at a moment.
    var lifetime: @Sendable (any Sendable, _ readAt: Instant) -> CacheLifetime
    /// The value, marked as one that outlived its time; nil where values cannot be marked, and so are not served then.
    var markedStale: (@Sendable (any Sendable) -> any Sendable)?
    /// How long a response that there is no such object is stored; nil for the provider's default.
    var unknown: Duration?
    /// Whether a request may ask for values from its own time on.
    var heedsRequests: Bool
    /// Where values of scarce providers outlive the process.
    var persistentTable: PersistentCacheTable?
}

extension ReadKind {
    /// Values that grow old by their own measure.
    ///
    /// The store holds what was put in as this very type, so that no cast can fail.
    init<Value>(
        _ ageing: FreshnessPolicy<Value>, weight: @escaping @Sendable (any Sendable) -> Int,
        lasting: PersistentCacheTable? = nil
    ) {
        self.init(
            weight: weight,
            lifetime: { value, readAt in
                (value as? Value).map { ageing.lifetime($0, readAt) } ?? CacheLifetime(fresh: .zero)
            },
            markedStale: { value in (value as? Value).map(ageing.markedStale) ?? value },
            unknown: ageing.unknown,
            heedsRequests: true, persistentTable: lasting)
    }

    /// Values that are good for the same time always, and gone after that.
    static func fixed(_ timeToLive: Duration, weight: @escaping @Sendable (any Sendable) -> Int) -> ReadKind {
        ReadKind(
            weight: weight, lifetime: { _, _ in CacheLifetime(fresh: timeToLive) }, markedStale: nil,
            unknown: .zero,
            heedsRequests: false)
    }
}
