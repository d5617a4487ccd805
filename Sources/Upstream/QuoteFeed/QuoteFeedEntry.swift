import Brokerage

/// A symbol of a price feed: its followers, its latest quote, and what the stream has sent for it.
///
/// A stream may send no previous close, as Alpaca's. The figures of a day then come from snapshots only, and are removed when
/// the stream sends a price of a later day, until the next snapshot.
struct QuoteFeedEntry {
    var followers: Set<Int> = []
    /// The number of authenticated followers.
    var authenticated = 0
    /// The number of clients with a follower.
    var clients = 0
    var event: QuoteEvent?
    /// The changes from the stream since the last snapshot was requested.
    private var change: QuoteUpdate?
    /// When the last snapshot was requested; nil before the first one.
    private var requestedAt: ContinuousClock.Instant?
    /// Whether the last snapshot only renews figures that the stream does not send.
    private var isRenewal = false
    /// The time of the latest price that the stream has sent since it connected.
    private var streamedAsOf: Instant?
    /// This time when the last snapshot was requested.
    private var requestedAsOf: Instant?
    /// Whether the stream has sent the previous close since it connected, so that no snapshot needs to renew it.
    private var hasStreamedClose = false
    /// Whether the price is of a later day than the latest snapshot, which therefore has no previous close of the price.
    private var lacksClose = false

    var quote: Quote? { try? event?.get() }

    /// Whether a snapshot renews the previous close.
    var needsRenewals: Bool { quote != nil && !hasStreamedClose }

    /// Whether the previous close is missing until a snapshot renews it.
    var isRenewalUrgent: Bool { lacksClose }

    /// Whether the last snapshot was requested at a time or before.
    func wasRequested(by time: ContinuousClock.Instant) -> Bool {
        requestedAt.map { $0 <= time } ?? false
    }

    /// Whether a failed snapshot leaves the quote as it is, because the stream keeps it up to date.
    var isKeptByStream: Bool { change != nil || isRenewal }

    /// Records that a snapshot is requested now: later changes of the stream are newer than it.
    mutating func begin(at now: ContinuousClock.Instant, isRenewal: Bool) {
        change = nil
        requestedAt = now
        requestedAsOf = streamedAsOf
        self.isRenewal = isRenewal
    }

    /// Forgets what the stream has sent, after it was connected or disconnected.
    mutating func forgetStreamed() {
        (streamedAsOf, requestedAsOf) = (nil, nil)
        hasStreamedClose = false
    }

    /// Returns a snapshot with the figures that the stream has sent and that are newer than it.
    mutating func merge(_ snapshot: Quote, from source: ProviderID, at moment: Instant) -> Quote {
        lacksClose = false
        let renewed = renewed(by: snapshot, at: moment)
        guard var change else { return renewed }
        if let changed = change.asOf, let asOf = renewed.provenance.asOf, changed < asOf {
            // The snapshot was made after this price.
            (change.price, change.asOf) = (nil, nil)
        }
        return apply(change, to: renewed, from: source, at: moment)
    }

    /// The snapshot; with the prices of the known quote if the stream had sent one before the request that is later.
    private mutating func renewed(by snapshot: Quote, at moment: Instant) -> Quote {
        guard let requestedAsOf, let known = quote else { return snapshot }
        let asOf = snapshot.provenance.asOf
        if let asOf, requestedAsOf <= asOf { return snapshot }
        let knownAsOf = known.provenance.asOf ?? requestedAsOf
        let isOfEarlierDay = asOf?.isOnEarlierDayInNewYork(than: knownAsOf) ?? false
        // After one such attempt, the next snapshot is that of the usual age.
        lacksClose = isOfEarlierDay && snapshot.previousClose != nil && !isRenewal
        return known.renewed(by: snapshot, isOfEarlierDay: isOfEarlierDay, at: moment)
    }

    /// Records a change from the stream.
    ///
    /// - Returns: The changed quote; nil without a snapshot, because most of the quote is unknown then, and not none.
    mutating func apply(_ change: QuoteUpdate, from source: ProviderID, at moment: Instant) -> Quote? {
        var change = change
        // A trade can be reported late, and is not the latest one then.
        change.removePrice(before: streamedAsOf)
        if case .success(let quote)? = event { change.removePrice(before: quote.provenance.asOf) }
        self.change = self.change?.followed(by: change) ?? change
        if let asOf = change.asOf { streamedAsOf = asOf }
        if change.previousClose != nil { hasStreamedClose = true }
        guard case .success(let quote)? = event else { return nil }
        return apply(change, to: quote, from: source, at: moment)
    }

    /// The quote after a change; without the figures of its day if the change has a price of a later day.
    ///
    /// A stream that has sent the previous close sends the next one too.
    private mutating func apply(
        _ change: QuoteUpdate, to quote: Quote, from source: ProviderID, at moment: Instant
    ) -> Quote {
        var quote = quote
        if let asOf = change.asOf, quote.previousClose != nil, !hasStreamedClose,
            quote.provenance.asOf?.isOnEarlierDayInNewYork(than: asOf) ?? true
        {
            quote.removeFiguresOfDay()
            lacksClose = true
        }
        return quote.applying(change, from: source, at: moment)
    }
}

extension Quote {
    /// The quote, which has newer prices than a snapshot, with the other figures of the snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: A snapshot of the same symbol, whose price is older.
    ///   - isOfEarlierDay: Whether the price of the snapshot is of an earlier day, of which its previous close is then.
    ///   - moment: The time of arrival.
    /// - Returns: The renewed quote.
    fileprivate func renewed(by snapshot: Quote, isOfEarlierDay: Bool, at moment: Instant) -> Quote {
        var quote = snapshot
        if isOfEarlierDay { quote.removeFiguresOfDay() }
        (quote.price, quote.bid, quote.ask) = (price, bid, ask)
        (quote.open, quote.high, quote.low) = (open ?? quote.open, high ?? quote.high, low ?? quote.low)
        quote.volume = volume ?? quote.volume
        quote.provenance = Provenance(
            source: snapshot.provenance.source, fetchedAt: moment, asOf: provenance.asOf)
        return quote
    }

    /// Removes the figures that are of another day than a new price.
    fileprivate mutating func removeFiguresOfDay() {
        (previousClose, open, high, low, volume) = (nil, nil, nil, nil, nil)
    }
}

extension Instant {
    /// Whether it is on an earlier day by a clock in New York than another time.
    fileprivate func isOnEarlierDayInNewYork(than other: Instant) -> Bool {
        // Days begin at whole hours, and most changes of a price are in the hour of the one before.
        if self >= other || secondsSince1970 / 3_600 == other.secondsSince1970 / 3_600 { return false }
        return inNewYork.date < other.inNewYork.date
    }
}
