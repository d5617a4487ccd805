import Brokerage

extension AlpacaSnapshot {
    /// The snapshot in Portico's words.
    ///
    /// `asOf` is the time of the last trade, as the price is what a quote is looked at for; without a trade, that of
    /// bid and ask.
    func quote(of symbol: Symbol, feed: AlpacaFeed?, fetchedAt: Instant) -> Quote {
        let asOf = trade?.time ?? self.quote?.time
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: asOf))
        quote.price = trade?.price
        quote.bid = self.quote?.bid
        quote.ask = self.quote?.ask
        quote.open = today?.open
        quote.high = today?.high
        quote.low = today?.low
        quote.volume = today?.volume
        quote.previousClose = previousClose
        quote.currency = AlpacaMarket.currency
        quote.delayMinutes = feed?.delayMinutes
        quote.feed = feed?.rawValue
        return quote
    }

    /// The bar of the day of the last trade.
    private var today: Bar? {
        isDayOver ? nil : day
    }

    /// The close before the day of the last trade.
    ///
    /// Until a day has a bar of its own, which takes until its opening, `dailyBar` is still that of the day before,
    /// while trades before the opening are of the new day already (example in Alpaca's specification: a bar of
    /// 2022-08-16 beside a trade of 2022-08-17T10:18Z). `prevDailyBar` is one day too old then.
    private var previousClose: Decimal? {
        isDayOver ? day?.close : previousDay?.close
    }

    private var isDayOver: Bool {
        guard let traded = trade?.time, let start = day?.start else { return false }
        return start.inNewYork.date < traded.inNewYork.date
    }
}
