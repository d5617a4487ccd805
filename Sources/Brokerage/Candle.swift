/// One candle of a series.
package struct Candle: Hashable, Sendable {
    /// The start of the interval, in seconds since 1970.
    package var time: Int64
    package var prices: OHLC
    package var volume: Decimal?
    /// The two sides of an FX candle, whose ``prices`` are the mid.
    package var bid: OHLC?
    package var ask: OHLC?

    package init(
        time: Int64, prices: OHLC, volume: Decimal?, bid: OHLC? = nil, ask: OHLC? = nil
    ) {
        self.time = time
        self.prices = prices
        self.volume = volume
        self.bid = bid
        self.ask = ask
    }
}

/// First, highest, lowest and last price of an interval.
package struct OHLC: Hashable, Sendable {
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
