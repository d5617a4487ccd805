package import Brokerage
package import Upstream

/// An instrument's price: an item of `GET /trade/v1/infoprices/list`, and the state that a subscription
/// updates.
///
/// A message of a subscription has only the changed members, in the same form, so reading is merging: a
/// missing member keeps its value, null clears it.
package struct SaxoPrice: JSONDecodable, Hashable {
    package var uic: Int?
    var assetType: String?
    /// Nil also for the year 0001, with which Saxo means never.
    package var lastUpdated: Instant?
    var source: String?
    package var quote = Sides()
    package var high: Decimal?
    var low: Decimal?
    var details = Details()
    var format = SaxoDisplayFormat()
    var isMarketOpen: Bool?
    /// Of an instrument that has no price for this user, or is none.
    var errorCode: String?
    /// It is no longer in the list.
    var isDeleted = false

    /// `Quote`.
    package struct Sides: Hashable {
        package var bid: Decimal?
        package var ask: Decimal?
        var mid: Decimal?
        package var bidKind: SaxoPriceKind?
        package var askKind: SaxoPriceKind?
        var delayMinutes: Int?
        package var marketState: String?
    }

    /// `PriceInfoDetails`, in which 0 means unknown.
    struct Details: Hashable {
        var open: Decimal?
        var lastClose: Decimal?
        var lastTraded: Decimal?
        var volume: Decimal?
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        try merge(json: &reader)
    }

    /// Reads the members that are there over those that are known.
    package mutating func merge(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Uic": uic = try reader.int()
            case "AssetType": assetType = try reader.stringOrNil()
            case "LastUpdated": lastUpdated = try reader.timeOrNil()
            case "PriceSource": source = try reader.stringOrNil()
            case "Quote":
                if try reader.null() { quote = Sides() } else { try quote.merge(json: &reader) }
            case "PriceInfo": try mergeRange(json: &reader)
            case "PriceInfoDetails":
                if try reader.null() { details = Details() } else { try details.merge(json: &reader) }
            case "DisplayAndFormat": if try !reader.null() { try format.merge(json: &reader) }
            case "InstrumentPriceDetails": try mergeInstrument(json: &reader)
            case "ErrorCode": errorCode = try reader.stringOrNil()
            case "__meta_deleted": isDeleted = try reader.boolOrNil() ?? false
            default: try reader.skip()
            }
        }
    }

    private mutating func mergeRange(json reader: inout JSONReader) throws(JSONError) {
        guard try !reader.null() else {
            (high, low) = (nil, nil)
            return
        }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "High": high = try reader.nonzeroOrNil()
            case "Low": low = try reader.nonzeroOrNil()
            default: try reader.skip()
            }
        }
    }

    private mutating func mergeInstrument(json reader: inout JSONReader) throws(JSONError) {
        guard try !reader.null() else { return }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "IsMarketOpen": isMarketOpen = try reader.boolOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension SaxoPrice.Sides {
    mutating func merge(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Bid": bid = try reader.nonzeroOrNil()
            case "Ask": ask = try reader.nonzeroOrNil()
            case "Mid": mid = try reader.nonzeroOrNil()
            case "PriceTypeBid": bidKind = try reader.stringOrNil().map(SaxoPriceKind.init)
            case "PriceTypeAsk": askKind = try reader.stringOrNil().map(SaxoPriceKind.init)
            case "DelayedByMinutes": delayMinutes = try reader.intOrNil()
            case "MarketState": marketState = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension SaxoPrice.Details {
    mutating func merge(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Open": open = try reader.nonzeroOrNil()
            case "LastClose": lastClose = try reader.nonzeroOrNil()
            case "LastTraded": lastTraded = try reader.nonzeroOrNil()
            case "Volume": volume = try reader.nonzeroOrNil()
            default: try reader.skip()
            }
        }
    }
}

/// The type of a side of a price: `PriceTypeBid` and `PriceTypeAsk`.
package enum SaxoPriceKind: Hashable {
    case tradable
    /// Not tradable.
    case indicative
    /// It was indicative once: the market is closed.
    case oldIndicative
    /// `NoMarket`, `NoAccess`, `Pending`, `None`, and unknown types.
    case none

    init(_ name: String) {
        self =
            switch name {
            case "Tradable": .tradable
            case "Indicative": .indicative
            case "OldIndicative": .oldIndicative
            default: .none
            }
    }
}
