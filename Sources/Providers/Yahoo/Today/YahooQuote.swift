import Brokerage
import Upstream

/// An entry of `GET /v7/finance/quote`.
struct YahooQuote: JSONDecodable, Hashable {
    /// In Yahoo's spelling.
    var symbol: String
    /// `EQUITY` and the like; `NONE` for what is no longer listed.
    var type: String?
    var name: YahooName = YahooName()
    var exchange: String?
    var exchangeName: String?
    var currency: String?
    var digits: Int?
    var price: Decimal?
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var previousClose: Decimal?
    var volume: Decimal?
    var preMarketPrice: Decimal?
    var postMarketPrice: Decimal?
    var time: Instant?
    var delayMinutes: Int?
    /// `REGULAR`, `CLOSED`, `PRE`, `PREPRE`, `POST` or `POSTPOST`.
    var state: String?

    init(json reader: inout JSONReader) throws(JSONError) {
        // Set by the object below, or refused behind it.
        symbol = ""
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.string()
            case "quoteType": type = try reader.stringOrNil()
            case "longName": name.long = try reader.stringOrNil()
            case "shortName": name.short = try reader.stringOrNil()
            case "exchange": exchange = try reader.stringOrNil()
            case "fullExchangeName": exchangeName = try reader.stringOrNil()
            case "currency": currency = try reader.stringOrNil()
            case "priceHint": digits = try reader.intOrNil()
            case "exchangeDataDelayedBy": delayMinutes = try reader.intOrNil()
            case "marketState": state = try reader.stringOrNil()
            case "regularMarketTime":
                time = try reader.optional { reader throws(JSONError) in
                    try reader.instant(since1970: .seconds)
                }
            default: try readPrice(key, &reader)
            }
        }
        _ = try reader.required(symbol.isEmpty ? nil : symbol, "symbol")
    }

    private mutating func readPrice(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "regularMarketPrice": price = try reader.decimalOrNil()
        case "bid": bid = try reader.priceOrNil()
        case "ask": ask = try reader.priceOrNil()
        case "regularMarketOpen": open = try reader.decimalOrNil()
        case "regularMarketDayHigh": high = try reader.decimalOrNil()
        case "regularMarketDayLow": low = try reader.decimalOrNil()
        case "regularMarketPreviousClose": previousClose = try reader.decimalOrNil()
        case "regularMarketVolume": volume = try reader.decimalOrNil()
        case "preMarketPrice": preMarketPrice = try reader.decimalOrNil()
        case "postMarketPrice": postMarketPrice = try reader.decimalOrNil()
        default: try reader.skip()
        }
    }

    /// Whether it is still listed: what is not has an entry all the same.
    var isListed: Bool { type != "NONE" }
}

/// What Yahoo calls a company, at length and in short.
struct YahooName: Hashable {
    var long: String?
    var short: String?

    var best: String? { long ?? short }
}

/// The answer of `GET /v7/finance/quote`; what Yahoo does not know is not in it.
struct YahooQuotes: JSONDecodable {
    var quotes: [YahooQuote]

    init(json reader: inout JSONReader) throws(JSONError) {
        var quotes: [YahooQuote]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quoteResponse":
                quotes = try reader.result { reader throws(JSONError) in
                    try reader.array(of: YahooQuote.self)
                }
            default: try reader.skip()
            }
        }
        self.quotes = try reader.required(quotes, "quoteResponse")
    }
}

extension JSONReader {
    /// Reads an envelope: `{"result":…,"error":null}`.
    mutating func result<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var value: Value?
        try object { key, reader throws(JSONError) in
            switch key {
            case "result": value = try reader.optional(read)
            default: try reader.skip()
            }
        }
        return try required(value, "result")
    }

    /// Reads a price where 0 stands for none; nil for null too.
    mutating func priceOrNil() throws(JSONError) -> Decimal? {
        guard let price = try decimalOrNil(), !price.isZero else { return nil }
        return price
    }
}
