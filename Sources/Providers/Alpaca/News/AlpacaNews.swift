package import Brokerage
package import Upstream

extension AlpacaClient: NewsSource {
    /// Articles by the time of their last change: `GET /v1beta1/news`, of which one call brings fifty.
    ///
    /// Articles without an address are left out, so fewer than `limit` may come though there are more.
    package func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in context: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        let spelled = symbols?.compactMap(AlpacaSymbols().providerSymbol(for:))
        if spelled?.isEmpty == true { return ArticlePage(articles: [], next: nil) }
        var page = ArticlePage(articles: [], next: next)
        var left = min(max(limit, 1), 100)
        repeat {
            let count = min(left, 50)
            let news = try await news(about: spelled, count: count, page: page.next, in: context)
            page.articles += news.articles.compactMap(\.article)
            page.next = news.nextPage
            left -= count
        } while left > 0 && page.next != nil
        return page
    }

    /// Articles by the time of their last change, which is usually some seconds after their publication.
    package func news(from time: Instant, in context: CallContext) async throws(ProviderFailure) -> [Article]
    {
        try await news(
            [("start", time.description), ("limit", "50"), ("sort", "asc"), ("include_content", "false")],
            in: context
        ).articles.compactMap(\.article)
    }

    private func news(
        about symbols: [String]?, count: Int, page: String?, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaNews {
        try await news(
            [
                ("symbols", symbols?.joined(separator: ",")), ("limit", String(count)), ("sort", "desc"),
                ("include_content", "false"), ("page_token", page),
            ], in: context)
    }

    private func news(
        _ items: [(name: String, value: String?)], in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaNews {
        try await get(
            "news", from: .data,
            { $0.appending(path: "v1beta1", "news")?.appending(query: items) }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in try AlpacaNews(json: &reader) }
        }
    }
}

/// An element of the answer of `GET /v1beta1/news`, as far as Portico tells of it.
struct AlpacaArticle: JSONDecodable, Hashable {
    var id: Int
    var headline: String
    var summary: String?
    var author: String?
    var url: String?
    /// By size: `large`, `small`, `thumb`.
    var images: [String: String]
    var symbols: [Symbol]
    var source: String
    var createdAt: Instant

    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, headline, source, createdAt) = (Int?.none, String?.none, String?.none, Instant?.none)
        var (summary, author, url) = (String?.none, String?.none, String?.none)
        var (images, symbols) = ([String: String](), [Symbol]())
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.int()
            case "headline": headline = try reader.string()
            case "summary": summary = try reader.stringOrNil()
            case "author": author = try reader.stringOrNil()
            case "url": url = try reader.stringOrNil()
            case "images": images = try reader.optional { r throws(JSONError) in try r.images() } ?? [:]
            case "symbols": symbols = try reader.optional { r throws(JSONError) in try r.symbols() } ?? []
            case "source": source = try reader.string()
            case "created_at": createdAt = try reader.instant()
            default: try reader.skip()
            }
        }
        self.id = try reader.required(id, "id")
        self.headline = try reader.required(headline, "headline")
        self.source = try reader.required(source, "source")
        self.createdAt = try reader.required(createdAt, "created_at")
        self.summary = summary
        self.author = author
        self.url = url
        self.images = images
        self.symbols = symbols
    }

    /// The article in Portico's words; nil without an address where it can be read.
    var article: Article? {
        guard let url, !url.isEmpty else { return nil }
        var article = Article(
            id: String(id), headline: headline, url: url, publisher: source, provider: .alpaca,
            symbols: symbols,
            publishedAt: createdAt)
        article.summary = summary.flatMap { $0.isEmpty ? nil : $0 }
        article.author = author.flatMap { $0.isEmpty ? nil : $0 }
        article.imageURL = images["small"] ?? images["thumb"] ?? images["large"]
        return article
    }
}

/// The answer of `GET /v1beta1/news`.
struct AlpacaNews: JSONDecodable {
    var articles: [AlpacaArticle]
    var nextPage: String?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (news, nextPage) = ([AlpacaArticle]?.none, String?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "news":
                news =
                    try reader.optional { r throws(JSONError) in try r.array(of: AlpacaArticle.self) } ?? []
            case "next_page_token": nextPage = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        articles = try reader.required(news, "news")
        self.nextPage = nextPage == "" ? nil : nextPage
    }
}

extension JSONReader {
    /// Reads `[{"size":"thumb","url":"…"}]`.
    fileprivate mutating func images() throws(JSONError) -> [String: String] {
        var images: [String: String] = [:]
        try array { reader throws(JSONError) in
            var (size, url) = (String?.none, String?.none)
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "size": size = try reader.stringOrNil()
                case "url": url = try reader.stringOrNil()
                default: try reader.skip()
                }
            }
            if let size, let url, !url.isEmpty { images[size] = url }
        }
        return images
    }

    /// Reads symbols of any kind, without those that are none of Alpaca's.
    fileprivate mutating func symbols() throws(JSONError) -> [Symbol] {
        var symbols: [Symbol] = []
        try array { reader throws(JSONError) in
            if let symbol = AlpacaSymbols().symbol(for: try reader.string()) { symbols.append(symbol) }
        }
        return symbols
    }
}
