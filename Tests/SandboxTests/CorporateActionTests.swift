import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("The corporate actions of all providers")
struct CorporateActionTests {
    /// A dividend as a text of its ex-date, its amount at that date and its pay date.
    private static func text(_ exDate: JSONValue?, _ amount: JSONValue?, _ payDate: JSONValue?) throws
        -> String
    {
        "\(exDate?.string ?? "") \(try decimal(amount).withoutTrailingZeros) \(payDate?.string ?? "")"
    }

    @Test(
        "are the same dividends, with the amounts of the shares at their time", arguments: ["AAPL", "NVDA"])
    func dividends(symbol: String) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.data(
                "/v1/corporate-actions?symbols=\(symbol)&types=cash_dividend&start=1990-01-01&end=2027-12-31"
                    + "&limit=1000&sort=desc")
            let alpaca = try #require(
                JSONValue(parsing: reply.body)["corporate_actions"]?["cash_dividends"]?.elements)
            let expected = try alpaca.map { try Self.text($0["ex_date"], $0["rate"], $0["payable_date"]) }
            #expect(expected.count > 100)
            let polygon = try await fixture.polygonDocument(
                "/stocks/v1/dividends?ticker=\(symbol)&limit=5000&sort=ex_dividend_date.desc")
            #expect(
                try polygon["results"]?.elements?.map {
                    try Self.text($0["ex_dividend_date"], $0["cash_amount"], $0["pay_date"])
                } == expected)
            let others = try await fixture.alphaVantageDocument("function=DIVIDENDS&symbol=\(symbol)")
            let dated = try #require(others["data"]?.elements).prefix(80)
            #expect(
                try dated.map {
                    try Self.text($0["ex_dividend_date"], $0["amount"], $0["payment_date"])
                } == Array(expected.prefix(80)))
            #expect(others["data"]?.elements?.last?["payment_date"] == "None")
        }
    }

    @Test("are the same splits, and Yahoo's dividends are those of the present shares")
    func splits() async throws {
        try await withSandbox({ $0.yahoo.pricesAreSinglePrecision = false }) { fixture in
            let polygon = try await fixture.polygonDocument("/stocks/v1/splits?ticker=NVDA")
            let split = polygon["results"]?[0]
            #expect(
                split?["execution_date"] == "2025-12-01" && split?["split_from"] == 1
                    && split?["split_to"] == 4)
            let alphaVantage = try await fixture.alphaVantageDocument("function=SPLITS&symbol=NVDA")
            #expect(alphaVantage["data"]?.elements?.count == 1)
            #expect(alphaVantage["data"]?[0]?["effective_date"] == "2025-12-01")
            #expect(alphaVantage["data"]?[0]?["split_factor"] == "4.0000")
            let chart = try await fixture.yahooChart("NVDA?range=max&interval=1mo&events=div%7Csplit")
            let splits = try #require(chart["events"]?["splits"]?.members)
            // Half past nine in New York on the 1st of December.
            #expect(splits.keys.sorted() == ["1764599400"])
            #expect(splits["1764599400"]?["splitRatio"] == "4:1")
            let plural = try await fixture.yahooChart(
                "NVDA?range=max&interval=1mo&events=div,splits,capitalGains")
            #expect(plural["events"] == chart["events"])
            let paid = try #require(chart["events"]?["dividends"]?.members?.values)
            let own = try await fixture.polygonDocument(
                "/stocks/v1/dividends?ticker=NVDA&limit=5000&ex_dividend_date.lte=2026-11-20")
            let adjusted = try #require(own["results"]?.elements).map {
                try decimal($0["split_adjusted_cash_amount"])
            }
            // Yahoo's amounts are binary32 values with all their digits.
            let amounts = try paid.map { try decimal($0["amount"]).doubleValue }.sorted()
            #expect(amounts.count == adjusted.count)
            for (amount, other) in zip(amounts, adjusted.map(\.doubleValue).sorted()) {
                #expect(abs(amount - other) < 1e-6)
            }
            let none = try await fixture.yahooChart("TSLA?range=max&interval=1mo&events=div,split")
            #expect(none["events"] == nil)
        }
    }

    @Test("are divided into pages by Polygon")
    func pages() async throws {
        try await withSandbox { fixture in
            let whole = try await fixture.polygonDocument("/stocks/v1/dividends?ticker=KO&limit=5000")
            let pages = try await fixture.polygonPages("/stocks/v1/dividends?ticker=KO&limit=30")
            #expect(pages.count > 3)
            #expect(pages.flatMap { $0["results"]?.elements ?? [] } == whole["results"]?.elements)
        }
    }

    @Test(
        "refuse a wrong parameter of Polygon, and name it",
        arguments: [
            ("limit=0", "the limit must be a number from 1 to 5000"),
            ("sort=amount.asc", "could not parse 'amount.asc' for 'sort'"),
        ])
    func refuses(query: String, message: String) async throws {
        let reply = try await withSandbox { try await $0.polygon("/stocks/v1/dividends?\(query)") }
        #expect(reply.status == 400)
        #expect(try JSONValue(parsing: reply.body)["error"] == .string(message))
    }

    @Test("of an unlisted symbol are an empty object at Alpha Vantage", arguments: ["DIVIDENDS", "SPLITS"])
    func unlisted(function: String) async throws {
        let reply = try await withSandbox { try await $0.alphaVantage("function=\(function)&symbol=NOSUCH") }
        #expect(reply.status == 200 && reply.body == "{}")
    }

    @Test("have ISINs and FIGIs with valid check digits")
    func identifiers() throws {
        #expect(FakeIdentifiers.withISINCheckDigit("US037833100") == "US0378331005")
        #expect(FakeIdentifiers.withISINCheckDigit("GB000263494") == "GB0002634946")
        #expect(FakeIdentifiers.withFIGICheckDigit("BBG000BLNQ1") == "BBG000BLNQ16")
        #expect(FakeIdentifiers.withFIGICheckDigit("BBG000B9XRY") == "BBG000B9XRY4")
        let apple = try #require(FakeIdentifiers(of: "AAPL"))
        #expect(apple.isin.hasPrefix("US00000AAPL") && apple.isin.count == 12)
        #expect(apple.figi.count == 12 && apple.shareClassFIGI.count == 12)
        #expect(FakeIdentifiers(of: "TSCO.L") == nil)
    }
}
