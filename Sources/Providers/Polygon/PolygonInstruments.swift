package import Brokerage
package import Upstream

extension PolygonClient: InstrumentSource {
    package var identityFieldsOfInstruments: Set<IdentityField> {
        [.exchange, .assetClass, .figi, .shareClassFIGI]
    }

    /// `GET /v3/reference/tickers`: active instruments, in Polygon's order.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
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
        return SearchHits(Array(hits.prefix(limit)), unreadable: list.unreadable)
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
    package var identityFieldsOfCompanies: Set<IdentityField> { [.industry, .website] }

    /// The company data in the details of a share.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        // Currencies, coins and indices have details too, but are no companies.
        guard case .listing? = SymbolKind(symbol) else { throw ProviderFailure(.polygon, .notFound) }
        return try await details(of: symbol, in: context)
            .fundamentals(of: symbol, fetchedAt: clock.wallTime())
    }
}

/// An instrument: a short form in search results, a long form in the details.
struct PolygonTicker: JSONObjectDecodable, Hashable {
    /// In Polygon's form.
    var ticker = ""
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
    var figi: String?
    var shareClassFIGI: String?

    static let json = JSONFields(Self()) {
        $0.required("ticker", \.ticker)
        $0.optional("name", \.name)
        $0.optional("market", \.market)
        $0.optional("type", \.type)
        $0.optional("primary_exchange", \.exchange)
        $0.optional("currency_name", \.currencyName)
        $0.optional("description", \.about)
        $0.optional("homepage_url", \.website)
        $0.optional("sic_description", \.industry)
        $0.optional("market_cap", \.marketCap)
        $0.optional("composite_figi", \.figi)
        $0.optional("share_class_figi", \.shareClassFIGI)
    }

    /// The approximate size in bytes.
    var weight: Int {
        let texts = [
            ticker, name, market, type, exchange, currencyName, about, website, industry, figi,
            shareClassFIGI,
        ]
        return MemoryLayout<Self>.stride + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// The response of `GET /v3/reference/tickers`; without a match there may be no `results`, and with them no `status`.
struct PolygonTickerList: JSONObjectDecodable {
    private var rows: JSONRows<PolygonTicker>?
    private var status: PolygonStatus?

    var tickers: [PolygonTicker] { rows?.elements ?? [] }
    var unreadable: [String] { rows?.unreadable(in: "results") ?? [] }

    static let json = JSONFields(Self()) {
        $0.optional("status", \.status) { reader throws(JSONError) in try reader.goodStatus() }
        $0.optional("results", \.rows) { reader throws(JSONError) in try reader.rows() }
    }
}

extension PolygonTickerList {
    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        _ = try reader.required(rows == nil && status == nil ? nil : true, "status")
    }
}

/// The response of `GET /v3/reference/tickers/{ticker}`.
struct PolygonTickerDetails: JSONObjectDecodable {
    var ticker = PolygonTicker()

    static let json = JSONFields(Self()) { $0.required("results", \.ticker) }
}

extension PolygonTicker {
    /// The details as an `Instrument` of Portico; nil for types without symbols, such as option contracts.
    func instrument(_ symbolMapping: PolygonSymbols, fetchedAt: Instant) -> Instrument? {
        guard let symbol = symbolMapping.symbol(for: ticker) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass(of: symbol),
            provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = exchange
        instrument.marketCode = exchange
        instrument.figi = figi
        instrument.shareClassFIGI = shareClassFIGI
        instrument.currency = currency ?? symbolMapping.currency(of: symbol)
        instrument.about = about
        instrument.listing = Listing(provider: .polygon, key: ticker)
        return instrument
    }

    /// The company data as `Fundamentals` of Portico.
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

    /// Nil if the name is in words.
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
        case .future: .future
        case nil: .other
        }
    }
}
