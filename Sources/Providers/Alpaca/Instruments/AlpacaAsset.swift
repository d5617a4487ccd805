package import Brokerage
import Upstream

/// An asset, with the fields that Portico uses: an element of the response of `GET /v2/assets`, and of a
/// watchlist.
package struct AlpacaAsset: JSONObjectDecodable, Hashable, Sendable {
    /// Portico's own.
    var symbol = Symbol.example
    /// Alpaca's.
    package var key = ""
    var name: String?
    /// `us_equity`, `us_option`, `crypto`, `ipo`.
    var assetClass: String?
    var exchange: String?
    var isActive: Bool?
    var isTradable: Bool?
    var isFractionable: Bool?
    var isShortable: Bool?
    /// Of coins only, like the two that follow.
    var priceIncrement: Decimal?
    var minimumSize: Decimal?
    var sizeIncrement: Decimal?

    static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol, JSONReader.symbol)
        $0.optional("name", \.name, JSONReader.nonemptyString)
        $0.optional("class", \.assetClass)
        $0.optional("exchange", \.exchange)
        $0.optional("status", \.isActive) { reader throws(JSONError) in try reader.string() == "active" }
        $0.optional("tradable", \.isTradable)
        $0.optional("fractionable", \.isFractionable)
        $0.optional("shortable", \.isShortable)
        $0.optional("price_increment", \.priceIncrement)
        $0.optional("min_order_size", \.minimumSize)
        $0.optional("min_trade_increment", \.sizeIncrement)
    }

    private static let outline = JSONFields(Self()) {
        $0.required("symbol", \.symbol, JSONReader.symbol)
        $0.optional("name", \.name) { reader throws(JSONError) in
            try reader.readable(JSONReader.nonemptyString) ?? nil
        }
        $0.optional("class", \.assetClass) { reader throws(JSONError) in
            try reader.readable(String.init(json:))
        }
    }
}

extension AlpacaAsset {
    /// Reads only what identifies an asset.
    init(outline reader: inout JSONReader) throws(JSONError) {
        self = try Self.outline.read(from: &reader)
        key = symbol.text
        symbol = AlpacaSymbols.symbol(symbol, ofClass: assetClass)
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        key = symbol.text
        symbol = AlpacaSymbols.symbol(symbol, ofClass: assetClass)
    }

    /// The asset as an `Instrument` of Portico.
    package func instrument(fetchedAt: Instant) -> Instrument {
        var instrument = Instrument(
            symbol: symbol, assetClass: kind, provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = exchange.map { Self.markets[$0] ?? $0 }
        instrument.marketCode = exchange.flatMap { Self.markets[$0] }
        instrument.currency = AlpacaMarket.currency
        instrument.listing = listing
        return instrument
    }

    private var listing: Listing {
        var listing = Listing(provider: .alpaca, key: key)
        listing.assetType = assetClass
        listing.exchange = exchange
        // An inactive asset may still be marked as tradable.
        listing.isTradable = isActive == false ? false : isTradable
        listing.isFractionable = isFractionable
        listing.isShortable = isShortable
        listing.orderTypes = orderTypes
        listing.tickSize = priceIncrement
        listing.priceIncrements = shareIncrements
        listing.minimumQuantity = minimumSize
        listing.quantityIncrement = sizeIncrement ?? shareIncrement
        return listing
    }

    /// Alpaca's class of funds is that of shares; funds are detected by their names.
    private var kind: AssetClass {
        switch assetClass {
        case "us_equity", "ipo", nil: isFund ? .etf : .equity
        case "crypto": .crypto
        case "us_option": .option
        default: .other
        }
    }

    private var isFund: Bool {
        name?.split { !$0.isLetter }.contains("ETF") ?? false
    }

    /// As its specification of order types has it.
    private var orderTypes: [OrderType]? {
        switch assetClass {
        case "us_equity": [.market, .limit, .stop, .stopLimit, .trailingStop]
        case "us_option": [.market, .limit]
        case "crypto": [.market, .limit, .stopLimit]
        default: nil
        }
    }

    /// Prices of shares from one dollar on have two decimals, lower ones four (Alpaca, "Orders", sub-penny increment).
    private var shareIncrements: PriceIncrements? {
        guard assetClass == "us_equity", let belowOne = Decimal(coefficient: 9_999, scale: 4),
            let small = Decimal(coefficient: 1, scale: 4)
        else { return nil }
        return PriceIncrements(
            otherwise: Decimal(coefficient: 1, scale: 2), ranges: [.init(upTo: belowOne, increment: small)])
    }

    /// Shares are traded in whole ones, or to nine digits after the point.
    private var shareIncrement: Decimal? {
        guard assetClass == "us_equity", let isFractionable else { return nil }
        return isFractionable ? Decimal(coefficient: 1, scale: 9) : 1
    }

    /// The market identifier codes (ISO 10383) of Alpaca's exchange names; over-the-counter trading has
    /// several codes.
    private static let markets = [
        "AMEX": "XASE", "ARCA": "ARCX", "NYSEARCA": "ARCX", "BATS": "BATS", "NASDAQ": "XNAS", "NYSE": "XNYS",
    ]
}
