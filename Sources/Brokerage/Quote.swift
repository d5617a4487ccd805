/// The latest prices of an instrument.
///
/// A side without an offer is nil, not zero.
package struct Quote: Hashable, Sendable {
    package var symbol: Symbol
    /// The price of the last trade; for FX the mean of bid and ask.
    package var price: Decimal?
    package var bid: Decimal?
    package var ask: Decimal?
    package var open: Decimal?
    package var high: Decimal?
    package var low: Decimal?
    package var previousClose: Decimal?
    package var volume: Decimal?
    /// The price before or after the regular hours, if the source has it.
    package var extendedHoursPrice: Decimal?
    package var marketState: MarketState?
    package var timeliness: Timeliness?
    /// ISO 4217, never a minor unit.
    package var currency: String?
    /// 0 for real time; nil if the source does not report it.
    package var delayMinutes: Int?
    /// The feed of the source, such as `iex` or `sip`.
    package var feed: String?
    package var provenance: Provenance

    package init(symbol: Symbol, provenance: Provenance) {
        self.symbol = symbol
        self.provenance = provenance
    }

    /// Price minus previous close; nil if one is missing, or if the difference has too many digits.
    package var change: Decimal? {
        guard let price, let previousClose else { return nil }
        return try? price - previousClose
    }

    /// Values of an option; nil, because no source of Portico reads them yet.
    package var option: OptionQuote? { nil }

    /// The change in per cent of the previous close, to four digits; nil without either, or from a close of zero.
    package var changePercent: Decimal? {
        change.flatMap { change in previousClose.flatMap { change.percent(of: $0) } }
    }
}
