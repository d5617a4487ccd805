import Brokerage
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
