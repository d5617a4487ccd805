/// A news item.
package struct Article: Hashable, Sendable {
    /// The provider's own id of it.
    package var id: String
    package var headline: String
    /// Nil without a summary; an empty summary counts as none.
    package var summary: String?
    package var author: String?
    /// An address of `http` or `https`; nil for another text.
    package let url: String?
    /// As ``url``.
    package var imageURL: String? { didSet { imageURL = WebLink.checked(imageURL) } }
    /// The publisher.
    package var publisher: String
    /// Who delivered it.
    package var provider: ProviderID
    /// Portico's own names of the instruments that it is about.
    package var symbols: [Symbol]
    package var publishedAt: Instant

    /// - Parameters:
    ///   - id: The provider's own id of it.
    ///   - headline: The headline.
    ///   - url: The address, as the provider reports it.
    ///   - publisher: The publisher.
    ///   - provider: The provider that delivered it.
    ///   - symbols: The instruments that it is about.
    ///   - publishedAt: The time of its publication.
    package init(
        id: String, headline: String, url: String, publisher: String, provider: ProviderID, symbols: [Symbol],
        publishedAt: Instant
    ) {
        self.id = id
        self.headline = headline
        self.url = WebLink.checked(url)
        self.publisher = publisher
        self.provider = provider
        self.symbols = symbols
        self.publishedAt = publishedAt
    }
}

/// Some articles, newest first, and how to get the ones before them.
package struct ArticlePage: Hashable, Sendable {
    package var articles: [Article]
    /// The error of each article that could not be read, with its place in the provider's response and without a value.
    package var unreadable: [String]
    /// The provider's own mark of where older articles begin, without any credential; nil at the end.
    package var next: String?

    package init(articles: [Article], unreadable: [String] = [], next: String?) {
        self.articles = articles
        self.unreadable = unreadable
        self.next = next
    }

    /// The number of articles, also of those that could not be read.
    package var count: Int { articles.count + unreadable.count }
}
