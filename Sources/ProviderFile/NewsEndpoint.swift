import Brokerage
import PorticoCore
import Upstream

/// The call for articles.
struct NewsEndpoint: Sendable {
    let request: RequestTemplate
    let symbolsPerCall: Int
    let separator: String
    let maximum: Int
    /// The query item of the address of the next page that is its mark; nil if the value itself is the mark.
    let nextItem: String?
    /// Nil if it has the first page only.
    let nextQuery: [(name: String, value: Template)]?
    /// Nil if articles cannot be found again by their time.
    let fromQuery: [(name: String, value: Template)]?
    let reader: ItemListReader<ArticleItem>

    static let maximumItems = 1_000
    private static let maximumMarkLength = 2_048

    /// The mark of the next page; nil at the end.
    ///
    /// - Throws: `JSONError` for an address without the mark: it is not the end of the news.
    func mark(_ next: String?) throws(JSONError) -> String? {
        guard let next, !next.isEmpty else { return nil }
        var mark: String? = next
        if let nextItem {
            // Nothing else of the address is used: no host to which a key could be sent.
            let query = next.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            let prefix = nextItem + "="
            mark = query.split(separator: "&").first { $0.hasPrefix(prefix) }
                .flatMap { PercentEncoding.decode($0.dropFirst(prefix.count), plusIsSpace: true) }
        }
        guard let mark, (1...Self.maximumMarkLength).contains(mark.utf8.count) else {
            throw JSONError(.missing(key: nextItem ?? "next"), at: 0)
        }
        return mark
    }
}

/// The values of an article.
struct ArticleItem: Sendable {
    var id = ""
    var headline = ""
    var summary: String?
    var author: String?
    var url = ""
    var imageURL: String?
    var publisher = ""
    /// In the provider's form.
    var symbols: [String]?
    var publishedAt = Instant.earliest

    /// The reader of the items at a path.
    static func reader(
        at items: JSONPath, status: StatusMember?, next: JSONPath?, _ mappings: [String: ValueMapping]
    ) -> ItemListReader<ArticleItem> {
        var initial = ArticleItem()
        initial.publisher = mappings["publisher"]?.constant ?? ""
        let texts: [(String, WritableKeyPath<ArticleItem, String>)] = [
            ("headline", \.headline), ("url", \.url), ("publisher", \.publisher),
        ]
        let optionalTexts: [(String, WritableKeyPath<ArticleItem, String?>)] = [
            ("summary", \.summary), ("author", \.author), ("imageUrl", \.imageURL),
        ]
        let table = JSONPathFields(initial) { builder in
            builder.required(mappings["id"], \.id) { $0.scalarText }
            for (name, property) in texts { builder.required(mappings[name], property) { $0.text } }
            for (name, property) in optionalTexts {
                builder.optional(mappings[name], property, orNil: { $0.optionalText })
            }
            builder.optional(mappings["symbols"], \.symbols) { $0.texts }
            builder.required(mappings["publishedAt"], \.publishedAt) { $0.instant }
        }
        return ItemListReader(
            at: items, status: status, next: next, maximum: NewsEndpoint.maximumItems, table)
    }

    /// The item as an `Article` of Portico.
    func article(_ symbols: FileSymbols, source: ProviderID) -> Article {
        var article = Article(
            id: id, headline: headline, url: url, publisher: publisher, provider: source,
            symbols: (self.symbols ?? []).compactMap(symbols.symbol), publishedAt: publishedAt)
        article.summary = summary
        article.author = author
        article.imageURL = imageURL
        return article
    }
}

/// The news of a provider file.
struct FileNews: NewsSource {
    let client: FileProviderClient
    let endpoint: NewsEndpoint

    func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in call: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        var values = ["limit": String(min(max(limit, 1), endpoint.maximum))]
        if let symbols {
            let spellings = symbols.compactMap(client.symbols.providerSymbol)
            // News about none of the provider's instruments are not news about all.
            guard !spellings.isEmpty else { return ArticlePage(articles: [], next: nil) }
            guard spellings.count <= endpoint.symbolsPerCall else {
                throw ProviderFailure(client.id, .unsupported)
            }
            values["symbol"] = spellings[0]
            values["symbols"] = spellings.joined(separator: endpoint.separator)
        }
        var request = endpoint.request
        if let next {
            guard let query = endpoint.nextQuery else { throw ProviderFailure(client.id, .unsupported) }
            values["next"] = next
            request = request.with(query: query)
        }
        let list = try await articles(request, values, in: call)
        return ArticlePage(
            articles: list.articles, unreadable: list.unreadable,
            next: endpoint.nextQuery == nil ? nil : list.next)
    }

    func news(from time: Instant, in call: CallContext) async throws(ProviderFailure) -> [Article] {
        guard let query = endpoint.fromQuery else { throw ProviderFailure(client.id, .unsupported) }
        let values = ["from": time.description, "limit": String(min(50, endpoint.maximum))]
        return try await articles(endpoint.request.with(query: query), values, in: call).articles
    }

    private func articles(
        _ request: RequestTemplate, _ values: [String: String], in call: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        let (list, mark) = try await client.get("news", request, values, in: call) {
            reader throws(JSONError) in
            let list = try endpoint.reader.read(&reader)
            return (list, try endpoint.mark(list.next))
        }
        return ArticlePage(
            articles: list.items.map { $0.article(client.symbols, source: client.id) },
            unreadable: list.unreadable, next: mark)
    }
}
