/// One article about one or two listed companies, as every provider of news tells it.
package struct NewsStory: Sendable, Hashable {
    /// Unique; later stories have higher ones.
    package let id: Int
    package let headline: String
    package let author: String
    package let summary: String
    /// HTML; empty where the wire carries the headline alone.
    package let content: String
    /// Whom it is about, the company that it is mostly about first.
    package let symbols: [String]
    /// When it was published, in seconds since 1970.
    package let published: Int
    /// When it was last changed.
    package let updated: Int

    /// The publisher's page; it leads nowhere.
    package var url: String { "https://news.example/articles/\(id)" }
    package var imageURL: String { "https://news.example/images/\(id)-thumb.png" }
}
