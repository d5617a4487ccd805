import Brokerage
import Upstream

/// The answer of `GET /chart/v3/charts`: samples, oldest first.
struct SaxoChart: JSONDecodable, Hashable {
    /// Another one than before means that the whole series changed.
    var version: Int?
    var samples: [Sample] = []
    var delayMinutes: Int?
    /// The oldest that Saxo has.
    var firstSampleTime: Instant?
    var format = SaxoDisplayFormat()

    /// One candle: of two sides, or of trades.
    struct Sample: Hashable {
        var time: Instant
        var prices: Prices
        var volume: Decimal?
    }

    enum Prices: Hashable {
        case sides(bid: OHLC, ask: OHLC)
        case trades(OHLC)
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var samples: [Sample]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DataVersion": version = try reader.intOrNil()
            case "Data": samples = try reader.array(of: Sample.self)
            case "ChartInfo": try readInfo(json: &reader)
            case "DisplayAndFormat": if try !reader.null() { try format.merge(json: &reader) }
            default: try reader.skip()
            }
        }
        self.samples = try reader.required(samples, "Data")
    }

    /// Nothing, which may be told by status 204.
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
