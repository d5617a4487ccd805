import Brokerage

/// One market for every provider that the sandbox stands in for: prices of all time as a pure function of a
/// seed.
///
/// The same seed gives the same price of a symbol at a moment, whoever asks, in whatever order, after
/// whatever restart: nothing is stored. Prices are whole cents. They move every second of the hours of
/// trading (04:00 to 20:00 in New York), and stand at the official close while nothing is traded.
package struct Market: Sendable {
    private let noise: Noise
    private let instruments: [String: Instrument]

    package init(seed: UInt64) {
        noise = Noise(seed: seed)
        instruments = Dictionary(
            Instrument.listing.map { ($0.symbol, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The moment, or the nearest one of the years 1990 to 2199: there is always a session before it.
    package static func clamped(_ second: Int) -> Int {
        min(max(second, 631_260_000), 7_258_000_000)
    }

    /// The instrument of a symbol, exactly as listed; nil when there is none.
    package func instrument(_ symbol: String) -> Instrument? {
        instruments[symbol]
    }

    /// All that was and will be traded of an instrument in one session.
    package func tape(_ instrument: Instrument, _ session: TradingSession) -> DayTape {
        DayTape(session, of: PriceModel(instrument, market: noise))
    }

    /// The official closing price of a session, in cents.
    package func close(_ instrument: Instrument, _ session: TradingSession) -> Int {
        PriceModel(instrument, market: noise).close(onDay: session.date.daysSince1970)
    }

    /// The last price at a moment, in cents, and the second in which it was traded.
    package func lastTrade(_ instrument: Instrument, at second: Int) -> (price: Int, second: Int) {
        let second = Self.clamped(second)
        guard let session = Self.session(begunBy: second) else { return (instrument.anchor, second) }
        if session.phase(at: second) != nil, let price = tape(instrument, session).price(at: second) {
            return (price, second)
        }
        return (close(instrument, session), session.close)
    }

    /// Who buys and sells at a moment.
    package func quote(_ instrument: Instrument, at second: Int) -> BestQuote {
        let last = lastTrade(instrument, at: second)
        let noise = noise.branch(instrument.symbol).branch(.quote)
        let phase = Self.session(begunBy: second)?.phase(at: second)
        return BestQuote(
            of: last, isOneSided: instrument.isThin && phase != .regular,
            isEmpty: instrument.isThin && phase == nil, noise: noise)
    }

    /// The last session whose trading, before the market's opening, had begun; nil only before
    /// ``clamped(_:)``'s range.
    package static func session(begunBy second: Int) -> TradingSession? {
        last(by: second) { $0.preMarketOpen }
    }

    /// The last session whose market hours had begun.
    package static func session(openedBy second: Int) -> TradingSession? {
        last(by: second) { $0.open }
    }

    private static func last(by second: Int, _ start: (TradingSession) -> Int) -> TradingSession? {
        let second = clamped(second)
        guard let moment = Instant(secondsSince1970: Int64(second)) else { return nil }
        guard let session = TradingCalendar.session(onOrBefore: moment.inNewYork.date) else { return nil }
        return start(session) <= second ? session : TradingCalendar.session(before: session.date)
    }
}
