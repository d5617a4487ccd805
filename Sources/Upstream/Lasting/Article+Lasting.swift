package import Brokerage

extension Article: PersistentCacheValue {
    package static var persistentFormat: String { "article.1" }

    package func write(to writer: inout BinaryWriter) {
        for text in [id, headline, url, publisher] { writer.write(text) }
        writer.write(provider)
        writer.write(Int64(symbols.count))
        for symbol in symbols { writer.write(symbol) }
        writer.write(publishedAt)
        writer.writeTexts([summary, author, imageURL])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let (id, headline) = (try reader.text(), try reader.text())
        let (url, publisher) = (try reader.text(), try reader.text())
        let provider: ProviderID = try reader.choice()
        var symbols: [Symbol] = []
        for _ in 0..<(try reader.count()) { symbols.append(try reader.symbol()) }
        self.init(
            id: id, headline: headline, url: url, publisher: publisher, provider: provider, symbols: symbols,
            publishedAt: try reader.instant())
        summary = try reader.textOrNil()
        author = try reader.textOrNil()
        imageURL = try reader.textOrNil()
    }
}

extension ArticlePage: PersistentCacheValue {
    package static var persistentFormat: String { "articles.1" }

    package func write(to writer: inout BinaryWriter) {
        articles.write(to: &writer)
        writer.writeTexts([next])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(articles: try [Article](from: &reader), next: try reader.textOrNil())
    }
}
