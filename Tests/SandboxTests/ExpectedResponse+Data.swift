import Brokerage
import Sandbox
import TestSupport
import Testing

/// The providers of market data.
extension ExpectedResponse {
    private static func function(
        _ name: String, _ shape: String, _ parameters: String = "&symbol=AAPL"
    ) -> ExpectedResponse {
        get(.alphaVantage, "/query \(name)", "alphavantage", shape) { fixture in
            try await fixture.alphaVantage(
                "function=\(name)\(parameters)", key: FakeAlphaVantageSettings.premiumKey)
        }
    }

    static let alphaVantage: [ExpectedResponse] = [
        get(.alphaVantage, "/query", "alphavantage", "Notice") {
            try await $0.alphaVantage("function=NO_SUCH")
        },
        function("GLOBAL_QUOTE", "GlobalQuote"),
        function("REALTIME_BULK_QUOTES", "BulkQuotes", "&symbol=AAPL,BRK-B"),
        function("SYMBOL_SEARCH", "SymbolSearch", "&keywords=micro"),
        function("TIME_SERIES_INTRADAY", "IntradayHourly", "&symbol=AAPL&interval=60min"),
        function("TIME_SERIES_DAILY", "Daily"),
        function("TIME_SERIES_WEEKLY", "Weekly"),
        function("TIME_SERIES_MONTHLY", "Monthly"),
        function("OVERVIEW", "Overview"),
        function("DIVIDENDS", "Dividends"),
        function("SPLITS", "Splits"),
    ]

    private static func yahoo(_ template: String, _ shape: String, _ path: String) -> ExpectedResponse {
        get(.yahoo, template, "yahoo", shape) { try await $0.yahooWithCrumb(path) }
    }

    static let yahoo: [ExpectedResponse] = [
        yahoo("/v8/finance/chart/{symbol}", "Chart", "/v8/finance/chart/AAPL?range=5d&interval=1h"),
        yahoo("/v7/finance/quote", "Quote", "/v7/finance/quote?symbols=AAPL,BRK-B,%5EGSPC"),
        yahoo(
            "/v10/finance/quoteSummary/{symbol}", "QuoteSummaryProfile",
            "/v10/finance/quoteSummary/AAPL?modules=assetProfile,price"),
        yahoo("/v1/finance/search", "Search", "/v1/finance/search?q=apple"),
        // The cookie comes with a 404.
        ExpectedResponse(
            provider: .yahoo, endpoint: "GET /", status: 404, shape: .type("text/plain; charset=UTF-8")
        ) { try await $0.client.get("/yahoo-cookie/") },
        ExpectedResponse(
            provider: .yahoo, endpoint: "GET /v1/test/getcrumb", shape: .type("text/plain; charset=UTF-8")
        ) { fixture in
            let credentials = try await fixture.yahooCrumb()
            return try await fixture.yahoo("/v1/test/getcrumb", ["Cookie": credentials.cookie])
        },
    ]

    private static func polygon(
        _ template: String, in schema: String = "polygon", _ shape: String, _ path: String? = nil
    ) -> ExpectedResponse {
        get(.polygon, template, schema, shape) { try await $0.polygon(path ?? template) }
    }

    static let polygon: [ExpectedResponse] = [
        polygon(
            "/v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}", "Aggs",
            "/v2/aggs/ticker/AAPL/range/1/day/2026-11-02/2026-11-20"),
        polygon("/v2/aggs/ticker/{ticker}/prev", "Aggs", "/v2/aggs/ticker/AAPL/prev"),
        polygon(
            "/v2/snapshot/locale/us/markets/stocks/tickers", "Snapshots",
            "/v2/snapshot/locale/us/markets/stocks/tickers?tickers=AAPL,BRK.B,IBM"),
        polygon("/v2/reference/news", "News"),
        polygon("/v3/reference/tickers", in: "polygon-reference", "TickerList"),
        polygon(
            "/v3/reference/tickers/{ticker}", in: "polygon-reference", "TickerDetails",
            "/v3/reference/tickers/AAPL"),
        polygon("/stocks/v1/dividends", "StockDividends"),
        polygon("/stocks/v1/splits", "StockSplits"),
        ExpectedResponse(
            provider: .polygon, endpoint: "GET /v1/reference/company-branding/{cik}/images/logo.svg",
            shape: .type("image/svg+xml")
        ) { try await $0.polygon("/v1/reference/company-branding/320193/images/logo.svg") },
    ]
}
