import Brokerage
import Testing

@Suite("A link of a provider")
struct WebLinkTests {
    @Test(
        "is one of http or https",
        arguments: [
            "https://news.example/a/1", "http://news.example", "HTTPS://News.example/?a=b#c",
            "https://news.example:8443/ä", "https://[::1]/a",
        ])
    func links(text: String) {
        #expect(WebLink.checked(text) == text)
    }

    @Test(
        "is none with another scheme, without a host, or with spaces or control characters",
        arguments: [
            "", "news.example/a", "//news.example/a", "javascript:alert(1)",
            "JavaScript://news.example/%0aalert(1)",
            " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,<script>", "file:///etc/passwd",
            "ftp://news.example/a", "https:", "https://", "https:///a", "https:news.example",
            "https:\\\\news.example",
            "https://?a", " https://news.example", "https://news.example/a b", "https://news.example/\u{7F}",
            "https\t://news.example", "httpsx://news.example",
            "https://" + String(repeating: "a", count: 4_096),
        ])
    func others(text: String) {
        #expect(WebLink.checked(text) == nil)
    }

    @Test("of an article and a company is checked when it is set, whatever the provider")
    func values() throws {
        let now = try #require(Instant("2026-11-20T16:00:00Z"))
        for (text, expected) in [("javascript:alert(1)", nil), ("https://a.example", "https://a.example")] {
            var article = Article(
                id: "1", headline: "x", url: text, publisher: "x", provider: .polygon, symbols: [],
                publishedAt: now)
            article.imageURL = text
            #expect(article.url == expected && article.imageURL == expected)
            var figures = Fundamentals(
                symbol: .example, provenance: Provenance(source: .yahoo, fetchedAt: now))
            figures.website = text
            #expect(figures.website == expected)
        }
    }
}
