/// One candle of a series.
package struct Candle: Hashable, Sendable {
    /// The start of the interval, in seconds since 1970.
    package var time: Int64
    package var prices: PriceBar
    package var volume: Decimal?
    /// The two sides of an FX candle, whose ``prices`` are the mid.
    package var bid: PriceBar?
    package var ask: PriceBar?

    package init(
        time: Int64, prices: PriceBar, volume: Decimal?, bid: PriceBar? = nil, ask: PriceBar? = nil
    ) {
        self.time = time
        self.prices = prices
        self.volume = volume
        self.bid = bid
        self.ask = ask
    }
}

/// First, highest, lowest and last price of an interval.
package struct PriceBar: Hashable, Sendable {
    package var open: Decimal
    package var high: Decimal
    package var low: Decimal
    package var close: Decimal

    package init(open: Decimal, high: Decimal, low: Decimal, close: Decimal) {
        self.open = open
        self.high = high
        self.low = low
        self.close = close
    }
}
