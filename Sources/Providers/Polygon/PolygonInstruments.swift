package import Brokerage
package import Upstream

extension PolygonClient: InstrumentSource {
    /// `GET /v3/reference/tickers`: what is traded now, in Polygon's order.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        let limit = min(max(limit, 1), Self.maximumTickers)
        let items = [("search", Optional(text)), ("active", "true"), ("limit", String(limit))]
        let list = try await get(
            "search", { $0.appending(path: "v3", "reference", "tickers")?.appending(query: items) },
            in: context
        ) { reader throws(JSONError) in try PolygonTickerList(json: &reader) }
        let fetchedAt = clock.wallTime()
        let hits = list.tickers.lazy.compactMap { ticker in
            ticker.instrument(symbolMapping, fetchedAt: fetchedAt).map { SearchHit(instrument: $0) }
        }
        return Array(hits.prefix(limit))
    }

    /// More are refused.
    private static var maximumTickers: Int { 1_000 }

    /// `GET /v3/reference/tickers/{ticker}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        let details = try await details(of: symbol, in: context)
        guard let instrument = details.instrument(symbolMapping, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.polygon, .notFound)
        }
        return instrument
    }
}

extension PolygonClient: FundamentalsSource {
    /// What the details of a share tell of its company.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        // Currencies, coins and indices have details too, but are no companies.
        guard case .listing? = SymbolKind(symbol) else { throw ProviderFailure(.polygon, .notFound) }
        return try await details(of: symbol, in: context)
            .fundamentals(of: symbol, fetchedAt: clock.wallTime())
    }
}

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

extension PolygonTicker {
    /// The instrument in Portico's words; nil for a kind that it has no symbols for, such as option contracts.
    func instrument(_ dialect: PolygonSymbols, fetchedAt: Instant) -> Instrument? {
        guard let symbol = dialect.symbol(for: ticker) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass(of: symbol),
            provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = exchange
        instrument.currency = currency ?? dialect.currency(of: symbol)
        instrument.about = about
        instrument.listing = Listing(provider: .polygon, key: ticker)
        return instrument
    }

    /// The company's figures in Portico's words.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals {
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.about = about
        fundamentals.website = website
        fundamentals.industry = industry
        fundamentals.currency = currency
        fundamentals.marketCap = currency == nil ? nil : marketCap
        return fundamentals
    }

    /// Nil where the name is in words.
    private var currency: String? {
        currencyName.map { $0.uppercased() }.flatMap { FiatCurrency.isCode($0) ? $0 : nil }
    }

    private func assetClass(of symbol: Symbol) -> AssetClass {
        switch SymbolKind(symbol) {
        case .currencies: .fx
        case .crypto: .crypto
        case .index: .index
        case .listing:
            switch type {
            case "ETF", "ETN", "ETV", "ETS": .etf
            case "FUND": .fund
            case "BOND": .bond
            case "WARRANT", "RIGHT", "UNIT", "SP", "OTHER": .other
            default: .equity
            }
        case nil: .other
        }
    }
}
