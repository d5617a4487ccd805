import Brokerage
package import Upstream

/// A page of news, and whose mark its `next` is.
package struct ProviderPage: Hashable, Sendable {
    let provider: Provider
    let page: ArticlePage

    /// Whether so many articles can be cut from it, or nothing follows.
    func suffices(from offset: Int, _ count: Int) -> Bool {
        page.next == nil || offset + count < page.articles.count
    }
}

extension ProviderPage: LastingForm {
    package static var lastingForm: String { "news.1" }

    package func write(to writer: inout LastingWriter) {
        writer.write(provider)
        page.write(to: &writer)
    }

    package init(from reader: inout LastingReader) throws(LastingDamage) {
        self.init(provider: try reader.choice(), page: try ArticlePage(from: &reader))
    }
}
