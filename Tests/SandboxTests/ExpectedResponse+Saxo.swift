import Brokerage
import Sandbox
import TestSupport
import Testing

extension ExpectedResponse {
    private static func saxo(
        _ template: String, _ shape: String, _ query: String = "", path: String? = nil,
        schema: String = "saxo"
    ) -> ExpectedResponse {
        get(.saxo, template, schema, shape) { try await $0.saxo((path ?? template) + query) }
    }

    private static let client = "?ClientKey=\(FakeSaxoClient.demo.escapedKey)"
    private static let year = "FromDate=2025-11-20&ToDate=2026-11-19"

    private static func report(
        _ name: String, _ shape: String, _ rest: String = "", schema: String = "saxo"
    ) -> ExpectedResponse {
        let path = "/cs/v1/reports/\(name)/\(FakeSaxoClient.demo.escapedKey)"
        return saxo(
            "/cs/v1/reports/\(name)/{client_key}\(rest)", shape, rest.isEmpty ? "?\(year)" : "",
            path: rest.isEmpty ? path : path + "/2021-01-01/2026-11-19", schema: schema)
    }

    private static let details = "/ref/v1/instruments/details"

    static let saxo: [ExpectedResponse] = [
        saxo("/port/v1/clients/me", "Client"),
        saxo("/port/v1/accounts/me", "AccountPage"),
        saxo("/port/v1/balances", "Balance", client),
        saxo("/port/v1/balances/me", "Balance"),
        saxo("/port/v1/netpositions", "NetPositionPage", client),
        saxo("/port/v1/netpositions/me", "NetPositionPage"),
        saxo("/port/v1/closedpositions", "ClosedPositionPage", client),
        saxo("/port/v1/closedpositions/me", "ClosedPositionPage"),
        saxo("/port/v1/orders", "OpenOrderPage", client),
        saxo("/port/v1/orders/me", "OpenOrderPage"),
        saxo(
            "/port/v1/orders/{client_key}/{order_id}", "OpenOrderPage",
            path: "/port/v1/orders/\(FakeSaxoClient.demo.escapedKey)/\(open)"),
        saxo("/port/v1/positions", "SaxoPositionPage", client, schema: "supplement"),
        saxo("/port/v1/positions/me", "SaxoPositionPage", schema: "supplement"),
        get(.saxo, "/port/v1/positions/{position_id}", "supplement", "SaxoPosition") { fixture in
            let page = try await fixture.saxoDocument("/port/v1/positions/me")
            let id = try #require(page["Data"]?[0]?["PositionId"]?.string)
            return try await fixture.saxo("/port/v1/positions/\(id)\(client)")
        },
        saxo("/ref/v1/exchanges", "SaxoExchangePage", schema: "supplement"),
        saxo(
            "/ref/v1/exchanges/{exchange_id}", "SaxoExchange", path: "/ref/v1/exchanges/NASDAQ",
            schema: "supplement"),
        saxo(
            "/ref/v1/instruments/tradingschedule/{uic}/{asset_type}", "SaxoTradingSchedule",
            path: "/ref/v1/instruments/tradingschedule/211/Stock", schema: "supplement"),
        saxo("/root/v1/sessions/capabilities", "SaxoSessionCapabilities", schema: "supplement"),
        level("PATCH"), level("PUT"),
        get(.saxo, "/dm/v2/disclaimers", "supplement", "SaxoDisclaimerPage") { fixture in
            try await requireDisclaimer(fixture)
            return try await fixture.saxo("/dm/v2/disclaimers?DisclaimerTokens=DM-normal-2025")
        },
        ExpectedResponse(provider: .saxo, endpoint: "POST /dm/v2/disclaimers", shape: .empty) { fixture in
            try await requireDisclaimer(fixture)
            let check = try await fixture.saxo(
                "POST", "/trade/v2/orders/precheck", FakeSaxoOrderTests.order())
            let context = try #require(
                try JSONValue(parsing: check.body)["PreTradeDisclaimers"]?["DisclaimerContext"]?.string)
            return try await fixture.saxo(
                "POST", "/dm/v2/disclaimers",
                #"{"DisclaimerContext":"\#(context)","DisclaimerToken":"DM-normal-2025","ResponseType":"Accepted"}"#
            )
        },
        report("trades", "TradeReportPage"),
        report("bookings", "BookingPage"),
        report("closedPositions", "ClosedPositionReportPage", "/{from_date}/{to_date}"),
        report(
            "aggregatedAmounts", "SaxoAggregatedAmountPage", "/{from_date}/{to_date}", schema: "supplement"),
        saxo("/cs/v1/audit/orderactivities", "SaxoOrderActivityPage", client, schema: "supplement"),
        saxo(
            "/hist/v4/performance/timeseries", "PerformanceTimeseries", client + "&StandardPeriod=Quarter"),
        saxo("/hist/v4/performance/summary", "PerformanceSummary", client + "&" + year),
        saxo(
            "/hist/v3/accountvalues/{client_key}", "AccountValuesPage",
            path: "/hist/v3/accountvalues/\(FakeSaxoClient.demo.escapedKey)"),
        saxo("/trade/v1/infoprices", "InfoPrice", "?Uic=21&AssetType=FxSpot"),
        saxo("/trade/v1/infoprices/list", "InfoPricePage", "?Uics=16,21,999999&AssetType=FxSpot"),
        saxo("/chart/v3/charts", "Chart", "?AssetType=FxSpot&Uic=21&Horizon=60&Count=30"),
        saxo("/chart/v1/charts", "Chart", "?AssetType=Stock&Uic=211&Horizon=1440&Count=30"),
        saxo("/ref/v1/instruments", "InstrumentPage", "?Keywords=apple"),
        saxo(
            details, "SaxoInstrumentDetailsPage", "?Uics=211,21,4910&AssetTypes=Stock,FxSpot,StockIndex",
            schema: "supplement"),
        saxo(
            details + "/{uic}/{asset_type}", "SaxoInstrumentDetails", path: details + "/211/Stock",
            schema: "supplement"),
        saxo("/ref/v1/watchlists", "SaxoWatchlistPage", schema: "supplement"),
        saxo("/ref/v1/watchlists/{watchlist_id}", "WatchlistSeed", path: "/ref/v1/watchlists/4711002"),
    ]

    private static func requireDisclaimer(_ fixture: RunningSandbox) async throws {
        let body = #"{"required":["normal"]}"#
        let reply = try await fixture.client.send(
            "POST", "/_sandbox/saxo/disclaimers", ["Content-Length": "\(body.utf8.count)"], body)
        #expect(reply.status == 204, "\(reply.body)")
    }

    private static func level(_ method: String) -> ExpectedResponse {
        ExpectedResponse(
            provider: .saxo, endpoint: "\(method) /root/v1/sessions/capabilities", status: 202, shape: .empty
        ) {
            try await $0.saxo(
                method, "/root/v1/sessions/capabilities", #"{"TradeLevel":"FullTradingAndChat"}"#)
        }
    }

    /// The open order of the demonstration user.
    private static let open = "5014824029"

    static let saxoOrders: [ExpectedResponse] = ["/trade/v2/orders", "/trade/v1/orders"].flatMap { orders in
        let change = FakeSaxoOrderTests.order([
            "OrderId": "\"\(open)\"", "Uic": "16", "AssetType": "\"FxSpot\"", "Amount": "20000",
            "OrderType": "\"Limit\"", "OrderPrice": "7.05",
            "OrderDuration": #"{"DurationType":"GoodTillCancel"}"#,
        ])
        func expected(
            _ method: String, _ rest: String, _ shape: String, _ body: String, path: String
        ) -> ExpectedResponse {
            ExpectedResponse(
                provider: .saxo, endpoint: "\(method) \(orders)\(rest)", shape: .schema("saxo", shape)
            ) { try await $0.saxo(method, orders + path, body) }
        }
        let account = FakeSaxoOrderTests.accountQuery
        return [
            expected("POST", "", "OrderResult", FakeSaxoOrderTests.order(), path: ""),
            expected("PATCH", "", "OrderResult", change, path: ""),
            expected("POST", "/precheck", "PreCheckResult", FakeSaxoOrderTests.order(), path: "/precheck"),
            expected("DELETE", "", "CancelResult", "", path: "?\(account)&AssetType=FxSpot&Uic=16"),
            expected("DELETE", "/{order_ids}", "CancelResult", "", path: "/\(open)?\(account)"),
        ]
    }

    static let saxoStreaming: [ExpectedResponse] =
        [
            (
                "/trade/v1/prices/subscriptions", #"{"Uic":21,"AssetType":"FxSpot"}"#,
                Shape.schema("saxo", "PriceSubscription")
            ),
            (
                "/trade/v1/infoprices/subscriptions", #"{"Uics":"16,21","AssetType":"FxSpot"}"#,
                Shape.schema("supplement", "SaxoPriceListSubscription")
            ),
            (
                "/ens/v1/activities/subscriptions", #"{"Activities":["Orders"]}"#,
                Shape.schema("supplement", "SaxoOrderEventSubscription")
            ),
        ].flatMap { path, arguments, shape in
            let body = #"{"Arguments":\#(arguments),"ContextId":"ctx","ReferenceId":"r","Tag":"t"}"#
            func removal(_ rest: String, _ path: String) -> ExpectedResponse {
                ExpectedResponse(provider: .saxo, endpoint: "DELETE \(rest)", status: 202, shape: .empty) {
                    fixture in
                    _ = try await fixture.saxo("POST", path, body)
                    return try await fixture.saxo(
                        "DELETE",
                        rest.replacing("{context_id}", with: "ctx").replacing("{reference_id}", with: "r"), ""
                    )
                }
            }
            return [
                ExpectedResponse(provider: .saxo, endpoint: "POST \(path)", status: 201, shape: shape) {
                    try await $0.saxo("POST", path, body)
                },
                removal(path + "/{context_id}", path),
                removal(path + "/{context_id}/{reference_id}", path),
            ]
        }

    private static let login =
        "/saxo-auth/authorize?response_type=code&client_id=sandbox-saxo-app&state=s"
        + "&redirect_uri=\(FakeSaxoOAuthTests.redirect)"

    static let saxoLogin: [ExpectedResponse] = [
        ExpectedResponse(
            provider: .saxo, endpoint: "GET /authorize", shape: .type("text/html; charset=UTF-8")
        ) {
            try await $0.client.get(login)
        },
        ExpectedResponse(provider: .saxo, endpoint: "POST /authorize", status: 302, shape: .empty) {
            fixture in
            let page = try await fixture.client.get(login)
            return try await fixture.client.post(
                "/saxo-auth/authorize", FakeAlpacaOAuthTests.approval(page.body, decision: "approve"))
        },
        ExpectedResponse(
            provider: .saxo, endpoint: "POST /token", status: 201, shape: .schema("saxo", "OAuthToken")
        ) { fixture in
            let form =
                "grant_type=refresh_token&refresh_token=\(FakeSaxoClient.demo.credentials.refreshToken)"
            return try await fixture.client.send(
                "POST", "/saxo-auth/token",
                FakeSaxoOAuthTests.basic.merging(["Content-Length": "\(form.utf8.count)"]) { $1 }, form)
        },
        // The context has no listener: other tests cover the renewal of an open stream's token.
        ExpectedResponse(provider: .saxo, endpoint: "PUT /authorize", status: 404, shape: .empty) {
            try await $0.client.send(
                "PUT", "/saxo-streaming/authorize?contextid=ctx", RunningSandbox.saxoDemo)
        },
    ]
}
