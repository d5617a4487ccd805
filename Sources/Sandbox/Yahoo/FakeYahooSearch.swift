import Brokerage

/// `GET /v1/finance/search`: instruments and news for a text.
struct FakeYahooSearch: Sendable {
    private let text: String
    private let quotesCount: Int
    private let newsCount: Int
    private let context: FakeYahooHost.AuthenticatedRequest

    /// Throws ``FakeYahooError`` where there is no text.
    init(_ visit: FakeYahooHost.AuthenticatedRequest) throws(FakeYahooError) {
        guard let text = visit.request[query: "q"], !text.isEmpty else {
            throw .badRequest("Missing value for the \"q\" argument")
        }
        func count(_ name: String, usual: Int) -> Int {
            min(max(visit.request[query: name].flatMap { Int($0) } ?? usual, 0), Self.maximumCount)
        }
        self.text = text
        self.context = visit
        quotesCount = count("quotesCount", usual: 6)
        newsCount = count("newsCount", usual: 4)
    }

    /// The most quotes, and the most pieces of news.
    private static let maximumCount = 50

    func document() -> JSONDocument {
        let search = ListingSearch(instruments: FakeInstrument.all + FakeInstrument.london) {
            FakeYahooListing($0).symbol
        }
        let hits = search.hits(for: text)
        var quotes = hits.map(quote)
        // A company that is not listed stands among those that are: it has no symbol.
        if context.settings.searchFindsPrivateCompanies, !quotes.isEmpty {
            quotes.insert(privateCompany, at: 1)
        }
        quotes = Array(quotes.prefix(quotesCount))
        let news = news(about: hits)
        return [
            "explains": [],
            "count": JSONDocument(integerLiteral: quotes.count + news.count),
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
            .init(name: "score", value: JSONDocument(integerLiteral: hit.score * 100)),
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

    /// The latest about the companies that were found.
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
                "providerPublishTime": JSONDocument(integerLiteral: story.published),
                "type": "STORY",
                "relatedTickers": .array(tickers.map { .string($0) }),
            ]
        }
    }
}
