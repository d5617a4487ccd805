package import Brokerage

/// The freshness of values of one kind.
@usableFromInline
package struct FreshnessPolicy<Value: Sendable>: Sendable {
    let lifetime: @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    /// Nil if values cannot be marked as stale, and so are not served after a failure.
    @usableFromInline let markStale: (@Sendable (Value) -> Value)?
    /// Nil for the provider's default.
    let negativeTTL: Duration?
    /// Whether a request may demand values that are newer than itself.
    let honorsNoCache: Bool

    /// - Parameters:
    ///   - negativeTTL: how long a provider's response that it does not know an object is stored; nil for the
    ///     provider's default (``Brokerage/ProviderTraits/unknownLifetime``). It prevents that an unknown object
    ///     costs each provider of a route a call each time.
    ///   - markStale: marks a value that has expired and could not be renewed.
    ///   - lifetime: how long a value is valid, from the wall-clock time of the read.
    package init(
        negativeTTL: Duration? = nil, markStale: @escaping @Sendable (Value) -> Value,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.lifetime = lifetime
        self.markStale = markStale
        self.negativeTTL = negativeTTL
        honorsNoCache = true
    }

    private init(timeToLive: Duration, negativeTTL: Duration) {
        lifetime = { _, _ in CacheLifetime(fresh: timeToLive) }
        markStale = nil
        self.negativeTTL = negativeTTL
        honorsNoCache = false
    }

    /// Of values that are valid for a fixed time, never served stale, and never demanded anew.
    ///
    /// - Parameters:
    ///   - timeToLive: The time for which a value is returned.
    ///   - negativeTTL: The time for which a response that the provider does not know an object is stored.
    /// - Returns: The policy.
    package static func fixed(_ timeToLive: Duration, negativeTTL: Duration = .zero) -> FreshnessPolicy {
        FreshnessPolicy(timeToLive: timeToLive, negativeTTL: negativeTTL)
    }

    /// Of values with a provenance, by its key path.
    package init(
        _ provenance: any WritableKeyPath<Value, Provenance> & Sendable, negativeTTL: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.init(
            negativeTTL: negativeTTL, markStale: { markedStale($0, provenance) }, lifetime: lifetime)
    }

    /// Of lists whose elements have a provenance.
    package init<Element>(
        each provenance: any WritableKeyPath<Element, Provenance> & Sendable, negativeTTL: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) where Value == [Element] {
        self.init(
            negativeTTL: negativeTTL,
            markStale: { list in list.map { markedStale($0, provenance) } }, lifetime: lifetime)
    }
}

private func markedStale<Value>(
    _ value: Value, _ provenance: WritableKeyPath<Value, Provenance>
) -> Value {
    var marked = value
    marked[keyPath: provenance] = marked[keyPath: provenance].markedStale
    return marked
}

/// How long a value is good, from the moment at which it was read.
@usableFromInline
package struct CacheLifetime: Hashable, Sendable {
    /// It is served without another thought for so long.
    @usableFromInline package let fresh: Duration
    /// After that it is served for so long while one call renews it: RFC 5861, section 3.
    ///
    /// It is not marked as stale unless that call fails: for values whose age matters less than the wait.
    @usableFromInline package let whileRevalidating: Duration
    /// The time for which it is returned after its freshness if no source returns a value, marked as stale (RFC 5861,
    /// section 4).
    @usableFromInline package let ifError: Duration

    /// Times below zero count as zero.
    package init(
        fresh: Duration, whileRevalidating: Duration = .zero, ifError: Duration = .zero
    ) {
        self.fresh = max(fresh, .zero)
        self.whileRevalidating = max(whileRevalidating, .zero)
        self.ifError = max(ifError, .zero)
    }

    /// After so long it is of no use at all.
    @usableFromInline package var end: Duration { fresh + max(whileRevalidating, ifError) }
}

extension CacheLifetime {
    /// The lifetime of a chart: until its next candle begins.
    ///
    /// While the last candle is incomplete, the chart is fresh for a twelfth of an interval, between 5 seconds and a
    /// minute, if the source has a high quota. A chart whose last candle is days old hardly changes.
    ///
    /// - Parameters:
    ///   - series: The chart.
    ///   - readAt: The time of the read, by the wall clock.
    /// - Returns: The lifetime, at least a second.
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
    /// The lifetime of a quote, by its source and by whether its market is open.
    ///
    /// It is fresh for 1 to 15 seconds; longer for a source with delayed prices or a low quota, and while the market is
    /// closed. A price of the end of a day is fresh for five minutes. After that it is returned only if it is marked as stale;
    /// the last price is stored over a long weekend.
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
        case .delayed, .indicative: return 15
        // It changes once a day; some plans have five calls a minute.
        case .endOfDay: return 300
        case .realTime, nil: break
        }
        return provenance.source.traits.secondsOfQuote
    }
}
