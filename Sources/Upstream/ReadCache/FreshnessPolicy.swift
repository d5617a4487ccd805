package import Brokerage

/// How values of one kind grow old.
package struct FreshnessPolicy<Value: Sendable>: Sendable {
    let lifetime: @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    let markedStale: @Sendable (Value) -> Value
    let unknown: Duration?

    /// - Parameters:
    ///   - unknown: how long a provider's response that it does not know an object is stored; nil for the
    ///     provider's default (``Brokerage/ProviderTraits/unknownLifetime``). It prevents that an unknown object
    ///     costs each provider of a route a call each time.
    ///   - markedStale: marks a value that has expired and could not be renewed.
    ///   - lifetime: how long a value is valid, from the wall-clock time of the read.
    package init(
        unknown: Duration? = nil, markedStale: @escaping @Sendable (Value) -> Value,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.unknown = unknown
        self.markedStale = markedStale
        self.lifetime = lifetime
    }

    /// Of values that tell where they come from, by the key path of what tells.
    package init(
        _ reading: any WritableKeyPath<Value, Provenance> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.init(unknown: unknown, markedStale: { markStale($0, reading) }, lifetime: lifetime)
    }

    /// Of lists whose elements tell where they come from.
    package init<Element>(
        each reading: any WritableKeyPath<Element, Provenance> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) where Value == [Element] {
        self.init(
            unknown: unknown, markedStale: { list in list.map { markStale($0, reading) } }, lifetime: lifetime
        )
    }
}

private func markStale<Value>(_ value: Value, _ reading: WritableKeyPath<Value, Provenance>) -> Value {
    var marked = value
    marked[keyPath: reading] = marked[keyPath: reading].markedStale
    return marked
}

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

/// How long a value is good, from the moment at which it was read.
package struct CacheLifetime: Hashable, Sendable {
    /// It is served without another thought for so long.
    package let fresh: Duration
    /// After that it is served for so long while one call renews it: RFC 5861, section 3.
    ///
    /// It is not marked as stale unless that call fails: for values whose age matters less than the wait.
    package let whileRevalidating: Duration
    /// After its freshness it is served for so long where no source answers, marked as stale: RFC 5861, section 4.
    package let ifError: Duration

    /// Times below zero count as zero.
    package init(
        fresh: Duration, whileRevalidating: Duration = .zero, ifError: Duration = .zero
    ) {
        self.fresh = max(fresh, .zero)
        self.whileRevalidating = max(whileRevalidating, .zero)
        self.ifError = max(ifError, .zero)
    }

    /// After so long it is of no use at all.
    package var end: Duration { fresh + max(whileRevalidating, ifError) }
}

extension CacheLifetime {
    /// Of a chart: until its next candle begins.
    ///
    /// While its last candle still runs, the chart of a source that can be asked often is fresh for a twelfth of an
    /// interval, between 5 seconds and a minute. One whose last candle is days old is of the past, which hardly changes.
    ///
    /// - Parameters:
    ///   - series: the chart.
    ///   - readAt: when it was read, by the wall clock.
    /// - Returns: its lifetime, at least a second.
    package static func chart(_ series: CandleSeries, readAt: Instant) -> CacheLifetime {
        let length = series.interval.length(on: readAt.dateInUTC)
        var fresh = series.secondsToNextStart(from: readAt)
        if series.count == 0 { fresh = min(fresh, 60) }
        if series.isLastComplete == false, !series.provenance.source.traits.hasLowQuota {
            fresh = min(fresh, min(max(length / 12, 5), 60))
        }
        if series.isOfThePast(at: readAt) { fresh = max(fresh, 3_600) }
        return CacheLifetime(
            fresh: .seconds(fresh), whileRevalidating: .seconds(min(length / 4, 900)),
            ifError: .seconds(7 * 86_400))
    }
}

extension CandleSeries {
    /// Seconds from a moment to the next start of a candle.
    ///
    /// Intraday, candles begin at whole intervals from each other. Longer ones begin with a day of the exchange, and
    /// each day changes the last.
    fileprivate func secondsToNextStart(from now: Instant) -> Int64 {
        let step = interval.isIntraday ? interval.length(on: now.dateInUTC) : 86_400
        guard let last = times.last.flatMap({ Instant(secondsSince1970: $0) }), last <= now else {
            return step
        }
        return step - (now.secondsSince1970 - last.secondsSince1970) % step
    }

    /// Whether it ended longer ago than any market is closed.
    fileprivate func isOfThePast(at now: Instant) -> Bool {
        guard let last = times.last.flatMap({ Instant(secondsSince1970: $0) }) else { return false }
        let length = interval.length(on: last.dateInUTC)
        return last + .seconds(length + 6 * 86_400) < now
    }
}

extension CacheLifetime {
    /// Of a quote, by who tells it and whether its market trades.
    ///
    /// Fresh for 1 to 15 seconds. A source that tells prices late, or of whose calls there are few, is asked less often;
    /// so is one whose market is closed. A price is never served unmarked beyond that; the last one stays known over a long
    /// weekend.
    package static func quote(_ quote: Quote) -> CacheLifetime {
        CacheLifetime(fresh: .seconds(quote.secondsFresh), ifError: .seconds(4 * 86_400))
    }
}

extension Quote {
    fileprivate var secondsFresh: Int {
        switch marketState {
        case .closed, .halted: return 15
        case .pre, .post, .open, nil: break
        }
        switch timeliness {
        case .delayed, .endOfDay, .indicative: return 15
        case .realTime, nil: break
        }
        return provenance.source.traits.secondsOfQuote
    }
}
