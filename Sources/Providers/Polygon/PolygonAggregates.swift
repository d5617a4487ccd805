import Brokerage
import Upstream

/// The answer of `GET /v2/aggs/…`; without data there are no `results`.
struct PolygonAggregates: JSONDecodable {
    /// In the order that was asked for.
    var bars: [Candle] = []
    var status: PolygonStatus
    /// The limit cut the answer off.
    var hasMore = false

    init(json reader: inout JSONReader) throws(JSONError) {
        var (status, bars, hasMore) = (PolygonStatus?.none, [Candle](), false)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                if try reader.null() { return }
                try reader.array { reader throws(JSONError) in bars.append(try Self.bar(json: &reader)) }
            case "next_url": hasMore = try reader.stringOrNil() != nil
            default: try reader.skip()
            }
        }
        self.status = try reader.required(status, "status")
        self.bars = bars
        self.hasMore = hasMore
    }

    private static func bar(json reader: inout JSONReader) throws(JSONError) -> Candle {
        var (open, high, low) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (close, volume, start) = (Decimal?.none, Decimal?.none, Instant?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "o": open = try reader.decimal()
            case "h": high = try reader.decimal()
            case "l": low = try reader.decimal()
            case "c": close = try reader.decimal()
            case "v": volume = try reader.decimalOrNil()
            case "t": start = try reader.instant(since1970: .milliseconds)
            default: try reader.skip()
            }
        }
        let prices = OHLC(
            open: try reader.required(open, "o"), high: try reader.required(high, "h"),
            low: try reader.required(low, "l"), close: try reader.required(close, "c"))
        return Candle(
            time: try reader.required(start, "t").secondsSince1970, prices: prices, volume: volume)
    }
}
