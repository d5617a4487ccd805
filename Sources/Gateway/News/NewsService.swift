import Brokerage
import Cryptography
import GraphQL
import PorticoCore
package import Upstream

/// News about instruments and the market.
package struct NewsService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let caches: ReadCaches
}

extension NewsService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), caches: scope.services.reads)
    }

    /// A page of the news: from the pages of one provider, which are cached completely and sliced.
    ///
    /// It is empty if no provider can have news about the symbols.
    func news(_ arguments: NewsArguments, about symbols: [Symbol]?) throws -> MaybeAsync<
        ArticleConnectionPage?
    > {
        let length = arguments.page.first
        let start = try arguments.page.start(
            NewsCursor.self, atMost: ArticleConnectionPage.maximumArticles)
        try FieldError.checkCount(of: symbols ?? [], maximum: 50)
        let list = NewsQuery(symbols: symbols, page: nil).list
        try start?.check(isOf: list)
        if let start { try scope.services.check(start.provider, of: "after") }
        if let start, let provider = arguments.provider, provider != start.provider {
            throw FieldError.argument(
                "after",
                "It is a cursor of \(start.provider.name.text), not of \(provider.name.text).")
        }
        let provider = start?.provider ?? arguments.provider
        let sources = try reads.sources(for: .news, from: provider)
        if let symbols, !sources.contains(where: { symbols.contains(where: $0.has) }) {
            return .ready(ArticleConnectionPage([], of: list, from: 0, first: length))
        }
        let first = NewsQuery(symbols: symbols, page: start?.page)
        let offset = start?.offset ?? 0
        let page = try page(first, from: provider)
        if case .ready(let page) = page, page.suffices(from: offset, length) {
            return .ready(ArticleConnectionPage([(page, first.page)], of: list, from: offset, first: length))
        }
        return .async {
            var pages = [(page: try await page.value(), mark: first.page)]
            while let last = pages.last?.page, let next = last.page.next,
                pages.count < ArticleConnectionPage.maximumPages,
                pages.reduce(0, { $0 + $1.page.page.count }) <= offset + length
            {
                let query = NewsQuery(symbols: symbols, page: next)
                pages.append((try await self.page(query, from: last.provider).value(), next))
            }
            return ArticleConnectionPage(pages, of: list, from: offset, first: length)
        }
    }

    private func page(_ query: NewsQuery, from provider: ProviderID?) throws -> MaybeAsync<
        ProviderArticlePage
    > {
        try reads.result(for: query, named: { _ in "such news" }) { () throws(FieldError) in
            RoutedRead(
                sources: try reads.sources(for: .news, from: provider), cache: caches.articles,
                supports: { source, query in query.symbols.map { $0.contains(where: source.has) } ?? true },
                load: { source, queries, call throws(ProviderFailure) in
                    var pages = KeyedResults<NewsQuery, ProviderArticlePage>()
                    for query in queries {
                        let page = try await source.news?.news(
                            about: query.symbols?.filter(source.has), limit: ArticleConnectionPage.pageLength,
                            after: query.page, in: call)
                        pages[query] = page.map { ProviderArticlePage(provider: source.provider, page: $0) }
                    }
                    return pages
                })
        }
    }
}

/// Which page of which news.
struct NewsQuery: CacheQuery {
    let symbols: [Symbol]?
    private let mark: ExactText?

    init(symbols: [Symbol]?, page: String?) {
        self.symbols = symbols.map { Set($0).sorted { $0.text < $1.text } }
        mark = page.map(ExactText.init)
    }

    /// The provider's mark; nil for the newest.
    var page: String? { mark?.text }

    /// The name of persisted pages: it must not change.
    var cacheName: String { "\(subject ?? "*") \(page ?? "")" }

    private var subject: String? { symbols?.map(\.text).joined(separator: ",") }

    /// The list in cursors: `*` for all news, otherwise a hash of the symbols, because fifty of them have some thousand bytes.
    fileprivate var list: String {
        subject.map { HashFunction.sha256.hash($0).prefix(8).hexadecimal } ?? "*"
    }
}

/// A page of news, and whose mark its `next` is.
package struct ProviderArticlePage: Hashable, Sendable {
    let provider: ProviderID
    let page: ArticlePage

    /// Whether the page has this number of articles, or is the last one.
    func suffices(from offset: Int, _ count: Int) -> Bool {
        page.next == nil || offset + count < page.count
    }
}

extension ProviderArticlePage: PersistentCacheValue {
    package static var persistentFormat: String { "news.2" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(provider)
        page.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(provider: try reader.provider(), page: try ArticlePage(from: &reader))
    }
}
