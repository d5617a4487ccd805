import Brokerage
import Upstream

/// The answer of `REALTIME_BULK_QUOTES`: numbers under other names than in `GLOBAL_QUOTE`.
struct AlphaVantageBulkQuotes: JSONDecodable, Hashable {
    /// Otherwise the figures are a sample, for whoever has not paid.
    var isGenuine: Bool
    var quotes: [Entry]

    struct Entry: Hashable {
        var symbol: String
        var time: Instant?
        var price: Decimal
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var previousClose: Decimal?
        var volume: Decimal?
        var extendedHoursPrice: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (message, quotes) = (String?.none, [Entry]?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "message": message = try reader.string()
            case "data": quotes = try reader.array(of: Entry.self)
            default: try reader.skip()
            }
        }
        isGenuine = try reader.required(message, "message") == "success"
        self.quotes = try reader.required(quotes, "data")
    }
}

extension AlphaVantageBulkQuotes.Entry: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        var (symbol, time, price) = (String?.none, Instant?.none, Decimal?.none)
        var (open, high, low) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (close, volume, extended) = (Decimal?.none, Decimal?.none, Decimal?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.string()
            case "timestamp": time = try reader.newYorkTime()
            case "close": price = try reader.decimal()
            case "open": open = try reader.figureOrNil()
            case "high": high = try reader.figureOrNil()
            case "low": low = try reader.figureOrNil()
            case "previous_close": close = try reader.figureOrNil()
            case "volume": volume = try reader.figureOrNil()
            case "extended_hours_quote": extended = try reader.figureOrNil()
            default: try reader.skip()
            }
        }
        self.symbol = try reader.required(symbol, "symbol")
        self.time = time
        self.price = try reader.required(price, "close")
        self.open = open
        self.high = high
        self.low = low
        self.previousClose = close
        self.volume = volume
        self.extendedHoursPrice = extended
    }

    /// The entry in Portico's words; bulk quotes are of American listings, so in dollars.
    func quote(of symbol: Symbol, entitlement: AlphaVantageEntitlement?, fetchedAt: Instant) -> Quote {
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt, asOf: time))
        quote.price = price
        quote.open = open
        quote.high = high
        quote.low = low
        quote.previousClose = previousClose
        quote.volume = volume
        quote.extendedHoursPrice = extendedHoursPrice
        quote.currency = PriceUnit.usDollar.currency
        quote.delayMinutes = entitlement?.delayMinutes
        quote.timeliness = entitlement?.timeliness
        return quote
    }
}
