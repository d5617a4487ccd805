package import Brokerage
package import Upstream

extension PolygonClient: NewsSource {
    /// `GET /v2/reference/news`, for one instrument or for all.
    ///
    /// News about several instruments need one call each and are merged here: at most
    /// ``maximumNewsSymbols``, and more are `unsupported`. Instruments without news at Polygon are not
    /// requested.
    package func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in context: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        let tickers = symbols?.compactMap(symbolMapping.providerSymbol)
        let mark = try next.map { text throws(ProviderFailure) in
            guard let mark = PolygonNewsCursor(text) else { throw ProviderFailure(.polygon, .unsupported) }
            return mark
        }
        let limit = min(max(limit, 1), 100)
        guard let tickers, tickers.count != 1 else {
            return try await page(about: tickers?.first, limit: limit, after: mark, in: context)
        }
        guard tickers.count <= Self.maximumNewsSymbols else { throw ProviderFailure(.polygon, .unsupported) }
        return try await page(aboutAnyOf: tickers, limit: limit, after: mark, in: context)
    }

    package func news(from time: Instant, in context: CallContext) async throws(ProviderFailure) -> [Article]
    {
        let query: [(name: String, value: String?)] = [
            ("published_utc.gte", time.description), ("order", "asc"), ("sort", "published_utc"),
            ("limit", "50"),
        ]
        return try await news(query, in: context).articles.map { $0.article(symbolMapping) }
    }

    /// Each costs a call, of five that the free plan has in a minute.
    package static var maximumNewsSymbols: Int { 5 }

    /// By Polygon's own pages.
    private func page(
        about ticker: String?, limit: Int, after mark: PolygonNewsCursor?, in context: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        let news: PolygonNews
        switch mark {
        case nil: news = try await self.news(Self.query(ticker, limit), in: context)
        // A cursor contains the parameters of the first page.
        case .cursor(let cursor): news = try await self.news([("cursor", cursor.text)], in: context)
        case .until: throw ProviderFailure(.polygon, .unsupported)
        }
        return ArticlePage(
            articles: news.articles.map { $0.article(symbolMapping) }, unreadable: news.unreadable,
            next: news.next.map { PolygonNewsCursor.cursor($0).text })
    }

    /// By time, out of one call for each.
    private func page(
        aboutAnyOf tickers: [String], limit: Int, after mark: PolygonNewsCursor?, in context: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        let until: (time: Instant, seen: Set<String>)?
        switch mark {
        case nil: until = nil
        case .until(let time, let seen): until = (time, seen)
        case .cursor: throw ProviderFailure(.polygon, .unsupported)
        }
        let seen = until?.seen ?? []
        // Articles with the same time that the client has seen are returned again; they must not displace
        // others.
        let requested = min(limit + seen.count, Self.maximumArticles)
        let end = until?.time.description
        let results = await concurrently(tickers, atMost: tickers.count) {
            ticker async throws(ProviderFailure) in
            try await news(Self.query(ticker, requested) + [("published_utc.lte", end)], in: context)
        }
        var merged = PolygonNewsMerge(without: seen)
        for result in results { merged.add(try result.get()) }
        return merged.page(limit, symbolMapping, after: until?.time)
    }

    /// More are refused.
    private static var maximumArticles: Int { 1_000 }

    private static func query(_ ticker: String?, _ limit: Int) -> [(name: String, value: String?)] {
        [("ticker", ticker), ("order", "desc"), ("sort", "published_utc"), ("limit", String(limit))]
    }

    private func news(
        _ query: [(name: String, value: String?)], in context: CallContext
    ) async throws(ProviderFailure) -> PolygonNews {
        try await get(
            "news", { $0.appending(path: "v2", "reference", "news")?.appending(query: query) }, in: context
        ) { reader throws(JSONError) in try PolygonNews(json: &reader, of: configuration) }
    }
}

/// News of several calls in one order, each article once.
struct PolygonNewsMerge {
    private var articles: [String: PolygonArticle] = [:]
    private let seen: Set<String>
    private var unreadable: [String] = []
    private var hasOlder = false

    init(without seen: Set<String>) {
        self.seen = seen
    }

    mutating func add(_ news: PolygonNews) {
        for article in news.articles where !seen.contains(article.id) { articles[article.id] = article }
        unreadable += news.unreadable
        if news.next != nil { hasOlder = true }
    }

