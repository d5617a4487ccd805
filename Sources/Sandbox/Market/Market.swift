import Brokerage

/// One market for every provider that the sandbox stands in for: prices of all time as a pure function of a
/// seed.
///
/// The same seed gives the same price of a symbol at a moment, whoever asks, in whatever order, after
/// whatever restart: nothing is stored. Prices are whole ticks of their instrument, cents for shares. They move
/// every second of the hours of trading (shares: 04:00 to 20:00 in New York; see ``Schedule``), and stand at the
/// official close while nothing is traded.
package struct Market: Sendable {
    private let random: SeededRandom
    private let instruments: [String: FakeInstrument]

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        instruments = Dictionary(
            (FakeInstrument.all + FakeInstrument.london).map { ($0.symbol, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The moment, or the nearest one of the years 1990 to 2199: there is always a session before it.
    package static func clamped(_ second: Int) -> Int {
        min(max(second, 631_260_000), 7_258_000_000)
    }

    /// The share or fund of the US exchanges of a symbol, exactly as listed; nil when there is none.
    package func instrument(_ symbol: String) -> FakeInstrument? {
        instruments[symbol].flatMap { $0.assetClass == .equity && $0.exchange != .london ? $0 : nil }
    }

    /// The instrument of a symbol, of whatever class: `AAPL`, `SPX`, `EUR/USD`, `BTC/USD`, and
    /// those of London, `TSCO.L`; nil when there is none.
    package func anyInstrument(_ symbol: String) -> FakeInstrument? {
        instruments[symbol]
    }

    /// All that was and will be traded of an instrument in one session.
    package func tape(_ instrument: FakeInstrument, _ session: TradingSession) -> DayTape {
        DayTape(session, of: PriceModel(instrument, market: random))
    }

    /// The official closing price of a session, in ticks.
    package func close(_ instrument: FakeInstrument, _ session: TradingSession) -> Int {
        PriceModel(instrument, market: random).close(onDay: session.date.daysSince1970)
    }

    /// The last price at a moment, in ticks, and the second in which it was traded.
    package func lastTrade(_ instrument: FakeInstrument, at second: Int) -> (price: Int, second: Int) {
        let second = Self.clamped(second)
        guard let session = instrument.schedule.session(begunBy: second) else {
            return (instrument.anchor, second)
        }
        if session.phase(at: second) != nil, let price = tape(instrument, session).price(at: second) {
            return (price, second)
        }
        return (close(instrument, session), session.close)
    }

    /// Who buys and sells at a moment.
    package func quote(_ instrument: FakeInstrument, at second: Int) -> BestQuote {
        let last = lastTrade(instrument, at: second)
        let noise = random.branch(instrument.symbol).branch(.quote)
        let phase = instrument.schedule.phase(at: second)
        return BestQuote(
            of: last, lot: instrument.lot, isOneSided: instrument.isThin && phase != .regular,
            isEmpty: instrument.isThin && phase == nil, random: noise)
    }

    /// Where news about an instrument come from.
    func newsRandom(for instrument: FakeInstrument) -> SeededRandom {
        random.branch(instrument.symbol)
    }

    /// The last session of the exchanges whose trading, before the market's opening, had begun; nil only before
    /// ``clamped(_:)``'s range.
    package static func session(begunBy second: Int) -> TradingSession? {
        Schedule.exchanges.session(begunBy: second)
    }

    /// The last session of the exchanges whose market hours had begun.
    package static func session(openedBy second: Int) -> TradingSession? {
        Schedule.exchanges.session(openedBy: second)
    }
}

extension FakeInstrument {
    /// In what quotes are counted.
    fileprivate var lot: Int {
        switch assetClass {
        case .equity, .index: 100
        case .currencyPair: 1_000_000
        case .crypto: 1
        }
    }
}
