package import Brokerage
import Upstream

/// The response of `GET /chart/v3/charts`: samples, oldest first.
package struct SaxoChart: JSONDecodable, Hashable {
    /// Another one than before means that the whole series changed.
    package var version: Int?
    package var samples: [Sample] = []
    /// The errors of the samples that could not be read.
    var failures: [JSONError] = []
    /// The errors, each with the time of the newer sample behind it; nil if there is none.
    var unreadable: [(error: JSONError, newer: Instant?)] {
        failures.enumerated().map { number, error in
            guard error.path.count > 1, case .index(let index) = error.path[1],
                samples.indices.contains(index - number)
            else { return (error, nil) }
            return (error, samples[index - number].time)
        }
    }
    var delayMinutes: Int?
    /// The oldest that Saxo has.
    var firstSampleTime: Instant?
    var format = SaxoDisplayFormat()

    /// One candle: of two sides, or of trades.
    package struct Sample: Hashable {
        package var time: Instant
        package var prices: Prices
        var volume: Decimal?
    }

    package enum Prices: Hashable {
        case sides(bid: OHLC, ask: OHLC)
        case trades(OHLC)
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var rows: JSONRows<Sample>?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DataVersion": version = try reader.intOrNil()
            case "Data": rows = try reader.rows()
            case "ChartInfo": try readInfo(json: &reader)
            case "DisplayAndFormat": if try !reader.null() { try format.merge(json: &reader) }
            default: try reader.skip()
            }
        }
        let data = try reader.required(rows, "Data")
        samples = data.elements
        failures = data.failures.map { $0.inside(.key("Data")) }
    }

    /// An empty chart, which Saxo may return as status 204.
    init() {}

    private mutating func readInfo(json reader: inout JSONReader) throws(JSONError) {
        guard try !reader.null() else { return }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DelayedByMinutes": delayMinutes = try reader.intOrNil()
            case "FirstSampleTime": firstSampleTime = try reader.timeOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension SaxoChart.Sample: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        var time: Instant?
        var (bid, ask, trades) = (PartialBar(), PartialBar(), PartialBar())
        var volume: Decimal?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Time": time = try reader.instant()
            case "OpenBid": bid.open = try reader.decimal()
            case "HighBid": bid.high = try reader.decimal()
            case "LowBid": bid.low = try reader.decimal()
            case "CloseBid": bid.close = try reader.decimal()
            case "OpenAsk": ask.open = try reader.decimal()
            case "HighAsk": ask.high = try reader.decimal()
            case "LowAsk": ask.low = try reader.decimal()
            case "CloseAsk": ask.close = try reader.decimal()
            case "Open": trades.open = try reader.decimal()
            case "High": trades.high = try reader.decimal()
            case "Low": trades.low = try reader.decimal()
            case "Close": trades.close = try reader.decimal()
            case "Volume": volume = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
        self.time = try reader.required(time, "Time")
        self.volume = volume
        if let bid = bid.bar, let ask = ask.bar {
            prices = .sides(bid: bid, ask: ask)
        } else {
            prices = .trades(
                try reader.required(trades.bar, "Open, High, Low, Close, or Bid and Ask of each"))
        }
    }

    /// Members of a bar as they come.
    private struct PartialBar {
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var close: Decimal?

        var bar: OHLC? {
            guard let open, let high, let low, let close else { return nil }
            return OHLC(open: open, high: high, low: low, close: close)
        }
    }
}

extension CandleSeries {
    /// Creates a series from collected samples; a sample with more digits than a column can store is an unreadable one.
    init(
        saxo samples: [SaxoChart.Sample], of listing: SaxoListing, _ interval: Interval,
        delayMinutes: Int?, fetchedAt: Instant
    ) {
        self.init(
            symbol: listing.symbol, interval: interval,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt), reserving: samples.count)
        currency = listing.currency?.code
        timeZone = SaxoHorizon.isDaily(interval) ? "UTC" : nil
        for sample in samples {
            guard let candle = sample.candle(interval, of: listing), append(candle) else {
                unreadable.append("Data: a price with more digits than Portico can have")
                continue
            }
        }
        isLastComplete = times.last.flatMap { start in
            Self.isComplete(start, interval, delayMinutes: delayMinutes, at: fetchedAt)
        }
    }

    /// Whether the candle that begins at that time was complete for data with this delay; nil if it is
    /// unknown: days end with their exchange, whose hours Saxo does not return.
    private static func isComplete(
        _ start: Int64, _ interval: Interval, delayMinutes: Int?, at now: Instant
    ) -> Bool? {
        let end = start + Int64(SaxoHorizon.minutes(of: interval)) * 60
        guard !SaxoHorizon.isDaily(interval) else {
            return now.secondsSince1970 >= end + 86_400 ? true : nil
        }
        if now.secondsSince1970 < end { return false }
        guard let delayMinutes, (0...1_440).contains(delayMinutes) else { return nil }
        return now.secondsSince1970 >= end + Int64(delayMinutes) * 60
    }
}

extension SaxoChart.Sample {
    /// The sample as a `Candle` of Portico, in whole units of the currency; nil if a number has too many
    /// digits.
    fileprivate func candle(_ interval: Interval, of listing: SaxoListing) -> Candle? {
        let start = SaxoHorizon.start(time, interval)
        switch prices {
        case .trades(let bar):
            guard let bar = bar.inMajor(listing) else { return nil }
            return Candle(time: start, prices: bar, volume: volume)
        case .sides(let bid, let ask):
            guard let bid = bid.inMajor(listing), let ask = ask.inMajor(listing),
                let middle = bid.middle(ask)
            else { return nil }
            return Candle(time: start, prices: middle, volume: volume, bid: bid, ask: ask)
        }
    }
}

extension OHLC {
    fileprivate func inMajor(_ listing: SaxoListing) -> OHLC? {
        guard let open = listing.major(price: open), let high = listing.major(price: high),
            let low = listing.major(price: low), let close = listing.major(price: close)
        else { return nil }
        return OHLC(open: open, high: high, low: low, close: close)
    }

    /// The exact middle of the prices of two sides.
    ///
    /// The highest middle is that of the highest bid and the highest ask, which may have different times;
    /// the same holds for the lowest.
    fileprivate func middle(_ other: OHLC) -> OHLC? {
        guard let open = Decimal.middle(open, other.open), let high = Decimal.middle(high, other.high),
            let low = Decimal.middle(low, other.low), let close = Decimal.middle(close, other.close)
        else { return nil }
        return OHLC(open: open, high: high, low: low, close: close)
    }
}