    /// The newest articles.
    ///
    /// - Parameters:
    ///   - limit: The maximum number.
    ///   - symbolMapping: Maps the symbols.
    ///   - time: The latest requested time.
    /// - Returns: The articles, and the cursor of the remaining ones.
    func page(_ limit: Int, _ symbolMapping: PolygonSymbols, after time: Instant?) -> ArticlePage {
        let sorted = articles.values.sorted {
            $0.publishedAt == $1.publishedAt ? $0.id < $1.id : $0.publishedAt > $1.publishedAt
        }
        let selected = sorted.prefix(limit)
        var next: PolygonNewsCursor?
        if let last = selected.last, hasOlder || selected.count < sorted.count {
            let sameTime = selected.filter { $0.publishedAt == last.publishedAt }.map(\.id)
            next = .until(
                last.publishedAt, without: Set(sameTime).union(last.publishedAt == time ? seen : []))
        }
        return ArticlePage(
            articles: selected.map { $0.article(symbolMapping) }, unreadable: unreadable, next: next?.text)
    }
}

/// The response of `GET /v2/reference/news`.
struct PolygonNews {
    private var rows = JSONRows<PolygonArticle>()
    /// Nil at the end.
    var next: PolygonCursor?

    init(json reader: inout JSONReader, of configuration: PolygonConfiguration) throws(JSONError) {
        // The document requires neither member, but a response without both is none.
        var hasMember = false
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status":
                _ = try reader.goodStatus()
                hasMember = true
            case "results":
                if try !reader.null() {
                    rows = try reader.rows()
                    hasMember = true
                }
            case "next_url":
                next = try reader.optional { reader throws(JSONError) in
                    // An address elsewhere is not the end of the news, so it is not taken for that.
                    try reader.token(oneOf: "Polygon's own addresses with a cursor") { address in
                        PolygonCursor(nextURL: address.string, of: configuration)
                    }
                }
            default: try reader.skip()
            }
        }
        _ = try reader.required(hasMember ? true : nil, "status")
    }

    var articles: [PolygonArticle] { rows.elements }
    var unreadable: [String] { rows.unreadable(in: "results") }
}

/// An article; optional members may be missing.
struct PolygonArticle: JSONObjectDecodable, Hashable {
    var id = ""
    var title = ""
    var url = ""
    var publisher = ""
    var publishedAt = Instant.earliest
    /// In Polygon's form.
    var tickers: [String] = []
    var author: String?
    var summary: String?
    var imageURL: String?

    static let json = JSONFields(Self()) {
        $0.required("id", \.id)
        $0.required("title", \.title)
        $0.required("article_url", \.url)
        $0.required("publisher", \.publisher) { reader throws(JSONError) in
            try Publisher(json: &reader).name
        }
        $0.required("published_utc", \.publishedAt)
        $0.nonnull("tickers", \.tickers) { reader throws(JSONError) in
            try reader.array(of: String.self)
        }
        $0.optional("author", \.author)
        $0.optional("description", \.summary)
        $0.optional("image_url", \.imageURL)
    }

    private struct Publisher: JSONObjectDecodable {
        var name = ""

        static let json = JSONFields(Self()) { $0.required("name", \.name) }
    }

    /// The article as an `Article` of Portico.
    func article(_ symbolMapping: PolygonSymbols) -> Article {
        var article = Article(
            id: id, headline: title, url: url, publisher: publisher, provider: .polygon,
            symbols: tickers.compactMap(symbolMapping.symbol), publishedAt: publishedAt)
        article.author = author.flatMap { $0.isEmpty ? nil : $0 }
        article.summary = summary.flatMap { $0.isEmpty ? nil : $0 }
        article.imageURL = imageURL.flatMap { $0.isEmpty ? nil : $0 }
        return article
    }
}

/// The position of the next, older articles.
enum PolygonNewsCursor: Hashable {
    /// By Polygon's own cursor, for one instrument or all.
    case cursor(PolygonCursor)
    /// At this time or before it, without some articles of the very time: for several instruments, whose news are of
    /// several calls.
    case until(Instant, without: Set<String>)

    /// As `ArticlePage.next` carries it.
    var text: String {
        switch self {
        case .cursor(let cursor): "cursor:\(cursor.text)"
        case .until(let time, let seen):
            "until:" + ([time.description] + seen.sorted()).joined(separator: ",")
        }
    }

    /// Nil for a text that is not a cursor.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        if text.hasPrefix("cursor:"), let cursor = PolygonCursor(text.dropFirst("cursor:".count)) {
            self = .cursor(cursor)
        } else if text.hasPrefix("until:") {
            let parts = text.dropFirst("until:".count).split(separator: ",")
            guard let time = parts.first.flatMap({ Instant($0) }) else { return nil }
            self = .until(time, without: Set(parts.dropFirst().map(String.init)))
        } else {
            return nil
        }
    }

    private static let maximumLength = 16_384
}
