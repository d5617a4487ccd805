import Brokerage
import Polygon
import ProviderTestSupport
import Testing
import Upstream

@Suite("A ticker")
struct InstrumentTests {
    @Test("that a search finds has Portico's symbol and currency")
    func search() async throws {
        let body = try example("openapi-tickers")
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let hits = try await client.search("agilent & co", limit: 5, in: .patient)
            let instrument = try #require(hits.first?.instrument)
            #expect(hits.count == 1)
            #expect(instrument.symbol.text == "A")
            #expect(instrument.name == "Agilent Technologies Inc.")
            #expect(instrument.exchange == "XNYS")
            #expect(instrument.currency == "USD")
            #expect(instrument.assetClass == .equity)
            #expect(instrument.listing == Listing(provider: .polygon, key: "A"))
            #expect(hits.first?.matchScore == nil)
            #expect(
                server.requests.map(\.target) == [
                    "/polygon/v3/reference/tickers?search=agilent%20%26%20co&active=true&limit=5"
                ])
        }
    }

    @Test(
        "has a class by its name and type",
        arguments: [
            ("A", "CS", AssetClass.equity), ("A", "ADRC", .equity), ("A", "ETF", .etf), ("A", "FUND", .fund),
            ("A", "WARRANT", .other), ("C:EURUSD", "", .fx), ("X:BTCUSD", "", .crypto), ("I:SPX", "", .index),
        ])
    func classes(ticker: String, type: String, assetClass: AssetClass) async throws {
        let body = try example("openapi-tickers").replacing(
            #""ticker": "A""#, with: #""ticker":"\#(ticker)""#
        )
        .replacing("CS", with: type)
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let hits = try await client.search("a", limit: 5, in: .patient)
            #expect(hits.map(\.instrument.assetClass) == [assetClass])
        }
    }

    @Test("has a currency by its own name where Polygon tells it in words")
    func currencyInWords() async throws {
        let body = #"{"status":"OK","results":[{"ticker":"C:EURDKK","currency_name":"Danish Krone"}]}"#
        try await withPolygon(answering: { _, _ in .text(body) }) { client, _ in
            let hits = try await client.search("dkk", limit: 5, in: .patient)
            #expect(hits.map(\.instrument.currency) == ["DKK"])
        }
    }

    @Test("of an option contract is left out, and no match is none")
    func leftOut() async throws {
        let body = #"{"status":"OK","results":[{"ticker":"O:AAPL261218C00200000"}]}"#
        try await withPolygon(answering: { _, number in .text(number == 1 ? body : #"{"status":"OK"}"#) }) {
            client, _ in
            for _ in 1...2 {
                let hits = try await client.search("aapl", limit: 5, in: .patient)
                #expect(hits.isEmpty)
            }
        }
    }

    @Test("in detail tells of the instrument and of the company, by one call")
    func details() async throws {
        let body = try example("openapi-ticker-details")
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let instrument = try await client.instrument(symbol("AAPL"), in: .patient)
            #expect(instrument.name == "Apple Inc.")
            #expect(instrument.exchange == "XNAS")
            #expect(instrument.about?.hasPrefix("Apple designs a wide variety") == true)
            let figures = try await client.fundamentals(of: symbol("AAPL"), in: .patient)
            #expect(figures.marketCap == 2_771_126_040_150)
            #expect(figures.currency == "USD")
            #expect(figures.website == "https://www.apple.com")
            #expect(figures.industry == "ELECTRONIC COMPUTERS")
            #expect(figures.about == instrument.about)
            #expect(server.requests.map(\.target) == ["/polygon/v3/reference/tickers/AAPL"])
        }
    }

    @Test("of another kind is no company, and what Polygon does not have is not asked for")
    func notFound() async throws {
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            await #expect(throws: ProviderFailure(.polygon, .notFound)) {
                try await client.fundamentals(of: symbol("EUR/USD"), in: .patient)
            }
            await #expect(throws: ProviderFailure(.polygon, .notFound)) {
                try await client.instrument(symbol("TSCO:XLON"), in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }
}
