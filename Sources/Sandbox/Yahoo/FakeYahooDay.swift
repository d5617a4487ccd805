import Brokerage

/// The running market day of an instrument, or the last; prices in ticks.
struct FakeYahooDay: Sendable {
    let session: TradingSession
    let bar: Bar
    let previousClose: Int
    /// When the regular price came to stand.
    let second: Int
    /// The last price before or after market hours, of the phase that is running or was the last.
    let extendedPrice: (phase: TradingSession.Phase, price: Int)?
    private let instrument: FakeInstrument

    /// Nil for an instrument without a price.
    init?(_ listing: FakeYahooListing, _ view: MarketView) {
        instrument = listing.instrument
        guard view.priced(instrument.symbol) != nil, let session = view.marketDay(of: instrument),
            let bar = view.dayBar(instrument, session)
        else { return nil }
        let tape = view.market.tape(instrument, session)
        self.session = session
        self.bar = bar
        previousClose = tape.previousClose
        second = min(view.now, session.close)
        extendedPrice = listing.hasExtendedHours ? Self.extendedPrice(instrument, tape, view) : nil
    }

    private static func extendedPrice(
        _ instrument: FakeInstrument, _ tape: DayTape, _ view: MarketView
    ) -> (phase: TradingSession.Phase, price: Int)? {
        switch view.phase(of: instrument) {
        case .preMarket: return (.preMarket, view.market.lastTrade(instrument, at: view.now).price)
        case .regular: return nil
        case .postMarket, nil:
            let session = tape.session
            let evening = tape.bar(of: .postMarket, from: session.close, through: view.now)
            return evening.map { (.postMarket, $0.close) }
        }
    }

    /// As Yahoo computes it, in 32 bits.
    var change: Float { single(bar.close) - single(previousClose) }

    /// In percent: 0.64 for a rise by 0.64 %.
    var changePercent: Float { change / single(previousClose) * 100 }

    private func single(_ ticks: Int) -> Float { Float(instrument.price(ticks).doubleValue) }
}
