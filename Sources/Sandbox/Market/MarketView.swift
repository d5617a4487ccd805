package import Brokerage

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
