package import Brokerage
package import Upstream

extension PolygonClient: NewsSource {
    /// `GET /v2/reference/news`, which is about one instrument or about all.
    ///
    /// News about several are one call each, put in order here: so at most ``mostSubjects``, and more are `unsupported`.
    /// What Polygon has no news about is not asked for.
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
        // A cursor holds all that the first page was asked for.
        case .cursor(let cursor): news = try await self.news([("cursor", cursor.text)], in: context)
        case .until: throw ProviderFailure(.polygon, .unsupported)
        }
        return ArticlePage(
            articles: news.articles.map { $0.article(symbolMapping) },
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
        // What was seen of the very time comes again, and must not crowd out what was not.
        let asked = min(limit + seen.count, Self.maximumArticles)
        let results = await withTaskGroup(of: Result<PolygonNews, ProviderFailure>.self) { group in
            for ticker in tickers {
                let query = Self.query(ticker, asked) + [("published_utc.lte", until?.time.description)]
                group.addTask {
                    do throws(ProviderFailure) {
                        return .success(try await news(query, in: context))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
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
    private var hasOlder = false

    init(without seen: Set<String>) {
        self.seen = seen
    }

    mutating func add(_ news: PolygonNews) {
        for article in news.articles where !seen.contains(article.id) { articles[article.id] = article }
        if news.next != nil { hasOlder = true }
    }

    /// The newest of them.
    ///
    /// - Parameters:
    ///   - limit: How many.
    ///   - dialect: Tells their symbols.
    ///   - time: The latest time that was asked for.
    /// - Returns: the articles, and the mark of those that are left.
    func page(_ limit: Int, _ dialect: PolygonSymbols, after time: Instant?) -> ArticlePage {
        let sorted = articles.values.sorted {
            $0.publishedAt == $1.publishedAt ? $0.id < $1.id : $0.publishedAt > $1.publishedAt
        }
        let kept = sorted.prefix(limit)
        var next: PolygonNewsCursor?
        if let last = kept.last, hasOlder || kept.count < sorted.count {
            let sameTime = kept.filter { $0.publishedAt == last.publishedAt }.map(\.id)
            next = .until(
                last.publishedAt, without: Set(sameTime).union(last.publishedAt == time ? seen : []))
        }
        return ArticlePage(articles: kept.map { $0.article(dialect) }, next: next?.text)
    }
}
