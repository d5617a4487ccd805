import Brokerage

/// `GET /v1/finance/search`: instruments and news for a text.
struct FakeYahooSearch: Sendable {
    private let text: String
    private let quotesCount: Int
    private let newsCount: Int
    private let context: FakeYahooHost.AuthenticatedRequest

    /// Throws ``FakeYahooError`` for a missing text.
    init(_ context: FakeYahooHost.AuthenticatedRequest) throws(FakeYahooError) {
        guard let text = context.request[query: "q"], !text.isEmpty else {
            throw .badRequest("Missing value for the \"q\" argument")
        }
        func count(_ name: String, default defaultCount: Int) -> Int {
            min(max(context.request[query: name].flatMap { Int($0) } ?? defaultCount, 0), Self.maximumCount)
        }
        self.text = text
        self.context = context
        quotesCount = count("quotesCount", default: 6)
        newsCount = count("newsCount", default: 4)
    }

    /// The maximum number of quotes, and of news.
    private static let maximumCount = 50

    func document() -> JSONDocument {
        let search = ListingSearch(instruments: FakeInstrument.all + FakeInstrument.london) {
            FakeYahooListing($0).symbol
        }
        let hits = search.hits(for: text)
        var quotes = hits.map(quote)
        // An unlisted company in the results has no symbol.
        if context.settings.searchFindsPrivateCompanies, !quotes.isEmpty {
            quotes.insert(privateCompany, at: 1)
        }
        quotes = Array(quotes.prefix(quotesCount))
        let news = news(about: hits)
        return [
            "explains": [],
            "count": .integer(quotes.count + news.count),
            "quotes": .array(quotes),
            "news": .array(news),
            "nav": [], "lists": [], "researchReports": [], "totalTime": 12,
        ]
    }

    private func quote(_ hit: ListingSearch.Hit) -> JSONDocument {
        let listing = FakeYahooListing(hit.instrument)
        var members: [JSONDocument.Member] = [
            .init(name: "exchange", value: .string(listing.exchange.code)),
            .init(name: "shortname", value: .string(listing.name)),
            .init(name: "quoteType", value: .string(listing.type.quoteType)),
            .init(name: "symbol", value: .string(listing.symbol)),
            .init(name: "index", value: "quotes"),
            .init(name: "score", value: .integer(hit.score * 100)),
            .init(name: "typeDisp", value: .string(listing.type.display)),
            .init(name: "longname", value: .string(listing.name)),
            .init(name: "exchDisp", value: .string(listing.exchange.display)),
        ]
        if let company = listing.company {
            members += [
                .init(name: "sector", value: .string(company.sector)),
                .init(name: "industry", value: .string(company.industry)),
            ]
        }
        return .object(members + [.init(name: "isYahooFinance", value: true)])
    }

    private var privateCompany: JSONDocument {
        let noise = SeededRandom(seed: 0).branch(text)
        return [
            "index": .string(UUIDFormat.version8(noise.bits(0), noise.bits(1)).replacing("-", with: "")),
            "name": .string("\(text) Workshop"),
            "permalink": .string("\(text.lowercased().replacing(" ", with: "-"))-workshop"),
            "isYahooFinance": false,
        ]
    }

    /// Returns the latest news about the companies in the results.
    private func news(about hits: [ListingSearch.Hit]) -> [JSONDocument] {
        let symbols = Set(hits.map(\.instrument.symbol))
        let month = context.view.now - 30 * 86_400
        return context.view.news(about: symbols, from: month).prefix(newsCount).map { story in
            let tickers = story.symbols.compactMap(context.view.market.instrument).map {
                FakeYahooListing($0).symbol
            }
            let noise = SeededRandom(seed: UInt64(story.id))
            return [
                "uuid": .string(UUIDFormat.version8(noise.bits(0), noise.bits(1))),
                "title": .string(story.headline),
                "publisher": .string(story.author),
                "link": .string(story.url),
                "providerPublishTime": .integer(story.published),
                "type": "STORY",
                "relatedTickers": .array(tickers.map { .string($0) }),
            ]
        }
    }
}

/// An instrument in Yahoo's terms.
struct FakeYahooListing: Sendable {
    let instrument: FakeInstrument

    init(_ instrument: FakeInstrument) {
        self.instrument = instrument
    }

    /// Finds the instrument of a Yahoo symbol; nil for an unknown one.
    init?(_ symbol: String, in market: Market) {
        guard let name = Self.marketSymbol(symbol), let instrument = market.anyInstrument(name),
            Self(instrument).symbol == symbol
        else { return nil }
        self.init(instrument)
    }

