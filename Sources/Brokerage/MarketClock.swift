/// Whether a broker's main market trades now.
package struct MarketClock: Hashable, Sendable {
    package var provider: ProviderID
    package var isOpen: Bool
    package var state: MarketState?
    package var nextOpen: Instant?
    package var nextClose: Instant?
    /// The provider's own time.
    package var now: Instant

    package init(provider: ProviderID, isOpen: Bool, now: Instant) {
        self.provider = provider
        self.isOpen = isOpen
        self.now = now
    }
}

/// The state of the market of an instrument.
package enum MarketState: String, Sendable, CaseIterable {
    case pre = "PRE"
    case open = "OPEN"
    case post = "POST"
    case closed = "CLOSED"
    case halted = "HALTED"
}

/// How close to the market a price is.
package enum Timeliness: String, Sendable, CaseIterable {
    case realTime = "REAL_TIME"
    case delayed = "DELAYED"
    case endOfDay = "END_OF_DAY"
    /// Indicative: no trade is possible at the price (Saxo outside of market hours).
    case indicative = "INDICATIVE"
}
