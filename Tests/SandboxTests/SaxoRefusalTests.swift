import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("What Saxo's stand-in refuses")
struct SaxoRefusalTests {
    @Test(
        "a missing, wrong or foreign token is a 401 without a body",
        arguments: [
            [:], ["Authorization": "Bearer nobody"], ["Authorization": "Basic abc"],
            ["Authorization": "Bearer sandbox-demo-token"],
        ])
    func unauthorized(headers: [String: String]) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.saxo("/port/v1/clients/me", headers)
            #expect(reply.status == 401)
            #expect(reply.body.isEmpty && reply.isWhole && reply.headers["x-correlation"] != nil)
        }
    }

    @Test("another client's keys are a 401 too", arguments: ["balances", "netpositions", "orders"])
    func foreign(service: String) async throws {
        let other = FakeSaxoClient.second
        let account = FakeSaxoClient.escaped(other.accounts[0].key)
        try await withSandbox { fixture in
            for query in [
                "ClientKey=\(other.escapedKey)",
                "AccountKey=\(account)&ClientKey=\(FakeSaxoClient.demo.escapedKey)",
            ] {
                let reply = try await fixture.saxo("/port/v1/\(service)?\(query)")
                #expect(reply.status == 401 && reply.body.isEmpty)
            }
        }
    }

    @Test(
        "what is not there is a 404 without a body",
        arguments: [
            "/port/v1/nothing", "/ref/v1/instruments/details/1/Stock", "/ref/v1/instruments/details/x/Stock",
            "/ref/v1/instruments/details/211/Bond", "/chart/v3/charts?AssetType=Stock&Uic=1&Horizon=60",
            // Available in older deployments only.
            "/chart/v1/charts?AssetType=FxSpot&Uic=21&Horizon=60",
            // Not available to every app.
            "/ref/v1/watchlists", "/ref/v1/watchlists/4711001",
        ])
    func notFound(path: String) async throws {
        try await withSandbox({ $0.saxo.servesWatchlists = false }) { fixture in
            let reply = try await fixture.saxo(path)
            #expect(reply.status == 404 && reply.body.isEmpty)
        }
    }

    @Test(
        "a parameter that does not fit is named",
        arguments: [
            ("/port/v1/balances", "ClientKey"), ("/port/v1/netpositions/me?$top=0", "$top"),
            ("/port/v1/netpositions/me?$skip=-1", "$skip"),
            ("/port/v1/netpositions/me?$inlinecount=Some", "$inlinecount"),
            ("/trade/v1/infoprices?AssetType=FxSpot", "Uic"), ("/trade/v1/infoprices?Uic=21", "AssetType"),
            ("/trade/v1/infoprices/list?Uics=21,x&AssetType=FxSpot", "Uics"),
            ("/trade/v1/infoprices/list?Uics=21&AssetType=Nothing", "AssetType"),
            ("/chart/v3/charts?AssetType=FxSpot&Uic=21", "Horizon"),
            ("/chart/v3/charts?AssetType=FxSpot&Uic=21&Horizon=7", "Horizon"),
            ("/chart/v3/charts?AssetType=FxSpot&Uic=21&Horizon=60&Count=1201", "Count"),
            ("/chart/v3/charts?AssetType=FxSpot&Uic=21&Horizon=60&Time=now", "Time"),
            ("/chart/v3/charts?AssetType=FxSpot&Uic=21&Horizon=60&Time=2026-11-01T00:00:00Z", "Mode"),
        ])
    func invalid(path: String, field: String) async throws {
        let reply = try await withSandbox { try await $0.saxo(path) }
        let document = try JSONValue(parsing: reply.body)
        #expect(reply.status == 400)
        #expect(try Golden.schema(of: "saxo").definition("Error").violations(in: document) == [])
        let fields = try #require(document["ModelState"]?.members).keys
        #expect(Array(fields) == [field])
    }

    @Test("more prices than a list may hold are refused")
    func tooMany() async throws {
        try await withSandbox({ $0.saxo.priceListMaximum = 2 }) { fixture in
            for (uics, status) in [("16,21", 200), ("16,21,42", 400)] {
                let reply = try await fixture.saxo("/trade/v1/infoprices/list?Uics=\(uics)&AssetType=FxSpot")
                #expect(reply.status == status)
            }
        }
    }

    @Test("every service group has its own 120 a minute, and tells the seconds until more")
    func limits() async throws {
        try await withSandbox(at: "2026-11-19T17:34:20Z", { $0.saxo.requestsPerMinute = 3 }) { fixture in
            for remaining in [2, 1, 0] {
                let reply = try await fixture.saxo("/port/v1/clients/me")
                #expect(reply.status == 200)
                #expect(reply.headers["x-ratelimit-session-limit"] == "3")
                #expect(reply.headers["x-ratelimit-session-remaining"] == String(remaining))
                #expect(reply.headers["x-ratelimit-session-reset"] == "40")
                #expect(reply.headers["x-ratelimit-appday-limit"] == "10000000")
            }
            let refused = try await fixture.saxo("/port/v1/balances/me")
            #expect(refused.status == 429)
            #expect(try JSONValue(parsing: refused.body)["ErrorCode"] == "RateLimitExceeded")
            #expect(refused.headers["x-ratelimit-session-remaining"] == "0")
            #expect(try await fixture.saxo("/ref/v1/instruments").status == 200)
            #expect(try await fixture.saxo("/port/v1/clients/me", RunningSandbox.saxoSecond).status == 200)
            fixture.sandbox.reset()
            #expect(try await fixture.saxo("/port/v1/clients/me").status == 200)
        }
    }

    @Test("calls are counted and faults strike by the names of the routes")
    func faults() async throws {
        try await withSandbox { fixture in
            let fault = Fault(
                .status(503, retryAfter: 2), provider: .saxo, endpoint: "GET /port/v1/balances/me",
                remaining: 1)
            #expect(fixture.sandbox.faults.add(fault))
            let struck = try await fixture.saxo("/port/v1/balances/me")
            #expect(struck.status == 503 && struck.headers["retry-after"] == "2")
            #expect(try await fixture.saxo("/port/v1/balances/me").status == 200)
            #expect(fixture.sandbox.calls[.saxo, "GET /port/v1/balances/me"] == 2)
            #expect(fixture.sandbox.faults.add(Fault(.expiredToken, provider: .saxo, remaining: 1)))
            let expired = try await fixture.saxo("/port/v1/clients/me")
            #expect(expired.status == 401 && expired.body.isEmpty)
        }
    }
}

