package import Brokerage

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
    /// Whether it tells nothing new after another, but that it was read again.
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
