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
            page.unreadable += news.unreadable
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
        ) { response throws(JSONError) in try AlpacaNews(json: response.body) }
    }
}

/// An element of the response of `GET /v1beta1/news`, with the fields that Portico uses.
package struct AlpacaArticle: JSONObjectDecodable, Hashable {
    var id = 0
    var headline = ""
    var summary: String?
    var author: String?
    var url: String?
    /// By size: `large`, `small`, `thumb`.
    var images: [String: String] = [:]
    var symbols: [Symbol] = []
    var source: String?
    var createdAt = Instant.earliest

    package static let json = JSONFields(Self()) {
        $0.required("id", \.id)
        $0.required("headline", \.headline)
        $0.optional("source", \.source, JSONReader.nonemptyString)
        $0.required("created_at", \.createdAt)
        $0.optional("summary", \.summary)
        $0.optional("author", \.author)
        $0.optional("url", \.url)
        $0.optional("images", \.images, JSONReader.images)
        $0.optional("symbols", \.symbols, JSONReader.symbols)
    }

    struct Image: JSONObjectDecodable {
        var size: String?
        var url: String?

        static let json = JSONFields(Self()) {
            $0.optional("size", \.size)
            $0.optional("url", \.url, JSONReader.nonemptyString)
        }
    }

    /// The publisher of an article without a source: Alpaca's only supplier of news.
    private static let distributor = "benzinga"

    /// The article as an `Article` of Portico; nil without a URL of its text.
    package var article: Article? {
        guard let url, !url.isEmpty else { return nil }
        var article = Article(
            id: String(id), headline: headline, url: url, publisher: source ?? Self.distributor,
            provider: .alpaca, symbols: symbols, publishedAt: createdAt)
        article.summary = summary.flatMap { $0.isEmpty ? nil : $0 }
        article.author = author.flatMap { $0.isEmpty ? nil : $0 }
        article.imageURL = images["small"] ?? images["thumb"] ?? images["large"]
        return article
    }
}

/// The response of `GET /v1beta1/news`.
package struct AlpacaNews: JSONObjectDecodable {
    private var rows = JSONRows<AlpacaArticle>()
    package var nextPage: String?

    package static let json = JSONFields(Self()) {
        $0.required("news", \.rows) { reader throws(JSONError) in
            try reader.null() ? JSONRows<AlpacaArticle>() : try reader.rows()
        }
        $0.optional("next_page_token", \.nextPage, JSONReader.nonemptyString)
    }

    package var articles: [AlpacaArticle] { rows.elements }
    package var unreadable: [String] { rows.unreadable(in: "news") }
}

extension JSONReader {
    /// Reads `[{"size":"thumb","url":"…"}]`.
    fileprivate static func images(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var images: [String: String] = [:]
        for image in try reader.array(of: AlpacaArticle.Image.self) {
            if let size = image.size, let url = image.url { images[size] = url }
        }
        return images
    }

    /// Reads symbols of any kind, without those that are none of Alpaca's.
    fileprivate static func symbols(_ reader: inout JSONReader) throws(JSONError) -> [Symbol] {
        try reader.array(of: String.self).compactMap(AlpacaSymbols().symbol(for:))
    }
}
