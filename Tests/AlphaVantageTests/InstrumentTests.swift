import AlphaVantage
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("An instrument")
struct InstrumentTests {
    @Test("that a search finds has Portico's symbol, and a currency that is none of pence")
    func search() async throws {
        let body = try example("symbol-search")
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, server in
            let hits = try await client.search("tesco & co", limit: 10, in: .patient)
            #expect(hits.map(\.instrument.symbol.text) == ["TSCO:XLON", "TSCO"])
            #expect(hits.map(\.instrument.currency) == ["GBP", "USD"])
            #expect(hits.map(\.instrument.exchange) == ["XLON", nil])
            #expect(hits.map(\.instrument.name) == ["Tesco PLC", "Tractor Supply Company"])
            #expect(hits.map(\.instrument.assetClass) == [.equity, .equity])
            #expect(hits.map(\.instrument.listing?.key) == ["TSCO.LON", "TSCO"])
            #expect(hits[0].matchScore?.description == "0.7273")
            #expect(hits[0].region == "United Kingdom")
            #expect(
                server.requests.map(\.target) == [
                    "/av/query?function=SYMBOL_SEARCH&keywords=tesco%20%26%20co&apikey=\(secretKey)"
                ])
            let first = try await client.search("tesco", limit: 1, in: .patient)
            #expect(first.map(\.instrument.symbol.text) == ["TSCO:XLON"])
        }
    }

    @Test(
        "has a class by its type",
        arguments: [
            ("Equity", AssetClass.equity), ("ETF", .etf), ("Mutual Fund", .fund), ("Warrant", .other),
        ])
    func types(type: String, assetClass: AssetClass) async throws {
        let body = try example("symbol-search").replacing("Equity", with: type)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let hits = try await client.search("tesco", limit: 1, in: .patient)
            #expect(hits.map(\.instrument.assetClass) == [assetClass])
        }
    }

    @Test("without a match is none")
    func noMatch() async throws {
        try await withAlphaVantage(answering: { _, _ in .text(#"{"bestMatches":[]}"#) }) { client, _ in
            let hits = try await client.search("x", limit: 10, in: .patient)
            #expect(hits.isEmpty)
            await #expect(throws: ProviderFailure(.alphaVantage, .notFound)) {
                try await client.instrument(symbol("IBM"), in: .patient)
            }
        }
    }

    @Test("is the match of its very name")
    func exact() async throws {
        let body = try example("symbol-search")
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, server in
            let instrument = try await client.instrument(symbol("TSCO"), in: .patient)
            #expect(instrument.name == "Tractor Supply Company")
            #expect(instrument.provenance == Provenance(source: .alphaVantage, fetchedAt: wallTime))
            await #expect(throws: ProviderFailure(.alphaVantage, .notFound)) {
                try await client.instrument(symbol("^SPX"), in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }
}

@Suite("An overview")
struct OverviewTests {
    @Test("is told as it came; what is missing is nil, not zero")
    func golden() async throws {
        let body = try example("overview").replacing(#""PERatio":"36.5""#, with: #""PERatio":"-""#)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, server in
            let figures = try await client.fundamentals(of: symbol("IBM"), in: .patient)
            #expect(figures.name == "International Business Machines")
            #expect(figures.about == "Example text: a technology and consulting company.")
            #expect(figures.currency == "USD")
            #expect(figures.country == "USA")
            #expect(figures.sector == "TECHNOLOGY")
            #expect(figures.industry == "INFORMATION TECHNOLOGY SERVICES")
            #expect(figures.website == nil)
            #expect(figures.marketCap == 282_000_000_000)
            #expect(figures.priceEarningsRatio == nil)
            #expect(figures.earningsPerShare?.description == "8.31")
            #expect(figures.dividendPerShare?.description == "6.7")
            #expect(figures.yearHigh?.description == "324.9")
            #expect(figures.yearLow?.description == "214.5")
            #expect(server.requests.map { $0.target.prefix { $0 != "&" } } == ["/av/query?function=OVERVIEW"])
        }
    }

    @Test(
        "has missing figures in several words", arguments: [#""None""#, #""-""#, #""""#, "null"])
    func missing(word: String) async throws {
        let body = try example("overview").replacing(#""282000000000""#, with: word)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let figures = try await client.fundamentals(of: symbol("IBM"), in: .patient)
            #expect(figures.marketCap == nil)
            #expect(figures.earningsPerShare != nil)
        }
    }

    @Test("with numbers instead of strings is the same")
    func numbers() async throws {
        let body = try example("overview").replacing(#""8.31""#, with: "8.31")
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let figures = try await client.fundamentals(of: symbol("IBM"), in: .patient)
            #expect(figures.earningsPerShare?.description == "8.31")
        }
    }

    @Test("in pence is told in pounds, and leaves out what may be in either")
    func pence() async throws {
        let body = try example("overview").replacing(#""Currency":"USD""#, with: #""Currency":"GBX""#)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let figures = try await client.fundamentals(of: symbol("TSCO:XLON"), in: .patient)
            #expect(figures.currency == "GBP")
            #expect(figures.yearHigh?.description == "3.249")
            #expect(figures.marketCap == nil)
        }
    }

    @Test("that is empty is of no company")
    func empty() async throws {
        try await withAlphaVantage(answering: { _, _ in .text("{}") }) { client, _ in
            await #expect(throws: ProviderFailure(.alphaVantage, .notFound)) {
                try await client.fundamentals(of: symbol("SPY"), in: .patient)
            }
        }
    }
}
