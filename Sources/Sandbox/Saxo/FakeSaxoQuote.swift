import Brokerage

/// What Saxo tells of an instrument's price at a moment.
struct FakeSaxoQuote: Sendable {
    let listing: FakeSaxoInstrument
    let access: Access
    /// In ticks; nil where no price is told.
    let last: Int?
    let bid: BestQuote.Side?
    let ask: BestQuote.Side?
    /// The second in which the price came to stand.
    let second: Int
    /// The day's bar so far, and the close of the day before, in ticks.
    let dayBar: Bar?
    let lastClose: Int
    let delayInMinutes: Int
    /// What the instrument's market does.
    let phase: TradingSession.Phase?

    enum Access: Sendable, Hashable {
        case granted
        /// The price comes from an exchange whose data are not subscribed to.
        case denied
        /// There is none.
        case noPrice
    }

    init(_ listing: FakeSaxoInstrument, at view: MarketView, _ settings: FakeSaxoSettings) {
        let isExchange = listing.assetType.isExchangeTraded
        let delay = isExchange ? settings.exchangeDelayInMinutes : 0
        let instrument = listing.instrument
        let now = Market.clamped(view.now - delay * 60)
        let market = view.market
        self.listing = listing
        delayInMinutes = delay
        phase = instrument.schedule.phase(at: view.now)
        let today = instrument.schedule.session(openedBy: now)
        let before = today.flatMap { instrument.schedule.session(before: $0.date) }
        lastClose = before.map { market.close(instrument, $0) } ?? instrument.anchor
        if isExchange && !settings.includesExchangePrices {
            access = .denied
        } else if view.priced(instrument.symbol) == nil {
            access = .noPrice
        } else {
            access = .granted
        }
        guard access == .granted else {
            (last, bid, ask, second, dayBar) = (nil, nil, nil, 0, nil)
            return
        }
        let quote = market.quote(instrument, at: now)
        let trade = market.lastTrade(instrument, at: now)
        // An index is calculated, and nobody sells it.
        let isQuoted = listing.assetType != .index
        (last, second) = (trade.price, trade.second)
        (bid, ask) = isQuoted ? (quote.bid, quote.ask) : (nil, nil)
        dayBar = today.flatMap { session in
            let tape = market.tape(instrument, session)
            return now >= session.close
                ? tape.regularBar : tape.bar(of: .regular, from: session.open, through: now)
        }
    }

    var isMarketOpen: Bool { phase == .regular }

    /// `MarketState`.
    var marketState: String {
        switch phase {
        case .preMarket: "PreMarket"
        case .regular: "Open"
        case .postMarket: "PostMarket"
        case nil: "Closed"
        }
    }

    /// `PriceTypeBid` and `PriceTypeAsk`.
    func priceType(of side: BestQuote.Side?) -> String {
        switch access {
        case .denied: "NoAccess"
        case .noPrice: "NoMarket"
        case .granted:
            side == nil
                ? "NoMarket" : phase == nil ? "OldIndicative" : delayInMinutes > 0 ? "Indicative" : "Tradable"
        }
    }

    /// Between bid and ask, with a decimal more; the last price where a side is missing.
    var mid: Decimal? {
        guard let bid, let ask else { return last.map(listing.instrument.price) }
        let sum = listing.instrument.price(bid.price + ask.price)
        return try? sum.divided(by: 2, to: listing.instrument.decimals + 1, .halfEven)
    }

    /// The change of a price since the last close, in percent with two decimals.
    func percentChange(of price: Int) -> Decimal {
        let change = Decimal(price - lastClose)
        return (try? (change * 100).divided(by: Decimal(lastClose), to: 2, .halfEven)) ?? .zero
    }
}
