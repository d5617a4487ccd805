package import Brokerage
import Upstream

/// The answer of `GET /ref/v1/instruments/details/{Uic}/{AssetType}`, and an item of the list of them.
struct SaxoInstrumentDetails: JSONDecodable, Hashable, Sendable {
    var key: SaxoInstrumentKey
    var about: About

    /// What it is, and the rules of its orders; any may be missing.
    struct About: Hashable, Sendable {
        var providerSymbol: String?
        var name: String?
        var currency: String?
        var exchangeID: String?
        var decimals: Int?
        /// Of prices; nil also where the instrument has a scheme of them instead.
        var tickSize: Decimal?
        var ticks: SaxoTickScheme?
        var minimumTradeSize: Decimal?
        var incrementSize: Decimal?
        var amountDecimals: Int?
        var isTradable: Bool?
        /// In Saxo's words; nil where it does not say.
        var orderTypes: [String]?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (uic, assetType, about) = (Int?.none, String?.none, About())
        var format = SaxoDisplayFormat()
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Uic": uic = try reader.int()
            case "AssetType": assetType = try reader.string()
            case "Symbol": about.providerSymbol = try reader.stringOrNil()
            case "Description": about.name = try reader.stringOrNil()
            case "CurrencyCode": about.currency = try reader.stringOrNil()
            case "Exchange": about.exchangeID = try reader.exchangeIDOrNil()
            case "Format": if try !reader.null() { try format.merge(json: &reader) }
            case "TickSize": about.tickSize = try reader.nonzeroOrNil()
            case "TickSizeScheme": about.ticks = try reader.optional(SaxoTickScheme.init(json:))
            case "MinimumTradeSize": about.minimumTradeSize = try reader.nonzeroOrNil()
            case "IncrementSize": about.incrementSize = try reader.nonzeroOrNil()
            case "AmountDecimals": about.amountDecimals = try reader.intOrNil()
            case "IsTradable": about.isTradable = try reader.boolOrNil()
            case "SupportedOrderTypes":
                about.orderTypes = try reader.optional { reader throws(JSONError) in try reader.strings() }
            default: try reader.skip()
            }
        }
        key = SaxoInstrumentKey(
            uic: try reader.required(uic, "Uic"), assetType: try reader.required(assetType, "AssetType"))
        about.decimals = format.decimals
        if about.ticks != nil { about.tickSize = nil }
        self.about = about
    }
}

extension JSONReader {
    /// Reads `ExchangeId` of an `Exchange`.
    fileprivate mutating func exchangeIDOrNil() throws(JSONError) -> String? {
        guard try !null() else { return nil }
        var id: String?
        try object { key, reader throws(JSONError) in
            switch key {
            case "ExchangeId": id = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        return id
    }
}

extension SaxoInstrumentDetails {
    func listing(in dialect: SaxoSymbols) -> SaxoListing? {
        dialect.symbol(of: key, providerSymbol: about.providerSymbol).map {
            SaxoListing(key, symbol: $0, currencyName: about.currency)
        }
    }

    /// The instrument in Portico's words.
    func instrument(named symbol: Symbol, fetchedAt: Instant) -> Instrument {
        let currency = about.currency.map(SaxoCurrency.init)
        var instrument = Instrument(
            symbol: symbol, assetClass: AssetClass(saxo: key.assetType),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        instrument.name = about.name
        instrument.exchange = about.providerSymbol.flatMap(SaxoSymbols.exchange) ?? about.exchangeID
        instrument.currency = currency?.code
        instrument.decimals = about.decimals
        var listing = Listing(saxo: key)
        listing.exchange = about.exchangeID
        listing.isTradable = about.isTradable
        listing.isFractionable = about.amountDecimals.map { $0 > 0 }
        listing.orderTypes = about.orderTypes.map { names in
            OrderType.allCases.filter { type in names.contains { OrderType(saxo: $0) == type } }
        }
        listing.tickSize = currency.major(about.tickSize)
        listing.minimumQuantity = about.minimumTradeSize
        listing.quantityIncrement = about.incrementSize
        instrument.listing = listing
        return instrument
    }
}

/// Steps of prices that grow with the price: `TickSizeScheme` of an instrument's details.
package struct SaxoTickScheme: JSONDecodable, Hashable, Sendable {
    /// Above all of ``ranges``.
    var otherwise: Decimal?
    /// Each up to and with its highest price.
    var ranges: [Range] = []

    struct Range: JSONDecodable, Hashable, Sendable {
        var highest: Decimal
        var tick: Decimal

        init(json reader: inout JSONReader) throws(JSONError) {
            var (highest, tick) = (Decimal?.none, Decimal?.none)
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "HighPrice": highest = try reader.decimal()
                case "TickSize": tick = try reader.nonzeroOrNil()
                default: try reader.skip()
                }
            }
            self.highest = try reader.required(highest, "HighPrice")
            self.tick = try reader.required(tick, "TickSize")
        }
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DefaultTickSize": otherwise = try reader.nonzeroOrNil()
            case "Elements":
                ranges =
                    try reader.optional { reader throws(JSONError) in try reader.array(of: Range.self) } ?? []
            default: try reader.skip()
            }
        }
    }

    package func tick(at price: Decimal) -> Decimal? {
        ranges.filter { price <= $0.highest }.min { $0.highest < $1.highest }?.tick ?? otherwise
    }
}

extension SaxoInstrumentDetails.About {
    /// The step of prices at a price, in Saxo's units; nil where Saxo does not tell.
    func tick(at price: Decimal) -> Decimal? {
        let tick =
            ticks?.tick(at: price) ?? tickSize ?? decimals.flatMap { Decimal(coefficient: 1, scale: $0) }
        return tick.flatMap { $0 > .zero ? $0 : nil }
    }
}

/// Who an instrument is at Saxo: its Uic and its AssetType, never one without the other.
package struct SaxoInstrumentKey: Hashable, Sendable {
    package let uic: Int
    /// In Saxo's words: `Stock`, `FxSpot`.
    package let assetType: String

    package init(uic: Int, assetType: String) {
        self.uic = uic
        self.assetType = assetType
    }
}

/// An instrument as Saxo lists it.
package struct SaxoListing: Hashable, Sendable {
    package let key: SaxoInstrumentKey
    package let symbol: Symbol
    /// In Saxo's words, which may be a hundredth of a currency.
    let currencyName: String?

    var currency: SaxoCurrency? { currencyName.map(SaxoCurrency.init) }

    package init(_ key: SaxoInstrumentKey, symbol: Symbol, currencyName: String?) {
        self.key = key
        self.symbol = symbol
        self.currencyName = currencyName
    }
}

extension Listing {
    /// Who an instrument is, without what may be done with it.
    init(saxo key: SaxoInstrumentKey) {
        self.init(provider: .saxo, key: String(key.uic))
        assetType = key.assetType
    }
}

extension AssetClass {
    /// By Saxo's AssetType, of which there are some fifty.
    init(saxo assetType: String) {
        self =
            switch assetType {
            case "Stock", "CompanyWarrant", "Rights": .equity
            case "Etf", "Etc", "Etn": .etf
            case "Fund", "MutualFund": .fund
            case "FxSpot", "FxForwards", "FxSwap", "FxNdf": .fx
            case "FxCrypto", "Crypto": .crypto
            case "Bond": .bond
            case "StockIndex": .index
            case "ContractFutures", "FuturesStrategy": .future
            case "Cash": .cash
            case _ where assetType.hasPrefix("CfdOn"): .cfd
            case _ where assetType.hasSuffix("Option"): .option
            default: .other
            }
    }
}
