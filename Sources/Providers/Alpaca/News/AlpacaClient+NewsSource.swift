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
