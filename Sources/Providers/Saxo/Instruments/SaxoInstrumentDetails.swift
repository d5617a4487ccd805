package import Brokerage
import Upstream

/// The response of `GET /ref/v1/instruments/details/{Uic}/{AssetType}`, and an item of the list of them, as far as it is the
/// same for all clients.
struct SaxoInstrumentDetails: JSONObjectDecodable, Hashable, Sendable {
    var key = SaxoInstrumentKey()
    var about = About()

    /// Name and order rules of an instrument; any may be missing.
    struct About: Hashable, Sendable {
        var providerSymbol: String?
        var name: String?
        /// Of amounts; for a price in pence it is the pound.
        var currency: String?
        /// `PriceCurrency`: GBX for a price in pence.
        var priceCurrency: String?
        /// `PriceToContractFactor`: for a share, the price times the factor is an amount in ``currency``.
        var priceFactor: Decimal?
        var exchangeID: String?
        var decimals: Int?
        /// The tick size of prices; nil also if the instrument has a tick size scheme.
        var tickSize: Decimal?
        var ticks: SaxoTickScheme?
        var minimumTradeSize: Decimal?
        var incrementSize: Decimal?
        var amountDecimals: Int?
        /// Saxo's names of the order types; nil if Saxo does not return them.
        ///
        /// That they are the same for all clients is not documented, so that no order is refused because of them.
        var orderTypes: [String]?
        /// Whether it is traded before and after the regular hours: of the instrument, because no `AccountKey` is sent (Saxo's
        /// sample "Extended trading hours").
        var hasExtendedHours: Bool?
    }

    static let json = JSONFields(Self()) {
        $0.required("Uic", \.key.uic)
        $0.required("AssetType", \.key.assetType)
        $0.optional("Symbol", \.about.providerSymbol)
        $0.optional("Description", \.about.name)
        $0.optional("CurrencyCode", \.about.currency)
        $0.optional("PriceCurrency", \.about.priceCurrency, JSONReader.readable)
        $0.optional("PriceToContractFactor", \.about.priceFactor, JSONReader.readable)
        $0.optional("Exchange", \.about.exchangeID) { reader throws(JSONError) in
            try Exchange(json: &reader).id
        }
        $0.optional("Format", \.about.decimals) { reader throws(JSONError) in
            try SaxoDisplayFormat(json: &reader).decimals
        }
        $0.optional("TickSize", \.about.tickSize, JSONReader.nonzero)
        $0.optional("TickSizeScheme", \.about.ticks)
        $0.optional("MinimumTradeSize", \.about.minimumTradeSize, JSONReader.nonzero)
        $0.optional("IncrementSize", \.about.incrementSize, JSONReader.nonzero)
        $0.optional("AmountDecimals", \.about.amountDecimals)
        $0.optional("IsExtendedTradingHoursEnabled", \.about.hasExtendedHours)
        $0.optional("SupportedOrderTypes", \.about.orderTypes) { reader throws(JSONError) in
            try reader.strings()
        }
    }

    private struct Exchange: JSONObjectDecodable {
        var id: String?

        static let json = JSONFields(Self()) { $0.optional("ExchangeId", \.id) }
    }

    private init() {}

    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        if about.ticks != nil { about.tickSize = nil }
    }
}

extension SaxoInstrumentDetails {
    func listing(in symbolMapping: SaxoSymbols) -> SaxoListing? {
        symbolMapping.symbol(of: key, providerSymbol: about.providerSymbol).map {
            SaxoListing(key, symbol: $0, currencyName: about.currency, statedUnit: priceUnit)
        }
    }

    /// The unit of prices as the details state it; nil if they do not state it, or contradict themselves.
    ///
    /// Saxo's simulation returned GBP, GBX and 0.01 for LQQ3:xlon, whose price of 31151 is 311.51 GBP, and USD, USD and 1 for
    /// 3USL:xlon (measured on 2026-09-08; dd-jp/samurai-trading-system, "Saxo's data surface, measured", 2.1). Lines in pounds
    /// are on the same exchange. Of derivatives the factor has the size of the contract too, so that only `PriceCurrency`
    /// counts (Saxo's reference: Instruments).
    var priceUnit: SaxoCurrency? {
        guard let code = about.currency.map({ SaxoCurrency($0).code }) else { return nil }
        let named = about.priceCurrency.map(SaxoCurrency.init)
        guard Self.typesWithPlainFactor.contains(key.assetType), let factor = about.priceFactor else {
            return named?.code == code ? named : nil
        }
        let unit =
            factor == 1
            ? SaxoCurrency(code) : factor == Self.hundredth ? SaxoCurrency(hundredthOf: code) : nil
        return named == nil || named == unit ? unit : nil
    }

    /// The AssetTypes of which the factor converts only the unit of the price: one share or unit, and the CFD on one.
    private static let typesWithPlainFactor: Set = [
        "Stock", "Etf", "Etc", "Etn", "Fund", "MutualFund", "Rights", "CompanyWarrant", "CfdOnStock",
        "CfdOnEtf", "CfdOnEtc", "CfdOnEtn", "CfdOnFund",
    ]
    private static let hundredth = Decimal(coefficient: 1, scale: 2)

