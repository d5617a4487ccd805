package import Brokerage
import Foundation
package import GraphQL

extension Article: GraphQLObject {
    package static let graphQL = ObjectType<Article>("Article") {
        Field("id") { ArticleID($0).text }
        Field("headline", \.headline)
        Field("summary", \.summary)
        Field("author", \.author)
        Field("url", \.url)
        Field("imageUrl", \.imageURL)
        Field("source", \.publisher)
        Field("provider", \.provider)
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

    /// Behind the articles of a page of the provider a failure for each article that could not be read.
    let entries: BatchResults<ArticleEdge>
    let hasNext: Bool
    let hasPrevious: Bool
    /// The places behind the first and the last entry.
    let start: String?
    let end: String?

    /// Cuts `first` articles out of consecutive pages of a list.
    init(
        _ pages: [(page: ProviderArticlePage, mark: String?)], of list: String, from offset: Int, first: Int
    ) {
        var entries: BatchResults<ArticleEdge> = []
        var cursors: [String] = []
        for (page, mark) in pages {
            // A cursor names the place behind its article.
            cursors += (0..<page.page.count).map { index in
                NewsCursor(list: list, provider: page.provider, offset: index + 1, page: mark).text
            }
            for (article, cursor) in zip(page.page.articles, cursors.suffix(page.page.count)) {
                entries.append(.success(ArticleEdge(article: article, cursor: cursor)))
            }
            for reason in page.page.unreadable {
                entries.append(.failure(FieldError.unreadable("an article", reason, of: page.provider)))
            }
        }
        self.entries = Array(entries.dropFirst(offset).prefix(first))
        start = cursors.dropFirst(offset).first
        end = cursors.dropFirst(offset).prefix(first).last
        hasNext = entries.count > offset + first || pages.last?.page.page.next != nil
        hasPrevious = offset > 0 || pages.first?.mark != nil
    }
}

/// An article and its place in the list.
struct ArticleEdge: Sendable {
    let article: Article
    let cursor: String
}

extension ArticleConnectionPage: GraphQLObject {
    package static let graphQL = ObjectType<ArticleConnectionPage>("ArticleConnection") {
        Field("edges", \.entries)
        Field("nodes") { $0.entries.map { $0.map(\.article) } }
        Field("pageInfo") {
            PageInfo(
                hasNextPage: $0.hasNext, hasPreviousPage: $0.hasPrevious, startCursor: $0.start,
                endCursor: $0.end)
        }
    }
}

extension ArticleEdge: GraphQLObject {
    static let graphQL = ObjectType<ArticleEdge>("ArticleEdge") {
        Field("cursor", \.cursor)
        Field("node", \.article)
    }
}

/// A place in the news of one provider.
struct NewsCursor: ListCursor {
    let list: String?
    let provider: ProviderID
    /// Articles of the page that come before it.
    let offset: Int
    /// The provider's mark of the page; nil for the newest.
    let page: String?

    /// The beginning of the text.
    private static let header = "news"

    init(list: String?, provider: ProviderID, offset: Int, page: String?) {
        self.list = list
        self.provider = provider
        self.offset = offset
        self.page = page
    }

    init?(plain: String) {
        // Cursors of earlier versions are the last line alone.
        let lines = plain.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 1 || lines.count == 3 && lines[0] == Self.header, let place = lines.last else {
            return nil
        }
        let parts = place.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let provider = ProviderID(named: String(parts[0])),
            let offset = Int(parts[1]), (0...10_000).contains(offset)
        else { return nil }
        self.init(
            list: lines.count == 3 ? String(lines[1]) : nil, provider: provider, offset: offset,
            page: parts[2].isEmpty ? nil : String(parts[2]))
    }

    var plain: String {
        (list.map { "\(Self.header)\n\($0)\n" } ?? "") + "\(provider.name.text) \(offset) \(page ?? "")"
    }
}
