import Brokerage
package import Upstream

/// A page of news, and whose mark its `next` is.
package struct ProviderArticlePage: Hashable, Sendable {
    let provider: ProviderID
    let page: ArticlePage

    /// Whether so many articles can be cut from it, or nothing follows.
    func suffices(from offset: Int, _ count: Int) -> Bool {
        page.next == nil || offset + count < page.articles.count
    }
}

extension ProviderArticlePage: PersistentCacheValue {
    package static var persistentFormat: String { "news.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(provider)
        page.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(provider: try reader.choice(), page: try ArticlePage(from: &reader))
    }
}
