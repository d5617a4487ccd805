import Brokerage
import Coordination
import Foundation
import Storage
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Cached data of providers")
struct ReadCachesTests {
    /// Runs `body` with a folder that is gone afterwards.
    private func withFolder(_ body: (DataDirectory) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "portico-gateway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(try DataDirectory(url.path))
    }

    @Test(
        "with a low quota exists after a restart: news, figures and instruments cost no second call"
    )
    func restart() async throws {
        let query = """
            { news(symbols: ["AAPL"], first: 2) { nodes { id headline url publishedAt symbols } }
              instrument(symbol: "AAPL", provider: "polygon") { name exchange }
              chart(symbol: "AAPL", provider: "polygon", last: 3) { source } }
            """
        try await withGateway { gateway in
            try await withFolder { folder in
                var answers: [JSONValue] = []
                var calls: [[String: Int]] = []
                for _ in 0..<2 {
                    let lasting = SQLitePersistentCache(in: try CacheDatabase(in: folder))
                    let backends = gateway.market(
                        [try gateway.polygon()], routes: ProviderRoutes([.news: [.polygon]]), lasting: lasting
                    )
                    let answer = try await gateway.ask(query, as: nil, backends)
                    #expect(answer.failures.isEmpty, "\(answer)")
                    answers.append(answer)
                    calls.append(gateway.calls(of: .polygon))
                    await lasting.flush()
                }
                #expect(answers[0]["data"]?["news"]?["nodes"]?.elements?.count == 2)
                #expect(answers[1] == answers[0])
                #expect(calls[0]["GET /v2/reference/news"] == 1)
                #expect(calls[1] == calls[0])
            }
        }
    }

    @Test("exists after a restart for dividends and splits of every provider", arguments: [true, false])
    func corporateActions(isFirst: Bool) async throws {
        let query = """
            { instrument(symbol: "NVDA", provider: "polygon") {
                dividends(first: 2) { nodes { exDate amount } source } splits { nodes { exDate } source } } }
            """
        try await withGateway { gateway in
            try await withFolder { folder in
                var answers: [JSONValue] = []
                let sources = [try gateway.polygon(), isFirst ? try gateway.alpaca() : try gateway.yahoo()]
                let provider: ProviderID = isFirst ? .alpaca : .yahoo
                let routes = ProviderRoutes([.corporateActions: [provider]])
                var calls: [[String: Int]] = []
                for _ in 0..<2 {
                    let lasting = SQLitePersistentCache(in: try CacheDatabase(in: folder))
                    let answer = try await gateway.ask(
                        query, as: nil, gateway.market(sources, routes: routes, lasting: lasting))
                    #expect(answer.failures.isEmpty, "\(answer)")
                    answers.append(answer)
                    calls.append(gateway.calls(of: provider))
                    await lasting.flush()
                }
                let dividends = answers[0]["data"]?["instrument"]?["dividends"]
                #expect(dividends?["source"] == .string(provider.name.text))
                #expect(dividends?["nodes"]?.elements?.count == 2)
                #expect(answers[1] == answers[0])
                #expect(calls[0].values.reduce(0, +) == 1 && calls[1] == calls[0])
            }
        }
    }

    @Test("counts texts of clients and providers in its size", arguments: [0, 1, 1_000, 100_000])
    func weights(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let reading = Provenance(source: .saxo, fetchedAt: .earliest)
        var account = Account(id: "1", number: "1", currency: "USD", provenance: reading)
        var position = Position(
            symbol: .example, side: .long, quantity: 1, currency: "USD", provenance: reading)
        var instrument = Instrument(symbol: .example, assetClass: .equity, provenance: reading)
        let hit = SearchHit(instrument: instrument)
        var page = ProviderArticlePage(provider: .polygon, page: ArticlePage(articles: [], next: nil))
        let before = [
            [account].weight, [position].weight, instrument.weight, [hit].weight, [hit].weight, page.weight,
        ]
        account.name = text
        position.listing = Listing(provider: .saxo, key: text)
        instrument.about = text
        page = ProviderArticlePage(provider: .polygon, page: ArticlePage(articles: [], next: text))
        let after = [
            [account].weight, [position].weight, instrument.weight,
            [SearchHit(instrument: instrument)].weight,
            [SearchHit(instrument: hit.instrument, region: text)].weight,
            page.weight,
        ]
        for (before, after) in zip(before, after) { #expect(after - before == length) }
        #expect([account, account].weight == 2 * [account].weight)
    }

    @Test("news is decoded as it was encoded")
    func newsForm() throws {
        var article = Article(
            id: "1", headline: "Ærø", url: "https://news.example/1", publisher: "Example", provider: .polygon,
            symbols: [.example], publishedAt: try #require(Instant("2026-11-20T15:32:10.5Z")))
        article.summary = "株式会社"
        for next in [nil, "https://api.example/next?cursor=1"] {
            let page = ProviderArticlePage(
                provider: .polygon, page: ArticlePage(articles: [article, article], next: next))
            #expect(try ProviderArticlePage(persistentBytes: page.persistentBytes) == page)
            var bytes = page.persistentBytes
            bytes[3] ^= 1
            #expect(throws: CorruptedBytes()) { try ProviderArticlePage(persistentBytes: bytes) }
        }
    }
}
