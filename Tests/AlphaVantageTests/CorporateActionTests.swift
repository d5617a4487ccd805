import AlphaVantage
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("Dividends and splits of Alpha Vantage")
struct CorporateActionTests {
    private static let dividends = #"""
        {"symbol":"IBM","data":[
        {"ex_dividend_date":"2026-11-10","declaration_date":"2026-10-27","record_date":"2026-11-11",
        "payment_date":"2026-12-10","amount":"1.69"},
        {"ex_dividend_date":"2026-08-10","amount":"None"},
        {"ex_dividend_date":"1999-02-08","declaration_date":"None","record_date":"None","payment_date":"None",
        "amount":"0.22"}]}
        """#

    @Test(
        "have the dates and the amounts that are there, in the only currency of the exchange, and none in London"
    )
    func dividends() async throws {
        try await withAlphaVantage(answering: functions(["DIVIDENDS": Self.dividends])) { client, server in
            let symbols = try [symbol("IBM"), symbol("TSCO:XLON")]
            let american = try await client.dividends(of: [symbols[0]], in: .patient)
            let history = try #require(american[symbols[0]])
            #expect(history.provenance == Provenance(source: .alphaVantage, fetchedAt: wallTime))
            #expect(history.dividends.map(\.exDate.description) == ["2026-11-10", "1999-02-08"])
            let latest = try #require(history.dividends.first)
            #expect(latest.amount == Decimal("1.69") && latest.currency == "USD" && latest.isSpecial == nil)
            #expect(
                [latest.declaredOn, latest.recordDate, latest.payDate].map { $0?.description } == [
                    "2026-10-27", "2026-11-11", "2026-12-10",
                ])
            let oldest = try #require(history.dividends.last)
            #expect(oldest.declaredOn == nil && oldest.recordDate == nil && oldest.payDate == nil)
            // London has pounds, pence and dollars, and no document of Alpha Vantage names the unit of a dividend.
            let both = try await client.dividends(of: symbols, in: .patient)
            #expect(both.found.keys.map(\.self) == [symbols[0]])
            #expect(both.failures[symbols[1]]?.cause == .unsupported)
            let address = "/av/query?function=DIVIDENDS&symbol=IBM&apikey=\(secretKey)"
            #expect(server.requests.map(\.target) == [address, address])
        }
    }

    @Test("have new shares for each old one")
    func splits() async throws {
        let body = #"""
            {"symbol":"AAPL","data":[{"effective_date":"2020-08-31","split_factor":"4.0000"},
            {"effective_date":"2014-06-09","split_factor":"0.05"},
            {"effective_date":"2000-06-21","split_factor":"None"}]}
            """#
        try await withAlphaVantage(answering: functions(["SPLITS": body])) { client, _ in
            let splits = try await client.splits(of: [symbol("AAPL")], in: .patient)
            #expect(
                try splits[symbol("AAPL")]?.splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" } == [
                    "2020-08-31 4.0000:1", "2014-06-09 0.05:1",
                ])
        }
    }

    @Test("of an unknown symbol are none, and those of a company that pays none are empty")
    func none() async throws {
        try await withAlphaVantage(answering: functions(["SPLITS": #"{"symbol":"TSLA","data":[]}"#])) {
            client, _ in
            let unknown = try await client.dividends(of: [symbol("NOSUCH")], in: .patient)
            #expect(unknown.found.isEmpty && unknown.failures.isEmpty)
            let known = try await client.splits(of: [symbol("TSLA")], in: .patient)
            #expect(try known[symbol("TSLA")]?.splits == [])
        }
    }

    @Test("that have a text in place of a date, or no amount, cannot be read")
    func unreadable() async throws {
        let body = Self.dividends.replacing("2026-10-27", with: "soon")
        try await withAlphaVantage(answering: functions(["DIVIDENDS": body])) { client, _ in
            let ibm = try symbol("IBM")
            let history = try #require(try await client.dividends(of: [ibm], in: .patient)[ibm])
            #expect(history.dividends.map(\.exDate.description) == ["1999-02-08"])
            #expect(
                history.unreadable.map { $0.prefix(24) } == [
                    "data[0].declaration_date", "data[1]: no \"amount\" (by",
                ])
        }
    }
}
