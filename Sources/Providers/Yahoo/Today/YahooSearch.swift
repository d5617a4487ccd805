import Brokerage
import Upstream

/// The answer of `GET /v1/finance/search`: listings, and private companies, which have no symbol.
struct YahooSearch: JSONDecodable {
    var matches: [Match]

    struct Match: Hashable {
        /// In Yahoo's spelling; nil for what is not traded.
        var symbol: String?
        var name = YahooName()
        var type: String?
        var exchange: String?
        var exchangeName: String?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var matches: [Match]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "quotes": matches = try reader.array(of: Match.self)
            default: try reader.skip()
            }
        }
        self.matches = try reader.required(matches, "quotes")
    }
}

extension YahooSearch.Match: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.stringOrNil()
            // In lower case here, unlike elsewhere.
            case "longname": name.long = try reader.stringOrNil()
            case "shortname": name.short = try reader.stringOrNil()
            case "quoteType": type = try reader.stringOrNil()
            case "exchange": exchange = try reader.stringOrNil()
            case "exchDisp": exchangeName = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }

    /// The match in Portico's words; nil for what is not traded, or has no symbol of Portico's, such as a future.
    func instrument(_ dialect: YahooSymbols, fetchedAt: Instant) -> Instrument? {
        guard let spelling = symbol, let symbol = dialect.symbol(for: spelling) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: YahooAssetType.assetClass(type),
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        instrument.name = name.best
        instrument.exchange = YahooAssetType.exchange(of: symbol, code: exchange, name: exchangeName)
        instrument.listing = Listing(provider: .yahoo, key: spelling)
        return instrument
    }
}
