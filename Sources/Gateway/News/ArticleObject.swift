package import Brokerage
import Foundation
package import GraphQL

extension Article: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Article>("Article") {
        Field("id") { ArticleID($0).text }
        Field("headline", \.headline)
        Field("summary", \.summary)
        Field("author", \.author)
        Field("url", \.url)
        Field("imageUrl", \.imageURL)
        Field("source", \.publisher)
        Field("provider", \.provider)
        Field("providerName") { $0.provider.rawValue }
        Field("symbols", \.symbols)
        Field("publishedAt", \.publishedAt)
    }
}

/// Some articles out of a provider's pages.
package struct ArticleConnectionPage: Sendable {
    package static let maximumArticles = 100
    /// The number of articles of one page request.
    static let pageLength = 50
    /// As many pages as one field may read.
    static let maximumPages = 4

    let entries: [ArticleEdge]
    let hasNext: Bool
    let hasPrevious: Bool

    /// Cuts `first` articles out of consecutive pages.
    init(_ pages: [(page: ProviderArticlePage, mark: String?)], from offset: Int, first: Int) {
        var entries: [ArticleEdge] = []
        for (page, mark) in pages {
            for (index, article) in page.page.articles.enumerated() {
                // A cursor names the place behind its article.
                let cursor = NewsCursor(provider: page.provider, offset: index + 1, page: mark)
                entries.append(ArticleEdge(article: article, cursor: cursor.text))
            }
        }
        let rest = entries.dropFirst(offset)
        self.entries = Array(rest.prefix(first))
        hasNext = rest.count > first || pages.last?.page.page.next != nil
        hasPrevious = offset > 0 || pages.first?.mark != nil
    }
}

/// An article and its place in the list.
struct ArticleEdge: Sendable {
    let article: Article
    let cursor: String
}

extension ArticleConnectionPage: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<ArticleConnectionPage>("ArticleConnection") {
        Field("edges") { $0.entries.map(Optional.some) }
        Field("nodes") { $0.entries.map { Optional.some($0.article) } }
        Field("pageInfo") {
            PageInfo(
                hasNextPage: $0.hasNext, hasPreviousPage: $0.hasPrevious,
                startCursor: $0.entries.first?.cursor,
                endCursor: $0.entries.last?.cursor)
        }
    }
}

extension ArticleEdge: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ArticleEdge>("ArticleEdge") {
        Field("cursor", \.cursor)
        Field("node", \.article)
    }
}

/// A place in the news of one provider.
struct NewsCursor: PageCursor {
    let provider: ProviderID
    /// Articles of the page that come before it.
    let offset: Int
    /// The provider's mark of the page; nil for the newest.
    let page: String?

    init(provider: ProviderID, offset: Int, page: String?) {
        self.provider = provider
        self.offset = offset
        self.page = page
    }

    init?(plain: String) {
        let parts = plain.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let provider = ProviderID(rawValue: String(parts[0])),
            let offset = Int(parts[1]), (0...10_000).contains(offset)
        else { return nil }
        self.init(provider: provider, offset: offset, page: parts[2].isEmpty ? nil : String(parts[2]))
    }

    var plain: String { "\(provider.rawValue) \(offset) \(page ?? "")" }
}
