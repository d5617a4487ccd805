import Brokerage
import Upstream

/// The answer of `GET /v2/reference/news`.
struct PolygonNews {
    var articles: [PolygonArticle] = []
    /// Nil at the end.
    var next: PolygonCursor?

    init(json reader: inout JSONReader, of configuration: PolygonConfiguration) throws(JSONError) {
        var status: PolygonStatus?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                articles =
                    try reader.optional { reader throws(JSONError) in
                        try reader.array(of: PolygonArticle.self)
                    } ?? []
            case "next_url":
                next = try reader.optional { reader throws(JSONError) in
                    // An address elsewhere is not the end of the news, so it is not taken for that.
                    try reader.token(oneOf: "Polygon's own addresses with a cursor") { address in
                        PolygonCursor(nextURL: address.string, of: configuration)
                    }
                }
            default: try reader.skip()
            }
        }
        _ = try reader.required(status, "status")
    }
}

/// An article; what is not required may be missing.
struct PolygonArticle: JSONDecodable, Hashable {
    var id: String
    var title: String
    var url: String
    var publisher: String
    var publishedAt: Instant
    /// In Polygon's spelling.
    var tickers: [String]
    var author: String?
    var summary: String?
    var imageURL: String?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, title, url) = (String?.none, String?.none, String?.none)
        var (publisher, publishedAt, tickers) = (String?.none, Instant?.none, [String]?.none)
        var (author, summary, imageURL) = (String?.none, String?.none, String?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "title": title = try reader.string()
            case "article_url": url = try reader.string()
            case "publisher": publisher = try Self.publisher(json: &reader)
            case "published_utc": publishedAt = try reader.instant()
            case "tickers": tickers = try Self.tickers(json: &reader)
            case "author": author = try reader.stringOrNil()
            case "description": summary = try reader.stringOrNil()
            case "image_url": imageURL = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        self.id = try reader.required(id, "id")
        self.title = try reader.required(title, "title")
        self.url = try reader.required(url, "article_url")
        self.publisher = try reader.required(publisher, "publisher")
        self.publishedAt = try reader.required(publishedAt, "published_utc")
        self.tickers = tickers ?? []
        self.author = author
        self.summary = summary
        self.imageURL = imageURL
    }

    private static func publisher(json reader: inout JSONReader) throws(JSONError) -> String {
        var name: String?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "name": name = try reader.string()
            default: try reader.skip()
            }
        }
        return try reader.required(name, "name")
    }

    private static func tickers(json reader: inout JSONReader) throws(JSONError) -> [String] {
        var tickers: [String] = []
        try reader.array { reader throws(JSONError) in tickers.append(try reader.string()) }
        return tickers
    }

    /// The article in Portico's words.
    func article(_ dialect: PolygonSymbols) -> Article {
        var article = Article(
            id: id, headline: title, url: url, publisher: publisher, provider: .polygon,
            symbols: tickers.compactMap(dialect.symbol), publishedAt: publishedAt)
        article.author = author.flatMap { $0.isEmpty ? nil : $0 }
        article.summary = summary.flatMap { $0.isEmpty ? nil : $0 }
        article.imageURL = imageURL.flatMap { $0.isEmpty ? nil : $0 }
        return article
    }
}
