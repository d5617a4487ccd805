import Brokerage
import Polygon
import ProviderTestSupport
import Testing
import Upstream

@Suite("Dividends and splits of Polygon")
struct CorporateActionTests {
    private static let details = #"{"status":"OK","results":{"ticker":"AAPL"}}"#

    private static func dividends(_ results: String) -> String {
        #"{"status":"OK","request_id":"1","results":[\#(results)]}"#
    }

    @Test("have the amounts as declared and all four dates")
    func dividends() async throws {
        let body = Self.dividends(
            #"""
            {"id":"1","ticker":"AAPL","cash_amount":0.26,"split_adjusted_cash_amount":0.065,"currency":"usd",
            "distribution_type":"recurring","frequency":4,"declaration_date":"2026-10-29",
            "ex_dividend_date":"2026-11-09","record_date":"2026-11-10","pay_date":"2026-11-12"},
            {"cash_amount":1.5,"distribution_type":"special","ex_dividend_date":"2026-12-09"},
            {"distribution_type":"unknown","ex_dividend_date":"2026-12-10"},
            {"distribution_type":"unknown","cash_amount":1}
            """#)
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let histories = try await client.dividends(of: [symbol("AAPL")], in: .patient)
            let history = try #require(try histories[symbol("AAPL")])
            #expect(history.provenance == Provenance(source: .polygon, fetchedAt: wallTime))
            // One without an ex-date or an amount is left out.
            #expect(history.dividends.map(\.exDate.description) == ["2026-12-09", "2026-11-09"])
            let special = try #require(history.dividends.first)
            #expect(special.amount == Decimal("1.5") && special.isSpecial == true && special.currency == nil)
            let regular = try #require(history.dividends.last)
            #expect(regular.amount == Decimal("0.26") && regular.currency == "USD")
            #expect(regular.isSpecial == false)
            #expect(
                [regular.declaredOn, regular.recordDate, regular.payDate].map { $0?.description } == [
                    "2026-10-29", "2026-11-10", "2026-11-12",
                ])
            #expect(
                server.requests.map(\.target) == [
                    "/polygon/stocks/v1/dividends?ticker=AAPL&limit=5000&sort=ex_dividend_date.desc"
                ])
        }
    }

    @Test("are the ratios of splits, of dividends in shares too")
    func splits() async throws {
        let body = Self.dividends(
            #"""
            {"id":"E1","ticker":"AAPL","execution_date":"2020-08-31","split_from":1,"split_to":4,
            "adjustment_type":"forward_split"},
            {"execution_date":"2026-01-05","split_from":20,"split_to":1,"adjustment_type":"reverse_split"},
            {"execution_date":"2026-02-02","split_from":1,"split_to":1.05,"adjustment_type":"stock_dividend"},
            {"execution_date":"2026-02-03","split_from":0,"split_to":1,"adjustment_type":"forward_split"}
            """#)
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let histories = try await client.splits(of: [symbol("AAPL")], in: .patient)
            let splits = try #require(try histories[symbol("AAPL")]?.splits)
            #expect(
                splits.map { "\($0.exDate) \($0.newShares):\($0.oldShares)" } == [
                    "2026-02-02 1.05:1", "2026-01-05 1:20", "2020-08-31 4:1",
                ])
            #expect(
                server.requests.map(\.target) == [
                    "/polygon/stocks/v1/splits?ticker=AAPL&limit=5000&sort=execution_date.desc"
                ])
        }
    }

    @Test("are empty for a ticker without any that is or was listed, and unknown for one that never was")
    func empty() async throws {
        let windows = [QuotaWindow("minute", limit: 100, per: .rolling(seconds: 60))]
        try await withPolygon(
            windows: windows,
            answering: { request, _ in
                if request.target.contains("/stocks/") { return .text(#"{"status":"OK","request_id":"1"}"#) }
                if request.target.hasSuffix("/AAPL") { return .text(Self.details) }
                if request.target.contains("/v3/reference/tickers?") {
                    let results = request.target.contains("ticker=FSR&") ? #"[{"ticker":"FSR"}]"# : "[]"
                    return .text(#"{"status":"OK","request_id":"1","results":\#(results)}"#)
                }
                return .text(#"{"status":"NOT_FOUND","message":"Ticker not found."}"#, status: 404)
            }
        ) { client, server in
            let known = try await client.dividends(of: [symbol("AAPL")], in: .patient)
            #expect(try known[symbol("AAPL")]?.dividends == [])
            let delisted = try await client.splits(of: [symbol("FSR")], in: .patient)
            #expect(try delisted[symbol("FSR")]?.splits == [])
            let unknown = try await client.splits(of: [symbol("NOSUCH")], in: .patient)
            #expect(unknown.found.isEmpty && unknown.failures.isEmpty)
            let before = server.requests.count
            let currencies = try await client.splits(of: [symbol("EUR/USD")], in: .patient)
            #expect(currencies.found.isEmpty && server.requests.count == before)
        }
    }
}
