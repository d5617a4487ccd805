package import Brokerage

extension Article: LastingForm {
    package static var lastingForm: String { "article.1" }

    package func write(to writer: inout LastingWriter) {
        for text in [id, headline, url, publisher] { writer.write(text) }
        writer.write(provider)
        writer.write(Int64(symbols.count))
        for symbol in symbols { writer.write(symbol) }
        writer.write(publishedAt)
        writer.writeTexts([summary, author, imageURL])
    }

    package init(from reader: inout LastingReader) throws(LastingDamage) {
        let (id, headline) = (try reader.text(), try reader.text())
        let (url, publisher) = (try reader.text(), try reader.text())
        let provider: Provider = try reader.choice()
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

extension ArticlePage: LastingForm {
    package static var lastingForm: String { "articles.1" }

    package func write(to writer: inout LastingWriter) {
        articles.write(to: &writer)
        writer.writeTexts([next])
    }

    package init(from reader: inout LastingReader) throws(LastingDamage) {
        self.init(articles: try [Article](from: &reader), next: try reader.textOrNil())
    }
}
