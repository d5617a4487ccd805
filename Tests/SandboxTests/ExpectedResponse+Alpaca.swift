import Brokerage
import Sandbox
import TestSupport
import Testing

extension ExpectedResponse {
    private static func trading(_ template: String, _ shape: String, _ path: String? = nil)
        -> ExpectedResponse
    {
        get(.alpaca, template, "alpaca", shape) { try await $0.trading(path ?? template) }
    }

    private static func data(
        _ template: String, in schema: String = "alpaca", _ shape: String, _ query: String,
        path: String? = nil
    ) -> ExpectedResponse {
        get(.alpaca, template, schema, shape) { try await $0.data((path ?? template) + query) }
    }

    static let alpaca: [ExpectedResponse] = [
        trading("/v2/account", "Account"),
        trading("/v2/account/portfolio/history", "PortfolioHistory"),
        trading("/v2/account/activities", "ActivityList"),
        trading("/v2/account/activities/{activity_type}", "ActivityList", "/v2/account/activities/DIV"),
        get(.alpaca, "/v2/account/configurations", "supplement", "AlpacaConfiguration") {
            try await $0.trading("/v2/account/configurations")
        },
        ExpectedResponse(
            provider: .alpaca, endpoint: "PATCH /v2/account/configurations",
            shape: .schema("supplement", "AlpacaConfiguration")
        ) { try await $0.write("PATCH", "/v2/account/configurations", #"{"no_shorting":true}"#) },
        trading("/v2/positions", "PositionList"),
        trading("/v2/positions/{symbol_or_asset_id}", "Position", "/v2/positions/BRK.B"),
        trading("/v2/assets", "AssetList"),
        trading("/v2/assets/{symbol_or_asset_id}", "Asset", "/v2/assets/AAPL"),
        trading("/v2/clock", "Clock"),
        trading("/v2/calendar", "Calendar", "/v2/calendar?start=2026-11-20&end=2026-12-31"),
        data("/v2/stocks/snapshots", "Snapshots", "?symbols=AAPL,TSLA"),
        data("/v2/stocks/{symbol}/snapshot", "Snapshot", "", path: "/v2/stocks/AAPL/snapshot"),
        data("/v2/stocks/trades/latest", "LatestTrades", "?symbols=AAPL"),
        data("/v2/stocks/quotes/latest", "LatestQuotes", "?symbols=AAPL,BRK.B"),
        data(
            "/v2/stocks/{symbol}/trades/latest", in: "supplement", "AlpacaLatestTrade", "",
            path: "/v2/stocks/AAPL/trades/latest"),
        data(
            "/v2/stocks/{symbol}/quotes/latest", in: "supplement", "AlpacaLatestQuote", "",
            path: "/v2/stocks/AAPL/quotes/latest"),
        data(
            "/v2/stocks/{symbol}/bars/latest", in: "supplement", "AlpacaLatestBar", "",
            path: "/v2/stocks/AAPL/bars/latest"),
        data("/v2/stocks/bars", "Bars", "?symbols=AAPL,TSLA&timeframe=1Day&start=2026-11-02"),
        data("/v2/stocks/bars/latest", in: "supplement", "AlpacaLatestBars", "?symbols=AAPL,TSLA"),
        data(
            "/v2/stocks/{symbol}/bars", in: "supplement", "AlpacaSymbolBars",
            "?timeframe=1Hour&start=2026-11-17&limit=5", path: "/v2/stocks/AAPL/bars"),
        data("/v1/corporate-actions", "CorporateActions", "?start=2021-11-01&end=2026-11-19&limit=1000"),
        data("/v1beta1/news", "News", "?symbols=AAPL&limit=50&include_content=true"),
        ExpectedResponse(
            provider: .alpaca, endpoint: "GET /oauth/authorize", shape: .type("text/html; charset=UTF-8")
        ) { try await $0.client.get(FakeAlpacaOAuthTests.authorize) },
        ExpectedResponse(provider: .alpaca, endpoint: "POST /oauth/authorize", status: 302, shape: .empty) {
            fixture in
            let page = try await fixture.client.get(FakeAlpacaOAuthTests.authorize)
            return try await fixture.client.post(
                "/alpaca-app/oauth/authorize",
                FakeAlpacaOAuthTests.approval(page.body, decision: "approve"))
        },
        ExpectedResponse(
            provider: .alpaca, endpoint: "POST /oauth/token", shape: .schema("alpaca", "OAuthToken")
        ) { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "demo")
            let page = try await fixture.client.get(FakeAlpacaOAuthTests.authorize)
            let code = try #require(page.headers["location"]?.firstMatch(of: /code=([0-9a-f-]+)/)?.1)
            let form = FakeAlpacaOAuthTests.form(code: String(code))
            return try await fixture.client.send(
                "POST", "/alpaca/oauth/token",
                [
                    "Content-Type": "application/x-www-form-urlencoded",
                    "Content-Length": String(form.utf8.count),
                ], form)
        },
    ]

    /// Creates an order of the user, which stays open.
    private static func order(
        _ method: String, _ template: String, _ shape: Shape, status: Int = 200, _ body: String = "",
        path: String? = nil
    ) -> ExpectedResponse {
        ExpectedResponse(provider: .alpaca, endpoint: "\(method) \(template)", status: status, shape: shape) {
            fixture in
            let placed = try await fixture.place(FakeAlpacaOrdersTests.resting(#","client_order_id":"mine""#))
            let id = try #require(placed["id"]?.string)
            return try await fixture.write(
                method, (path ?? template).replacing("{order_id}", with: id), body)
        }
    }

    static let alpacaOrders: [ExpectedResponse] = [
        ExpectedResponse(provider: .alpaca, endpoint: "POST /v2/orders", shape: .schema("alpaca", "Order")) {
            try await $0.write("POST", "/v2/orders", FakeAlpacaOrdersTests.market)
        },
        order("GET", "/v2/orders", .schema("alpaca", "OrderList")),
        order("GET", "/v2/orders/{order_id}", .schema("alpaca", "Order")),
        order(
            "GET", "/v2/orders:by_client_order_id", .schema("alpaca", "Order"),
            path: "/v2/orders:by_client_order_id?client_order_id=mine"),
        order("PATCH", "/v2/orders/{order_id}", .schema("alpaca", "Order"), #"{"qty":"1"}"#),
        order("DELETE", "/v2/orders/{order_id}", .empty, status: 204),
        order("DELETE", "/v2/orders", .schema("alpaca", "CancelAllOrders"), status: 207),
        ExpectedResponse(
            provider: .alpaca, endpoint: "DELETE /v2/positions/{symbol_or_asset_id}",
            shape: .schema("alpaca", "Order")
        ) { try await $0.write("DELETE", "/v2/positions/KO?qty=1") },
        ExpectedResponse(
            provider: .alpaca, endpoint: "DELETE /v2/positions", status: 207,
            shape: .schema("alpaca", "CloseAllPositions")
        ) { try await $0.write("DELETE", "/v2/positions?cancel_orders=true") },
    ]

    /// Creates a watchlist of the user, for requests by its id and by its name.
    private static func watchlist(
        _ method: String, rest: String = "", _ shape: Shape = .schema("alpaca", "Watchlist"),
        status: Int = 200, body: String = ""
    ) -> [ExpectedResponse] {
        ["/v2/watchlists/{watchlist_id}", "/v2/watchlists:by_name"].map { template in
            ExpectedResponse(
                provider: .alpaca, endpoint: "\(method) \(template)\(rest)", status: status, shape: shape
            ) { fixture in
                let made = try await fixture.write(
                    "POST", "/v2/watchlists", #"{"name":"mine","symbols":["AAPL","TSLA"]}"#)
                let id = try #require(try JSONValue(parsing: made.body)["id"]?.string)
                let path =
                    template.replacing("{watchlist_id}", with: id)
                    + rest.replacing("{symbol}", with: "AAPL")
                return try await fixture.write(
                    method, path + (template.hasSuffix("name") ? "?name=mine" : ""), body)
            }
        }
    }

    static let alpacaWatchlists: [ExpectedResponse] =
        [
            trading("/v2/watchlists", "WatchlistSummaryList"),
            ExpectedResponse(
                provider: .alpaca, endpoint: "POST /v2/watchlists", shape: .schema("alpaca", "Watchlist")
            ) { try await $0.write("POST", "/v2/watchlists", #"{"name":"new","symbols":["AAPL"]}"#) },
        ] + watchlist("GET") + watchlist("PUT", body: #"{"name":"other","symbols":["MSFT"]}"#)
        + watchlist("POST", body: #"{"symbol":"MSFT"}"#) + watchlist("DELETE", .empty, status: 204)
        + watchlist("DELETE", rest: "/{symbol}")
}