    /// Class shares with a dash, `BRK-B`; London's with a dot, `TSCO.L`; `^SPX` is `^GSPC`; `EURUSD=X`; `BTC-USD`.
    var symbol: String {
        switch instrument.assetClass {
        case .equity:
            instrument.exchange == .london
                ? instrument.symbol : instrument.symbol.replacing(".", with: "-")
        case .index: instrument.symbol == "SPX" ? "^GSPC" : "^\(instrument.symbol)"
        case .currencyPair(let base, let quote): "\(base)\(quote)=X"
        case .crypto(let base): "\(base)-USD"
        }
    }

    private static func marketSymbol(_ symbol: String) -> String? {
        if symbol == "^GSPC" { return "SPX" }
        if symbol.hasPrefix("^") { return String(symbol.dropFirst()) }
        if symbol.hasSuffix("=X") {
            let pair = symbol.dropLast(2)
            return pair.count == 6 ? "\(pair.prefix(3))/\(pair.suffix(3))" : nil
        }
        if symbol.hasSuffix("-USD") { return symbol.replacing("-", with: "/") }
        return symbol.replacing("-", with: ".")
    }

    /// The type of an instrument, in Yahoo's three forms.
    var type: (quoteType: String, display: String) {
        switch instrument.assetClass {
        case .equity: instrument.isFund ? ("ETF", "ETF") : ("EQUITY", "Equity")
        case .index: ("INDEX", "Index")
        case .currencyPair: ("CURRENCY", "Currency")
        case .crypto: ("CRYPTOCURRENCY", "Cryptocurrency")
        }
    }

    var company: Company? { Company.issuer(of: instrument.symbol) }
    var name: String { instrument.displayName }

    /// Yahoo's short code of the exchange, and two longer names.
    var exchange: (code: String, name: String, display: String) {
        switch instrument.assetClass {
        case .equity:
            switch instrument.exchange {
            case .nasdaq: ("NMS", "NasdaqGS", "NASDAQ")
            case .nyse: ("NYQ", "NYSE", "NYSE")
            case .arca: ("PCX", "NYSEArca", "NYSEArca")
            case .london: ("LSE", "LSE", "London")
            case .overTheCounter: ("PNK", "OTC Markets", "OTC Markets")
            }
        case .index: ("SNP", "SNP", "SNP")
        case .currencyPair: ("CCY", "CCY", "CCY")
        case .crypto: ("CCC", "CCC", "CCC")
        }
    }

    /// The ISO 4217 code, or `GBp` for pence.
    var currency: String { instrument.currency == "GBX" ? "GBp" : instrument.currency }
    /// Returns true if the instrument is traded outside of market hours.
    func hasExtendedHours(in market: Market) -> Bool { market.schedule(of: instrument) == .exchanges }
    /// The number of displayed decimals of a price.
    var priceHint: Int { instrument.decimals > 2 ? 4 : 2 }

    /// Returns the time zone of the exchange at a moment: name, abbreviation and seconds to add to UTC.
    func zone(at second: Int) -> (name: String, abbreviation: String, offset: Int) {
        switch instrument.schedule {
        case .exchanges, .marketHours, .aroundTheClock:
            let offset = (Instant(secondsSince1970: Int64(second)) ?? .earliest).newYorkOffset
            return ("America/New_York", offset == -4 * 3600 ? "EDT" : "EST", offset)
        case .london:
            let offset = LondonCalendar.offset(at: second)
            return ("Europe/London", offset == 0 ? "GMT" : "BST", offset)
        case .currencies, .continuous: return ("UTC", "UTC", 0)
        }
    }

    /// Returns Yahoo's name of the market state at a moment.
    func marketState(_ view: MarketView) -> String {
        switch view.phase(of: instrument) {
        case .preMarket: return "PRE"
        case .regular: return "REGULAR"
        case .postMarket: return "POST"
        case nil:
            let today = view.instant.inNewYork.date
            guard hasExtendedHours(in: view.market), let session = NewYorkCalendar.session(on: today) else {
                return "CLOSED"
            }
            return view.now < session.open ? "PREPRE" : "POSTPOST"
        }
    }

    func price(_ ticks: Int) -> JSONDocument { .number(shortest: instrument.price(ticks)) }
}

extension JSONDocument {
    /// Converts a number through a 32-bit binary number: `226.10000610351562` for 226.1.
    static func singlePrecision(_ decimal: Decimal) -> JSONDocument {
        let value = Double(Float(decimal.doubleValue))
        return .number(shortest: Decimal(value.description) ?? decimal)
    }

    /// Writes a 32-bit result with its own digits only: `1.4499969`.
    static func singlePrecision(_ value: Float) -> JSONDocument {
        .number(shortest: Decimal(value.description) ?? .zero)
    }
}
