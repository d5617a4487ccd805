import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("News")
struct NewsTests {
    private static func page(_ ids: Range<Int>, next: String?) -> String {
        let articles = ids.map {
            #"{"id":\#($0),"headline":"h\#($0)","author":"","created_at":"2026-11-20T13:01:22Z","updated_at":null,"summary":"","#
                + #""content":"","images":[],"symbols":["AAPL","BTCUSD","^GSPC"],"source":"benzinga","url":"https://news.example/\#($0)"}"#
        }
        return
            #"{"news":[\#(articles.joined(separator: ","))],"next_page_token":\#(next.map { #""\#($0)""# } ?? "null")}"#
    }

    @Test("is read without what is empty")
    func example() throws {
        let news = try AlpacaNews(json: AlpacaTests.example("news"))
        #expect(news.nextPage == nil)
        let article = try #require(news.articles.first?.article)
        #expect(article.id == "48122001")
        #expect(article.headline == "Example Corp lifts its full-year outlook")
        #expect(article.summary == nil)
        #expect(article.author == "Newsdesk")
        #expect(article.url == "https://news.example/a/48122001")
        #expect(article.imageURL == "https://news.example/a/48122001-thumb.png")
        #expect(article.publisher == "benzinga")
        #expect(article.provider == .alpaca)
        #expect(article.symbols.map(\.text) == ["AAPL"])
        #expect(article.publishedAt == (try instant("2026-11-20T13:01:22Z")))
    }

    @Test("of more than fifty is two calls, and says where it goes on")
    func pages() async throws {
        try await withAlpaca(answering: { request, _ in
            request.target.contains("page_token=p1")
                ? .text(Self.page(50..<75, next: "p2")) : .text(Self.page(0..<50, next: "p1"))
        }) { alpaca, server in
            let symbols = [try symbol("AAPL"), try symbol("BRK.B"), try symbol("EUR/USD")]
            let page = try await alpaca.news(about: symbols, limit: 75, after: nil, in: .patient)
            #expect(page.articles.map(\.id) == (0..<75).map(String.init))
            #expect(page.next == "p2")
            #expect(page.articles.first?.symbols.map(\.text) == ["AAPL", "BTC/USD"])
            #expect(
                server.requests.map(\.target) == [
                    "/data/v1beta1/news?symbols=AAPL%2CBRK.B&limit=50&sort=desc&include_content=false",
                    "/data/v1beta1/news?symbols=AAPL%2CBRK.B&limit=25&sort=desc&include_content=false&page_token=p1",
                ])
        }
    }

    @Test("has all articles if the summary of one was cut in an emoji")
    func halfEmoji() async throws {
        let body = Self.page(0..<2, next: nil)
            .replacing(#""summary":"""#, with: #""summary":"Up \ud83d""#, maxReplacements: 1)
        try await withAlpaca(answering: { _, _ in .text(body) }) { alpaca, _ in
            let page = try await alpaca.news(about: nil, limit: 10, after: nil, in: .patient)
            #expect(page.articles.map(\.id) == ["0", "1"])
            #expect(page.articles.map(\.summary) == ["Up \u{FFFD}", nil])
        }
    }

    @Test("ends where Alpaca has no more, and is not asked for about what Alpaca does not have")
    func end() async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.page(0..<3, next: nil)) }) { alpaca, server in
            let page = try await alpaca.news(about: nil, limit: 100, after: "here", in: .patient)
            #expect(page.articles.count == 3)
            #expect(page.next == nil)
            let none = try await alpaca.news(about: [symbol("EUR/USD")], limit: 10, after: nil, in: .patient)
            #expect(none == ArticlePage(articles: [], next: nil))
            #expect(
                server.requests.map(\.target) == [
                    "/data/v1beta1/news?limit=50&sort=desc&include_content=false&page_token=here"
                ])
        }
    }

    @Test(
        "without an address is left out; one that cannot be read has its place, and does not remove the others"
    )
    func faults() throws {
        let body = try AlpacaTests.example("news")
        let silent = try body.replacing(#""url":"https://news.example/a/48122001"}"#, with: #""url":null}"#)
        #expect(try AlpacaNews(json: silent).articles.map(\.article) == [nil])
        // Recorded articles lack it.
        let sourceless = try body.replacing(#""source":"benzinga","#, with: "")
        #expect(sourceless != body)
        #expect(
            try AlpacaNews(json: sourceless).articles.compactMap(\.article?.publisher) == [
                "benzinga"
            ])
        let broken = try body.replacing(#""headline":"#, with: #""title":"#)
        let news = try AlpacaNews(json: broken)
        #expect(news.articles.isEmpty && news.unreadable.count == 1)
        #expect(news.unreadable.first?.hasPrefix(#"news[0]: no "headline" (byte "#) == true)
        let first = String(decoding: body, as: UTF8.self)
        let more = first.replacing(#""news":["#, with: #""news":[{"id":1,"headline":true},"#)
        let mixed = try AlpacaNews(json: Array(more.utf8))
        #expect(mixed.articles.map(\.article?.id) == ["48122001"])
        #expect(mixed.unreadable.map { $0.prefix(17) } == ["news[0].headline:"])
    }
}