@Suite("Saxo's older endpoints")
struct SaxoOldEndpointTests {
    @Test("are answered where the switch is on")
    func old() async throws {
        try await withSandbox({ $0.saxo.servesOldEndpoints = true }) { fixture in
            let schema = try Golden.schema(of: "saxo")
            let chart = try await fixture.saxoDocument(
                "/chart/v1/charts?AssetType=FxSpot&Uic=21&Horizon=60&Count=5")
            #expect(try schema.definition("Chart").violations(in: chart) == [])
            let lists = try await fixture.saxoDocument("/ref/v1/watchlists")
            for list in try #require(lists["Data"]?.elements) {
                let id = try #require(list["WatchlistId"]?.string)
                let watchlist = try await fixture.saxoDocument("/ref/v1/watchlists/\(id)")
                #expect(try schema.definition("WatchlistSeed").violations(in: watchlist) == [])
            }
            let cancelled = try await fixture.saxo(
                "DELETE",
                "/trade/v1/orders/5014824029?AccountKey=\(FakeSaxoClient.escaped(FakeSaxoClient.demo.accounts[0].key))",
                "")
            #expect(cancelled.body == #"{"Orders":[{"OrderId":"5014824029"}]}"#)
            let subscription = try await fixture.saxo(
                "POST", "/trade/v1/prices/subscriptions",
                #"{"Arguments":{"Uics":"16,21","AssetType":"FxSpot"},"ContextId":"c","ReferenceId":"r"}"#)
            #expect(subscription.status == 201)
            #expect(try JSONValue(parsing: subscription.body)["Snapshot"]?["Data"]?.elements?.count == 2)
        }
    }

    @Test("horizons that came later are not known to the first version")
    func horizons() async throws {
        try await withSandbox({ $0.saxo.servesOldEndpoints = true }) { fixture in
            for (version, status) in [("v1", 400), ("v3", 200)] {
                let reply = try await fixture.saxo(
                    "/chart/\(version)/charts?AssetType=FxSpot&Uic=21&Horizon=180&Count=2")
                #expect(reply.status == status)
            }
        }
    }
}