    /// The details as an `Instrument` of Portico.
    func instrument(named symbol: Symbol, fetchedAt: Instant) -> Instrument {
        let prices = SaxoListing(key, symbol: symbol, currencyName: about.currency, statedUnit: priceUnit)
        var instrument = Instrument(
            symbol: symbol, assetClass: AssetClass(saxo: key),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        instrument.name = about.name
        instrument.marketCode = about.providerSymbol.flatMap(SaxoSymbols.exchange)
        instrument.exchange = instrument.marketCode ?? about.exchangeID
        instrument.currency = prices.currency?.code
        instrument.decimals = prices.major(decimals: about.decimals)
        var listing = Listing(saxo: key)
        listing.exchange = about.exchangeID
        // An index is tradable by no client (developer.saxo, "Core business concepts").
        if key.assetType == SaxoSymbols.index { listing.isTradable = false }
        listing.isFractionable = about.amountDecimals.map { $0 > 0 }
        listing.tickSize = prices.major(price: about.tickSize)
        listing.priceIncrements = about.ticks.flatMap { $0.increments(of: prices) }
        listing.minimumQuantity = about.minimumTradeSize
        listing.quantityIncrement = about.incrementSize
        instrument.listing = listing
        return instrument
    }
}

/// What Saxo permits its client to do with an instrument: a part of the details of the instrument.
///
/// `IsTradable` is that of "the user represented in the API token" (Reference data, `InstrumentDetails`).
struct SaxoTradingPermissions: JSONObjectDecodable, Hashable, Sendable {
    var key = SaxoInstrumentKey()
    private var isTradable: Bool?
    private var orderTypes: [OrderType]?

    var permissions: TradingPermissions { TradingPermissions(isTradable: isTradable, orderTypes: orderTypes) }

    static let json = JSONFields(Self()) {
        $0.required("Uic", \.key.uic)
        $0.required("AssetType", \.key.assetType)
        $0.optional("IsTradable", \.isTradable)
        $0.optional("SupportedOrderTypes", \.orderTypes) { reader throws(JSONError) in
            let names = try reader.strings()
            return OrderType.allCases.filter { type in names.contains { OrderType(saxo: $0) == type } }
        }
    }
}

/// Steps of prices that grow with the price: `TickSizeScheme` of an instrument's details.
package struct SaxoTickScheme: JSONDecodable, Hashable, Sendable {
    /// Above all of ``ranges``.
    var otherwise: Decimal?
    /// Each up to and with its highest price.
    var ranges: [Range] = []

    struct Range: JSONObjectDecodable, Hashable, Sendable {
        var highest = Decimal.zero
        var tick = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("HighPrice", \.highest)
            $0.required("TickSize", \.tick) { reader throws(JSONError) in try reader.nonzeroOrNil() }
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

    /// The increments in whole units of the currency; nil if one has too many digits, or if the unit of prices is unknown.
    func increments(of listing: SaxoListing) -> PriceIncrements? {
        guard !listing.lacksPriceUnit else { return nil }
        var converted: [PriceIncrements.Range] = []
        for range in ranges {
            guard let upTo = listing.major(price: range.highest),
                let increment = listing.major(price: range.tick)
            else { return nil }
            converted.append(.init(upTo: upTo, increment: increment))
        }
        return PriceIncrements(otherwise: listing.major(price: otherwise), ranges: converted)
    }
}

extension SaxoInstrumentDetails.About {
    /// The tick size at a price, in Saxo's units; nil if Saxo does not return it.
    func tick(at price: Decimal) -> Decimal? {
        let tick =
            ticks?.tick(at: price) ?? tickSize ?? decimals.flatMap { Decimal(coefficient: 1, scale: $0) }
        return tick.flatMap { $0 > .zero ? $0 : nil }
    }
}

/// The identity of an instrument at Saxo: its Uic and its AssetType.
package struct SaxoInstrumentKey: Hashable, Sendable {
    package internal(set) var uic = 0
    /// Saxo's name: `Stock`, `FxSpot`.
    package internal(set) var assetType = ""

    /// The Uics of the pairs of cryptocurrencies (developer.saxo, "Planned changes", May 2025).
    static let cryptoPairs: Set = [
        21_700_189, 21_750_301, 21_776_927, 21_776_932, 21_776_937, 21_776_938,
    ]

    /// The key of an item before its fields are read.
    init() {}

    package init(uic: Int, assetType: String) {
        self.uic = uic
        self.assetType = assetType
    }
}

extension Listing {
    /// The identity of an instrument, without its order rules.
    init(saxo key: SaxoInstrumentKey) {
        self.init(provider: .saxo, key: String(key.uic))
        assetType = key.assetType
    }
}

extension AssetClass {
    /// By the instrument: the pairs of cryptocurrencies may have the AssetType of currencies.
    init(saxo key: SaxoInstrumentKey) {
        self =
            SaxoInstrumentKey.cryptoPairs.contains(key.uic) && key.assetType == "FxSpot"
            ? .crypto : AssetClass(saxo: key.assetType)
    }

    /// By Saxo's AssetType, of which there are some fifty.
    init(saxo assetType: String) {
        self =
            switch assetType {
            case "Stock", "CompanyWarrant", "Rights": .equity
            // A Fund is traded on an exchange: it was a Stock before (developer.saxo, "Extended AssetTypes").
            case "Etf", "Etc", "Etn", "Fund": .etf
            case "MutualFund": .fund
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
