package import Brokerage

/// A subscriber to the prices of some symbols: the first quote of each as soon as it is known, then each
/// change.
///
/// A slow subscriber gets the latest quote of each symbol. The subscription ends with the last reference to
/// this object.
package final class QuoteFeedSubscriber: Sendable {
    private let feed: QuoteFeed
    private let number: Int

    init(_ number: Int, of hub: QuoteFeed) {
        self.number = number
        self.feed = hub
    }

    deinit {
        feed.unsubscribe(number)
    }

    /// Returns the undelivered events and marks them as delivered.
    ///
    /// - Returns: Nil at the end: no symbol is left, or the feed was closed.
    package func drainPending() -> QuoteFeedUpdate? {
        feed.drainPending(by: number)
    }

    /// Ends the subscription to some symbols; without a symbol left, the sequence ends.
    package func unsubscribe(_ symbols: Set<Symbol>) {
        feed.unsubscribe(symbols, of: number)
    }
}

/// The news of a symbol for its followers: its latest quote, or the failure if there is none.
///
/// A reference, because a quote takes hundreds of bytes: all followers share one copy of the same news.
package indirect enum QuoteEvent: Hashable, Sendable {
    case success(Quote)
    case failure(ProviderFailure)

    /// The quote.
    ///
    /// - Throws: The failure if there is no quote.
    package func get() throws(ProviderFailure) -> Quote {
        switch self {
        case .success(let quote): return quote
        case .failure(let failure): throw failure
        }
    }
}

extension QuoteEvent {
    /// Whether the event differs from another one only in the time at which it was read.
    package func isEquivalent(to other: QuoteEvent) -> Bool {
        guard case (.success(var quote), .success(let known)) = (self, other) else { return self == other }
        let (reading, knownReading) = (quote.provenance, known.provenance)
        quote.provenance = knownReading
        return quote == known && reading.source == knownReading.source && reading.asOf == knownReading.asOf
            && reading.isStale == knownReading.isStale
    }
}

/// News for a follower.
package struct QuoteFeedUpdate: Sendable {
    /// The latest news of each symbol.
    package var events: [Symbol: QuoteEvent]
    /// Symbols of the news, each with a failure, that are no longer followed for this follower: the provider
    /// does not know them, or the feed has no room for them.
    package var ended: Set<Symbol>

    package init(events: [Symbol: QuoteEvent] = [:], ended: Set<Symbol> = []) {
        (self.events, self.ended) = (events, ended)
    }
}

/// The client for which the symbols of a price feed are counted.
package enum QuoteClient: Hashable, Sendable {
    /// An authenticated user.
    ///
    /// It has priority over all addresses.
    case user(OwnerID)
    /// All clients without a user of their own at an address; the number identifies the address.
    case address(UInt64)

    var isAuthenticated: Bool {
        switch self {
        case .user: true
        case .address: false
        }
    }
}

extension Quote {
    /// The quote after a change from a stream; values that the change does not have stay the same.
    ///
    /// - Parameters:
    ///   - change: A change of the same symbol.
    ///   - source: The provider of the stream.
    ///   - moment: The time of arrival.
    /// - Returns: The changed quote.
    func applying(_ change: QuoteUpdate, from source: ProviderID, at moment: Instant) -> Quote {
        var quote = self
        if let price = change.price { quote.price = price }
        if let bid = change.bid { quote.bid = bid }
        if let ask = change.ask { quote.ask = ask }
        if let open = change.open { quote.open = open }
        if let high = change.high { quote.high = high }
        if let low = change.low { quote.low = low }
        if let previousClose = change.previousClose { quote.previousClose = previousClose }
        if let volume = change.volume { quote.volume = volume }
        if let marketState = change.marketState { quote.marketState = marketState }
        if let timeliness = change.timeliness { quote.timeliness = timeliness }
        if let delayMinutes = change.delayMinutes { quote.delayMinutes = delayMinutes }
        quote.provenance = Provenance(source: source, fetchedAt: moment, asOf: change.asOf ?? provenance.asOf)
        return quote
    }

    /// The quote past its time.
    var markedStale: Quote {
        var quote = self
        quote.provenance = provenance.markedStale
        return quote
    }
}

extension QuoteUpdate {
    /// Removes the price and its time if the source has already sent a price with a later time.
    mutating func removePrice(before latest: Instant?) {
        guard let asOf, let latest, asOf < latest else { return }
        (price, self.asOf) = (nil, nil)
    }

    /// Both changes in one, the later over the earlier; a price that is older by its source's clock replaces none.
    package func followed(by later: QuoteUpdate) -> QuoteUpdate {
        var (change, later) = (self, later)
        later.removePrice(before: asOf)
        if let price = later.price { change.price = price }
        if let bid = later.bid { change.bid = bid }
        if let ask = later.ask { change.ask = ask }
        if let open = later.open { change.open = open }
        if let high = later.high { change.high = high }
        if let low = later.low { change.low = low }
        if let previousClose = later.previousClose { change.previousClose = previousClose }
        if let volume = later.volume { change.volume = volume }
        if let marketState = later.marketState { change.marketState = marketState }
        if let timeliness = later.timeliness { change.timeliness = timeliness }
        if let delayMinutes = later.delayMinutes { change.delayMinutes = delayMinutes }
        if let asOf = later.asOf { change.asOf = asOf }
        return change
    }
}
