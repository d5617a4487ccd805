import Brokerage
import Upstream

/// A value of the map that `GET /v2/stocks/snapshots` answers with; any part may be missing or null.
struct AlpacaSnapshot: JSONDecodable, Hashable {
    var trade: Trade?
    var quote: LatestQuote?
    var day: Bar?
    var previousDay: Bar?

    struct Trade: Hashable {
        var time: Instant?
        var price: Decimal?
    }

    struct LatestQuote: Hashable {
        var time: Instant?
        /// Nil without an active bid, which Alpaca tells by 0.
        var bid: Decimal?
        var ask: Decimal?
    }

    struct Bar: Hashable {
        /// Midnight in New York, for a bar of a day.
        var start: Instant?
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var close: Decimal?
        var volume: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "latestTrade": trade = try reader.optional(Trade.init(json:))
            case "latestQuote": quote = try reader.optional(LatestQuote.init(json:))
            case "dailyBar": day = try reader.optional(Bar.init(json:))
            case "prevDailyBar": previousDay = try reader.optional(Bar.init(json:))
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.Trade: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": time = try reader.instantOrNil()
            case "p": price = try reader.priceOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.LatestQuote: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": time = try reader.instantOrNil()
            case "bp": bid = try reader.priceOrNil()
            case "ap": ask = try reader.priceOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.Bar: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": start = try reader.instantOrNil()
            case "o": open = try reader.priceOrNil()
            case "h": high = try reader.priceOrNil()
            case "l": low = try reader.priceOrNil()
            case "c": close = try reader.priceOrNil()
            case "v": volume = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
    }
}

/// The answer of `GET /v2/stocks/snapshots`: a bare map.
///
/// What Alpaca does not know is not in it, or is null.
struct AlpacaSnapshots: JSONDecodable {
    var bySymbol: [Symbol: AlpacaSnapshot] = [:]

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            let snapshot = try reader.optional(AlpacaSnapshot.init(json:))
            // A key that is no symbol cannot have been asked for.
            if let symbol = Symbol(key.string) { bySymbol[symbol] = snapshot }
        }
    }
}
