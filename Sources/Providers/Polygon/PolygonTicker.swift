import Brokerage
import Upstream

/// An instrument, as the search tells of it in short and the details at length.
struct PolygonTicker: JSONDecodable, Hashable {
    /// In Polygon's spelling.
    var ticker: String
    var name: String?
    /// `stocks`, `otc`, `crypto`, `fx` or `indices`.
    var market: String?
    /// `CS` for common stock, `ETF`, `ADRC` and so on.
    var type: String?
    /// A market identifier code.
    var exchange: String?
    /// `usd`; for currencies, a name in words.
    var currencyName: String?
    var about: String?
    var website: String?
    /// The kind of business, by the Standard Industrial Classification.
    var industry: String?
    var marketCap: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (ticker, name, market) = (String?.none, String?.none, String?.none)
        var (type, exchange, currencyName) = (String?.none, String?.none, String?.none)
        var (about, website, industry) = (String?.none, String?.none, String?.none)
        var marketCap: Decimal?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "ticker": ticker = try reader.string()
            case "name": name = try reader.stringOrNil()
            case "market": market = try reader.stringOrNil()
            case "type": type = try reader.stringOrNil()
            case "primary_exchange": exchange = try reader.stringOrNil()
            case "currency_name": currencyName = try reader.stringOrNil()
            case "description": about = try reader.stringOrNil()
            case "homepage_url": website = try reader.stringOrNil()
            case "sic_description": industry = try reader.stringOrNil()
            case "market_cap": marketCap = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
        self.ticker = try reader.required(ticker, "ticker")
        self.name = name
        self.market = market
        self.type = type
        self.exchange = exchange
        self.currencyName = currencyName
        self.about = about
        self.website = website
        self.industry = industry
        self.marketCap = marketCap
    }

    /// About how many bytes it takes.
    var weight: Int {
        let texts = [ticker, name, market, type, exchange, currencyName, about, website, industry]
        return MemoryLayout<Self>.stride + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// The answer of `GET /v3/reference/tickers`; without a match there may be no `results`.
struct PolygonTickerList: JSONDecodable {
    var tickers: [PolygonTicker] = []

    init(json reader: inout JSONReader) throws(JSONError) {
        var status: PolygonStatus?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                tickers =
                    try reader.optional { reader throws(JSONError) in
                        try reader.array(of: PolygonTicker.self)
                    } ?? []
            default: try reader.skip()
            }
        }
        _ = try reader.required(status, "status")
    }
}

/// The answer of `GET /v3/reference/tickers/{ticker}`.
struct PolygonTickerDetails: JSONDecodable {
    var ticker: PolygonTicker

    init(json reader: inout JSONReader) throws(JSONError) {
        var ticker: PolygonTicker?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "results": ticker = try PolygonTicker(json: &reader)
            default: try reader.skip()
            }
        }
        self.ticker = try reader.required(ticker, "results")
    }
}
