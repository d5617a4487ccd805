import Brokerage
import Upstream

/// One element of what the data stream sends: every frame is an array of them.
enum AlpacaDataMessage: JSONDecodable {
    case connected
    case authenticated
    /// The whole subscription, as the server understood it.
    case subscribed
    case failed(AlpacaStreamErrorBody)
    case change(QuoteUpdate)
    /// Statuses, corrections, news and whatever is invented later.
    case other

    /// Reads one element.
    ///
    /// The same letter means different things in different messages (`c` is a list of conditions, or a close), so what
    /// is read is only what means one thing everywhere.
    init(json reader: inout JSONReader) throws(JSONError) {
        var fields = Fields()
        try reader.object { key, reader throws(JSONError) in try fields.read(key, from: &reader) }
        switch try reader.required(fields.type, "T") {
        case "success":
            self =
                switch fields.message {
                case "connected": .connected
                case "authenticated": .authenticated
                case .some, nil: .other
                }
        case "error": self = .failed(AlpacaStreamErrorBody(code: try reader.required(fields.code, "code")))
        case "subscription": self = .subscribed
        case "t": self = try fields.change(reader) { $0.applyTrade(from: fields) }
        case "q": self = try fields.change(reader) { $0.applyQuote(from: fields) }
        case "d": self = try fields.change(reader) { $0.applyDay(from: fields) }
        default: self = .other
        }
    }
}

/// What an element may have; which of it counts depends on its type.
private struct Fields {
    var type: String?
    var message: String?
    var code: Int?
    var symbol: Symbol?
    var time: Instant?
    var price: Decimal?
    /// Nil without an active bid, which Alpaca tells by 0.
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var volume: Decimal?

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "T": type = try reader.string()
        case "msg": message = try reader.stringOrNil()
        case "code": code = try reader.intOrNil()
        case "S": symbol = try reader.symbol()
        case "t": time = try reader.instantOrNil()
        case "p": price = try reader.priceOrNil()
        case "bp": bid = try reader.priceOrNil()
        case "ap": ask = try reader.priceOrNil()
        case "o": open = try reader.priceOrNil()
        case "h": high = try reader.priceOrNil()
        case "l": low = try reader.priceOrNil()
        case "v": volume = try reader.decimalOrNil()
        default: try reader.skip()
        }
    }

    func change(
        _ reader: borrowing JSONReader, _ fill: (inout QuoteUpdate) -> Void
    ) throws(JSONError) -> AlpacaDataMessage {
        var change = QuoteUpdate(symbol: try reader.required(symbol, "S"))
        fill(&change)
        return .change(change)
    }
}

extension QuoteUpdate {
    /// As of a quote is when its price was made, so only trades tell it.
    fileprivate mutating func applyTrade(from fields: Fields) {
        price = fields.price
        asOf = fields.time
    }

    fileprivate mutating func applyQuote(from fields: Fields) {
        bid = .some(fields.bid)
        ask = .some(fields.ask)
    }

    fileprivate mutating func applyDay(from fields: Fields) {
        open = fields.open
        high = fields.high
        low = fields.low
        volume = fields.volume
    }
}
