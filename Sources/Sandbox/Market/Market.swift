package import Brokerage

/// The trading hours of a sandbox's market.
package enum MarketHours: String, Sendable, Hashable, CaseIterable {
    /// Those of the real exchanges; currencies pause at weekends.
    case exchange
    /// Every instrument is traded around the clock.
    case always
}

/// The market of all fake providers: prices of all time as a pure function of a seed.
///
/// The same seed gives the same price of a symbol at a moment, for every caller and after every restart;
/// none is stored. Prices are whole ticks of their instrument, cents for shares. They change every second
/// of the trading hours (shares: 04:00 to 20:00 in New York; see ``TradingHours``), and equal the official close
/// while the market is closed.
package struct Market: Sendable {
    private let random: SeededRandom
    private let instruments: [String: FakeInstrument]
    private let hours: MarketHours
    /// The ledgers of accounts, which are functions of the market.
    let histories = AccountHistories()

    package init(seed: UInt64, hours: MarketHours = .exchange) {
        random = SeededRandom(seed: seed)
        self.hours = hours
        instruments = Dictionary(
            (FakeInstrument.all + FakeInstrument.london + FakeInstrument.unlisted).map { ($0.symbol, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the moment, or the nearest one of the years 1990 to 2199: each has a previous session.
    package static func clamped(_ second: Int) -> Int {
        min(max(second, 631_260_000), 7_258_000_000)
    }

    /// Returns the share or fund of the US exchanges with an exact symbol; nil for an unknown one.
    package func instrument(_ symbol: String) -> FakeInstrument? {
        instruments[symbol].flatMap { $0.assetClass == .equity && $0.exchange != .london ? $0 : nil }
    }

    /// Returns the instrument of a symbol, of any class; nil for an unknown one.
    ///
    /// Examples are `AAPL`, `SPX`, `EUR/USD`, `BTC/USD`, and for London `TSCO.L`.
    package func anyInstrument(_ symbol: String) -> FakeInstrument? {
        instruments[symbol]
    }

    /// The trading hours of the US exchanges.
    package var exchanges: TradingHours {
        switch hours {
        case .exchange: .exchanges
        case .always: .aroundTheClock
        }
    }

    /// Returns the trading hours of an instrument.
    package func schedule(of instrument: FakeInstrument) -> TradingHours {
        switch (hours, instrument.schedule) {
        case (.exchange, let schedule): schedule
        case (.always, .currencies), (.always, .continuous): .continuous
        case (.always, _): .aroundTheClock
        }
    }

    /// Returns all trades of an instrument in one session, future ones included.
    package func tape(_ instrument: FakeInstrument, _ session: TradingSession) -> DayTape {
        DayTape(
            session, after: schedule(of: instrument).session(before: session.date),
            of: PriceModel(instrument, market: random), bounces: hours == .always)
    }

    /// Returns the official closing price of a session, in ticks.
    package func close(_ instrument: FakeInstrument, _ session: TradingSession) -> Int {
        PriceModel(instrument, market: random).close(onDay: session.date.daysSince1970)
    }

    /// Returns the last price at a moment, in ticks, and the second of its trade.
    package func lastTrade(_ instrument: FakeInstrument, at second: Int) -> (price: Int, second: Int) {
        let second = Self.clamped(second)
        guard let session = schedule(of: instrument).session(begunBy: second) else {
            return (instrument.anchor, second)
        }
        if session.phase(at: second) != nil, let price = tape(instrument, session).price(at: second) {
            return (price, second)
        }
        return (close(instrument, session), session.close)
    }

    /// Returns the best bid and offer at a moment.
    package func quote(_ instrument: FakeInstrument, at second: Int) -> BestQuote {
        let last = lastTrade(instrument, at: second)
        let noise = random.branch(instrument.symbol).branch(.quote)
        let phase = schedule(of: instrument).phase(at: second)
        return BestQuote(
            of: last, lot: instrument.lot, isOneSided: instrument.isThin && phase != .regular,
            isEmpty: instrument.isThin && phase == nil, random: noise)
    }

    /// Returns the random source of news about an instrument.
    func newsRandom(for instrument: FakeInstrument) -> SeededRandom {
        random.branch(instrument.symbol)
    }

    /// Returns the last session of the exchanges whose extended hours had begun; nil only before
    /// ``clamped(_:)``'s range.
    package func session(begunBy second: Int) -> TradingSession? {
        exchanges.session(begunBy: second)
    }

    /// Returns the last session of the exchanges whose market hours had begun.
    package func session(openedBy second: Int) -> TradingSession? {
        exchanges.session(openedBy: second)
    }
}

extension FakeInstrument {
    /// The unit of quote sizes.
    fileprivate var lot: Int {
        switch assetClass {
        case .equity, .index: 100
        case .currencyPair: 1_000_000
        case .crypto: 1
        }
    }
}

/// The market at one moment; one request reads all data from one view.
package struct MarketView: Sendable {
    package let market: Market
    /// The moment, in whole seconds since 1970, in the scripted time of the market.
    package let now: Int
    /// Symbols without a price at the moment.
    package let unpriced: Set<String>

    package init(_ market: Market, at instant: Instant, script: MarketScript = MarketScript()) {
        self.market = market
        now = Market.clamped(
            script.scriptedSecond(at: Int(instant.secondsSince1970), of: market.exchanges))
        unpriced = script.unpriced
    }

    /// ``now`` as an instant.
    package var instant: Instant { Instant(secondsSince1970: Int64(now)) ?? .latest }

    /// The current phase of the exchanges; nil while the market is closed.
    package var phase: TradingSession.Phase? {
        tradingDay?.phase(at: now)
    }

    /// The current or last session, from the beginning of its extended hours.
    package var tradingDay: TradingSession? { market.session(begunBy: now) }

    /// The current or last session, from the opening of market hours.
    package var marketDay: TradingSession? { market.session(openedBy: now) }

    /// Returns the current phase of an instrument, by its own hours; nil while it is not traded.
    package func phase(of instrument: FakeInstrument) -> TradingSession.Phase? {
        market.schedule(of: instrument).phase(at: now)
    }

    /// Returns an instrument's current or last session, from the beginning of its extended hours.
    package func tradingDay(of instrument: FakeInstrument) -> TradingSession? {
        market.schedule(of: instrument).session(begunBy: now)
    }

    /// Returns an instrument's current or last session, from the opening of market hours.
    package func marketDay(of instrument: FakeInstrument) -> TradingSession? {
        market.schedule(of: instrument).session(openedBy: now)
    }

    /// Returns the last price, in ticks; nil for a symbol that is not listed or has no price.
    package func price(_ symbol: String) -> Int? {
        priced(symbol).map { market.lastTrade($0, at: now).price }
    }

    /// Returns the instrument of a symbol, of any class, if it has a price.
    package func priced(_ symbol: String) -> FakeInstrument? {
        unpriced.contains(symbol) ? nil : market.anyInstrument(symbol)
    }

    /// Returns the bar of a session's market hours until now; nil before they begin.
    package func dayBar(_ instrument: FakeInstrument, _ session: TradingSession) -> Bar? {
        let tape = market.tape(instrument, session)
        return now >= session.close
            ? tape.regularBar : tape.bar(of: .regular, from: session.open, through: now)
    }

    /// Returns the minute of the last trade until now, and its first second.
    package func minuteBar(_ instrument: FakeInstrument) -> (bar: Bar, start: Int)? {
        guard let session = tradingDay(of: instrument) else { return nil }
        let tape = market.tape(instrument, session)
        // While the market is closed, this is the last minute before the close.
        let phase = session.phase(at: now)
        let last = phase == nil ? session.close : now
        let start = (phase == nil ? last - 1 : last) / 60 * 60
        return tape.bar(of: phase ?? .regular, from: start, through: last).map { ($0, start) }
    }
}

/// The best bid and offer, in the instrument's ticks; a missing side is nil.
package struct BestQuote: Sendable, Hashable {
    package let bid: Side?
    package let ask: Side?
    /// The second of the last price change.
    package let second: Int

    package struct Side: Sendable, Hashable {
        package let price: Int
        /// Shares, in round lots of 100; for a currency pair, units of its base.
        package let size: Int
    }

    /// Returns the distance of bid and ask from the last price, in ticks.
    static func reach(of price: Int) -> Int { max(1, price / 20_000) }

    init(
        of last: (price: Int, second: Int), lot: Int, isOneSided: Bool, isEmpty: Bool, random: SeededRandom
    ) {
        let reach = Self.reach(of: last.price)
        second = last.second
        func side(_ index: Int, at price: Int) -> Side {
            Side(price: price, size: lot * (1 + random.branch(.quote, index).number(last.second, below: 9)))
        }
        // A bid of 0 would mean a missing side.
        let bid = max(1, last.price - reach - random.number(last.second, below: 2))
        self.bid = isEmpty ? nil : side(0, at: bid)
        ask = isEmpty || isOneSided ? nil : side(1, at: last.price + reach)
    }
}
