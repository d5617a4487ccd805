import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("An instrument")
struct InstrumentTests {
    @Test("that a search finds has a symbol; private companies are left out")
    func search() async throws {
        let body = try example("search").replacing(
            #"{"exchange":"NMS""#,
            with:
                #"{"symbol":"GC=F","quoteType":"FUTURE","exchange":"CMX","isYahooFinance":true},{"exchange":"NMS""#
        )
        try await withYahoo(body) { client, server in
            let hits = try await client.search("apple & co", limit: 5, in: .patient)
            #expect(hits.map(\.instrument.symbol.text) == ["GC=F", "AAPL"])
            #expect(hits.map(\.instrument.name) == [nil, "Apple Inc."])
            #expect(hits.map(\.instrument.assetClass) == [.future, .equity])
            #expect(hits.map(\.instrument.exchange) == ["CMX", "XNAS"])
            #expect(hits.map(\.instrument.listing?.key) == ["GC=F", "AAPL"])
            #expect(
                server.requests.map(\.target) == [
                    "/q/v1/finance/search?q=apple%20%26%20co&quotesCount=5&newsCount=0"
                ])
        }
    }

    @Test(
        "has a class by its type",
        arguments: [
            ("ETF", AssetClass.etf), ("MUTUALFUND", .fund), ("INDEX", .index), ("CURRENCY", .fx),
            ("CRYPTOCURRENCY", .crypto), ("FUTURE", .future), ("OPTION", .option), ("NEW", .other),
        ])
    func types(type: String, assetClass: AssetClass) async throws {
        try await withYahoo(example("search").replacing("EQUITY", with: type)) { client, _ in
            let hits = try await client.search("a", limit: 5, in: .patient)
            #expect(hits.map(\.instrument.assetClass) == [assetClass])
        }
    }

    @Test("is what a quote tells of it")
    func instrument() async throws {
        let body = try example("quote").replacing("AAPL", with: "TSCO.L").replacing("USD", with: "GBp")
        try await withYahoo(body) { client, _ in
            let instrument = try await client.instrument(symbol("TSCO:XLON"), in: .patient)
            #expect(instrument.name == "Apple Inc.")
            #expect(instrument.currency == "GBP")
            #expect(instrument.exchange == "XLON")
            #expect(instrument.decimals == 2)
            #expect(instrument.listing?.key == "TSCO.L")
            for unknown in ["BRKS", "NOSUCH"] {
                await #expect(throws: ProviderFailure(.yahoo, .notFound)) {
                    try await client.instrument(symbol(unknown), in: .patient)
                }
            }
        }
    }

    @Test("needs no call if its price was read a moment ago, unless the operation demands a later value")
    func afterPrice() async throws {
        try await withYahoo(example("quote")) { client, server in
            let call = CallContext.patient
            _ = try await client.quotes(for: [symbol("AAPL")], in: call)
            let before = server.targets.count
            let instrument = try await client.instrument(symbol("AAPL"), in: call)
            #expect(instrument.name == "Apple Inc.")
            #expect(server.targets.count == before)
            let fresh = CallContext(deadline: call.deadline, notBefore: .now)
            _ = try await client.instrument(symbol("AAPL"), in: fresh)
            #expect(server.targets.count == before + 1)
        }
    }

    @Test("is read together with others by one call, as quotes are; those that are unknown are left out")
    func batch() async throws {
        let body = try example("quote")
        let second = body.replacing("AAPL", with: "MSFT").replacing("Apple", with: "Microsoft")
        let entry = try #require(second.firstRange(of: #/\[(\{.*?\}),/#)).lowerBound
        let end = try #require(second[entry...].firstRange(of: "},")).lowerBound
        let both = body.replacing(
            #""result":["#, with: #""result":[\#(second[second.index(after: entry)...end]),"#)
        try await withYahoo(both) { client, server in
            #expect(client.instrumentsPerCall == 50)
            let symbols = try ["AAPL", "MSFT", "BRKS", "NOSUCH"].map(symbol)
            let instruments = try await client.instruments(symbols, in: .patient)
            #expect(instruments[symbols[0]]?.name == "Apple Inc.")
            #expect(instruments[symbols[1]]?.name == "Microsoft Inc.")
            #expect(instruments.found.count == 2 && instruments.failures.isEmpty)
            #expect(server.targets.count == 1)
        }
    }

    @Test("has the exchange's own name where there is no code for it")
    func exchange() async throws {
        let body = try example("quote").replacing("NMS", with: "SNP").replacing("NasdaqGS", with: "SNP")
            .replacing("AAPL", with: "^GSPC")
        try await withYahoo(body) { client, _ in
            let instrument = try await client.instrument(symbol("^SPX"), in: .patient)
            #expect(instrument.exchange == "SNP")
        }
    }
}

@Suite("A profile")
struct ProfileTests {
    @Test("tells what the company does, with a crumb")
    func golden() async throws {
        try await withYahoo(example("quote-summary-profile")) { client, server in
            let figures = try await client.fundamentals(of: symbol("BRK.B"), in: .patient)
            #expect(figures.about == "Example text describing what the company makes and sells.")
            #expect(figures.sector == "Technology")
            #expect(figures.industry == "Consumer Electronics")
            #expect(figures.country == "United States")
            #expect(figures.website == "https://www.example.com")
            #expect(figures.marketCap == nil)
            #expect(
                server.targets == [
                    "/q/v10/finance/quoteSummary/BRK-B?modules=assetProfile&formatted=false&crumb=aB.c%2FD_e-f1"
                ])
        }
    }

    @Test("of what is no company is not found")
    func missing() async throws {
        try await withYahoo(example("quote-summary-error"), status: 404) { client, _ in
            for name in ["SPY", "GC=F"] {
                await #expect(throws: ProviderFailure(.yahoo, .notFound)) {
                    try await client.fundamentals(of: symbol(name), in: .patient)
                }
            }
        }
    }

    @Test("that is not in the answer is missed")
    func invalid() async throws {
        try await withYahoo(#"{"quoteSummary":{"result":[],"error":null}}"#) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.fundamentals(of: symbol("AAPL"), in: .patient)
            }
            #expect(
                failure?.description
                    == #"yahoo: an invalid response: no "quoteSummary.result[0].assetProfile" (byte 43)"#
            )
        }
    }
}
