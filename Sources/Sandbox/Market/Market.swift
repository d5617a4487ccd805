package import Brokerage

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

/// The market as it is seen at one moment: what every answer to one request is read from.
package struct MarketView: Sendable {
    package let market: Market
    /// The moment, in whole seconds since 1970, as the market's script has it.
    package let now: Int
    /// Symbols that have no price at the moment.
    package let unpriced: Set<String>

    package init(_ market: Market, at instant: Instant, script: MarketScript = MarketScript()) {
        self.market = market
        now = Market.clamped(script.scriptedSecond(at: Int(instant.secondsSince1970)))
        unpriced = script.unpriced
    }

    /// ``now`` as an instant.
    package var instant: Instant { Instant(secondsSince1970: Int64(now)) ?? .latest }

    /// What the exchanges do now; nil while nothing is traded.
    package var phase: TradingSession.Phase? {
        tradingDay?.phase(at: now)
    }

    /// The session that is running or was the last to run, hours before the opening included.
    package var tradingDay: TradingSession? { Market.session(begunBy: now) }

    /// The session whose market hours are running or were the last to run.
    package var marketDay: TradingSession? { Market.session(openedBy: now) }

    /// What is done now with an instrument, by its own hours; nil while it is not traded.
    package func phase(of instrument: FakeInstrument) -> TradingSession.Phase? {
        instrument.schedule.phase(at: now)
    }

    /// An instrument's session that is running or was the last to run, hours before the opening included.
    package func tradingDay(of instrument: FakeInstrument) -> TradingSession? {
        instrument.schedule.session(begunBy: now)
    }

    /// An instrument's session whose market hours are running or were the last to run.
    package func marketDay(of instrument: FakeInstrument) -> TradingSession? {
        instrument.schedule.session(openedBy: now)
    }

    /// The last price, in ticks; nil for a symbol that is not listed or has no price.
    package func price(_ symbol: String) -> Int? {
        priced(symbol).map { market.lastTrade($0, at: now).price }
    }

    /// The instrument, of whatever class, when it has a price.
    package func priced(_ symbol: String) -> FakeInstrument? {
        unpriced.contains(symbol) ? nil : market.anyInstrument(symbol)
    }

    /// The bar of a session's market hours as far as they have come; nil before they begin.
    package func dayBar(_ instrument: FakeInstrument, _ session: TradingSession) -> Bar? {
        let tape = market.tape(instrument, session)
        return now >= session.close
            ? tape.regularBar : tape.bar(of: .regular, from: session.open, through: now)
    }

    /// The minute of the last trade as far as it has come, and the second at which it begins.
    package func minuteBar(_ instrument: FakeInstrument) -> (bar: Bar, start: Int)? {
        guard let session = tradingDay(of: instrument) else { return nil }
        let tape = market.tape(instrument, session)
        // While nothing is traded, the last minute before the close is the last to tell of.
        let phase = session.phase(at: now)
        let last = phase == nil ? session.close : now
        let start = (phase == nil ? last - 1 : last) / 60 * 60
        return tape.bar(of: phase ?? .regular, from: start, through: last).map { ($0, start) }
    }
}

/// The best bid and offer, in the instrument's ticks; a side that nobody takes is nil.
package struct BestQuote: Sendable, Hashable {
    package let bid: Side?
    package let ask: Side?
    /// The second in which it came to stand.
    package let second: Int

    package struct Side: Sendable, Hashable {
        package let price: Int
        /// Shares, in round lots of 100; of a pair of currencies, units of its base.
        package let size: Int
    }

    /// How far bid and ask stand from the last price, in ticks.
    static func reach(of price: Int) -> Int { max(1, price / 20_000) }

    init(
        of last: (price: Int, second: Int), lot: Int, isOneSided: Bool, isEmpty: Bool, random: SeededRandom
    ) {
        let reach = Self.reach(of: last.price)
        second = last.second
        func side(_ index: Int, at price: Int) -> Side {
            Side(price: price, size: lot * (1 + random.branch(.quote, index).number(last.second, below: 9)))
        }
        // A bid of 0 would mean that there is none.
        let bid = max(1, last.price - reach - random.number(last.second, below: 2))
        self.bid = isEmpty ? nil : side(0, at: bid)
        ask = isEmpty || isOneSided ? nil : side(1, at: last.price + reach)
    }
}
