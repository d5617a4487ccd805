import Brokerage
import Polygon
import ProviderTestSupport
import Testing
import Upstream

@Suite("News")
struct NewsTests {
    private static let first = "/polygon/v2/reference/news?"

    /// An answer with articles of some ids and times.
    private static func news(_ articles: [(id: String, time: String)], hasMore: Bool = false) -> String {
        let results = articles.map { article in
            #"{"id":"\#(article.id)","title":"T","article_url":"https://wire.example/","author":"","#
                + #""publisher":{"name":"Wire"},"published_utc":"\#(article.time)","tickers":["AAPL"]}"#
        }
        let next =
            hasMore ? #""next_url":"https://api.polygon.io/v2/reference/news?cursor=YQ","# : ""
        return #"{"status":"OK",\#(next)"results":[\#(results.joined(separator: ","))]}"#
    }

    @Test("is told as it came; the mark of the next page is the cursor and nothing else")
    func golden() async throws {
        let body = try example("news")
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let page = try await client.news(about: [symbol("AAPL")], limit: 10, after: nil, in: .patient)
            let article = try #require(page.articles.first)
            #expect(page.articles.count == 1)
            #expect(article.id == "JeJEhAVoKaqJ2zF9nzQYMg07UlEeWlis6Dsop33TPQY")
            #expect(article.headline == "Example Corp lifts its full-year outlook")
            #expect(article.summary == "Short summary of the article.")
            #expect(article.author == "Newsdesk")
            #expect(article.publisher == "Example Wire")
            #expect(article.url == "https://wire.example/a/1")
            #expect(article.imageURL == "https://wire.example/a/1.png")
            #expect(article.symbols.map(\.text) == ["AAPL", "MSFT"])
            #expect(article.publishedAt == Instant("2026-11-20T13:01:22Z"))
            #expect(article.provider == .polygon)
            #expect(page.next == "cursor:eyJsaW1pdCI6MX0")
            _ = try await client.news(about: [symbol("AAPL")], limit: 10, after: page.next, in: .patient)
            #expect(
                server.requests.map(\.target) == [
                    Self.first + "ticker=AAPL&order=desc&sort=published_utc&limit=10",
                    Self.first + "cursor=eyJsaW1pdCI6MX0",
                ])
            for request in server.requests {
                #expect(request.headers["authorization"] == "Bearer \(secretKey)")
                #expect(!request.target.contains(secretKey))
            }
        }
    }

    @Test("of an end has no mark, and what is not required may be missing or empty")
    func end() async throws {
        let body = Self.news([("a", "2026-11-20T13:00:00Z")])
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let page = try await client.news(about: nil, limit: 500, after: nil, in: .patient)
            #expect(page.next == nil)
            #expect(page.articles.map(\.author) == [nil])
            #expect(page.articles.map(\.summary) == [nil])
            #expect(page.articles.map(\.imageURL) == [nil])
            #expect(server.requests.map(\.target) == [Self.first + "order=desc&sort=published_utc&limit=100"])
        }
    }

    @Test(
        "has no results where there are none",
        arguments: [#"{"status":"OK"}"#, #"{"status":"OK","results":null}"#])
    func none(body: String) async throws {
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let page = try await client.news(about: nil, limit: 1, after: nil, in: .patient)
            #expect(page == ArticlePage(articles: [], next: nil))
        }
    }

    @Test("keeps no key that stands in the address of a next page")
    func keyInAddress() async throws {
        let body = try example("news").replacing("cursor=", with: "apiKey=\(secretKey)&cursor=")
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let page = try await client.news(about: nil, limit: 10, after: nil, in: .patient)
            #expect(page.next == "cursor:eyJsaW1pdCI6MX0")
        }
    }

    @Test(
        "does not go on at an address that is not Polygon's, nor at one without a cursor",
        arguments: [
            "https://evil.example/v2/reference/news?cursor=YQ",
            "https://api.polygon.io.evil.example/?cursor=YQ",
            "https://api.polygon.io@evil.example/?cursor=YQ", "https://api.polygon.io/v2/reference/news",
            "https://api.polygon.io/?cursor=", "https://api.polygon.io/?cursor=a%0Ab", "/v2/?cursor=YQ", "",
        ])
    func foreign(address: String) async throws {
        let body = #"{"status":"OK","next_url":"\#(address)","results":[]}"#
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.news(about: nil, limit: 10, after: nil, in: .patient)
            }
            #expect(
                failure?.description == "polygon: an invalid response: next_url: expected one of"
                    + " Polygon's own addresses with a cursor, found a string that is none (byte 26)")
        }
    }

    @Test(
        "goes on under both names of the company, and its own base",
        arguments: [
            ("https://api.polygon.io:443/v2/reference/news?cursor=YQ%3D%3D", "YQ=="),
            ("https://api.massive.com/v2/reference/news?limit=1&cursor=a-b_c", "a-b_c"),
            ("http://127.0.0.1:1/v2/reference/news?cursor=a%2Bb%2fc", "a+b/c"),
        ])
    func own(address: String, cursor: String) async throws {
        let body = #"{"status":"OK","next_url":"\#(address)","results":[]}"#
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let page = try await client.news(about: nil, limit: 10, after: nil, in: .patient)
            #expect(page.next == "cursor:\(cursor)")
        }
    }

    @Test("about several is one call each, in the order of time, each article once")
    func several() async throws {
        let (a, b, c) = (
            ("a", "2026-11-20T13:00:00Z"), ("b", "2026-11-20T12:00:00Z"), ("c", "2026-11-20T12:00:00Z")
        )
        let older = ("d", "2026-11-20T11:00:00Z")
        try await withPolygon(answering: { request, _ in
            let isSecond = request.target.contains("published_utc.lte=2026-11-20T12%3A00%3A00Z")
            switch (request.target.contains("ticker=AAPL"), isSecond) {
            case (true, false): return .text(Self.news([a, c], hasMore: true))
            case (false, false): return .text(Self.news([a, b]))
            case (true, true): return .text(Self.news([c, older]))
            case (false, true): return .text(Self.news([b]))
            }
        }) { client, server in
            let symbols = try [symbol("AAPL"), symbol("MSFT"), symbol("TSCO:XLON")]
            let first = try await client.news(about: symbols, limit: 2, after: nil, in: .patient)
            #expect(first.articles.map(\.id) == ["a", "b"])
            #expect(first.next == "until:2026-11-20T12:00:00Z,b")
            let second = try await client.news(about: symbols, limit: 2, after: first.next, in: .patient)
            #expect(second.articles.map(\.id) == ["c", "d"])
            #expect(second.next == nil)
            #expect(server.requests.count == 4)
            #expect(server.requests.suffix(2).allSatisfy { $0.target.contains("limit=3&") })
        }
    }

    @Test("about what Polygon has no news of is none, and is not asked for")
    func untold() async throws {
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            let page = try await client.news(about: [symbol("TSCO:XLON")], limit: 2, after: nil, in: .patient)
            #expect(page == ArticlePage(articles: [], next: nil))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("about more than a minute's calls is left to others")
    func tooMany() async throws {
        let symbols = try ["A", "B", "C", "D", "E", "F"].map(symbol)
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            await #expect(throws: ProviderFailure(.polygon, .unsupported)) {
                try await client.news(about: symbols, limit: 2, after: nil, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "does not go on after a mark of somebody else",
        arguments: [
            "", "eyJsaW1pdCI6MX0", "cursor:", "cursor:a b", "cursor:a&apiKey=1", "until:", "until:yesterday",
            "until:2026-11-20T12:00:00Z", "cursor:" + String(repeating: "a", count: 2_049),
        ])
    func marks(mark: String) async throws {
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            await #expect(throws: ProviderFailure(.polygon, .unsupported)) {
                try await client.news(about: [symbol("AAPL")], limit: 2, after: mark, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                "\"OK\"", "\"ERROR\"",
                "status: expected one of OK, DELAYED, found a string that is none (byte 10)"
            ),
            ("\"status\"", "\"state\"", #"no "status" (byte 825)"#),
        ])
    func invalid(old: String, new: String, wording: String) async throws {
        // Only a response with neither status nor results is none: Polygon's document requires neither.
        let isMissing = old == "\"status\""
        let body = try example("news").replacing(old, with: new)
            .replacing(isMissing ? "\"results\"" : "-", with: isMissing ? "\"rows\"" : "-")
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.news(about: nil, limit: 1, after: nil, in: .patient)
            }
            #expect(failure?.description == "polygon: an invalid response: " + wording)
        }
    }

    @Test(
        "has the place of each article that cannot be read, and the other articles",
        arguments: [
            ("\"title\"", "\"titel\"", #"results[0]: no "title""#),
            (
                "2026-11-20T13:01:22Z", "yesterday",
                "results[0].published_utc: expected an instant, found a string that is none"
            ),
        ])
    func unreadable(old: String, new: String, reason: String) async throws {
        let good = try example("news")
        let start = try #require(good.firstRange(of: #""results":["#)).upperBound
        let end = try #require(good.lastIndex(of: "]"))
        let article = String(good[start..<end]).replacing(old, with: new)
        let body = "\(good[..<start])\(article),\(good[start...])"
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let page = try await client.news(about: nil, limit: 2, after: nil, in: .patient)
            #expect(page.articles.count == 1)
            #expect(page.unreadable.map { $0.prefix(reason.count) } == [reason[...]])
        }
    }
}
