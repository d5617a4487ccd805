import Sandbox
import TestSupport
import Testing

/// Favorites, search and charts by a free key of Alpha Vantage, which allowed five calls a minute.
@Suite("Screens: favorites, search and charts by Alpha Vantage")
struct WatchlistScreenTests {
    private func withAlphaVantage(
        _ test: (RunningServer, Sandbox) async throws -> Void
    ) async throws {
        try await withSandbox(configured: { configuration in
            configuration.alphaVantage.requestsPerMinute = 5
            configuration.alphaVantage.burstInterval = nil
        }) { sandbox in
            var environment = alphaVantage(sandbox, data: nil)
            environment["PORTICO_ALPHA_VANTAGE_PER_MINUTE"] = "5"
            try await withOwnersServer(environment) { server in try await test(server, sandbox) }
        }
    }

    /// Makes the list of favourites, and tells its id.
    private func favourites(_ symbols: String, _ server: RunningServer) async throws -> String {
        let answer = try await server.ask(
            """
            mutation { createWatchlist(input: { name: "Favourites", symbols: \(symbols) }) { watchlist { id } } }
            """, token: ownerToken)
        return try #require(
            answer.json?.at("data.createWatchlist.watchlist.id")?.string, "\(answer.body)")
    }

    @Test("search: hits show whether they are favourites, and change")
    func search() async throws {
        try await withAlphaVantage { server, sandbox in
            let (screen, text) = (try Screen("markets/search"), #"{"text":"apple"}"#)
            func lists() async throws -> [JSONValue] {
                let answer = try await server.show(screen, text)
                #expect(answer.failures.isEmpty, "\(answer.body)")
                let hits = answer.json?.at("data.search")?.elements
                let hit = hits?.first { $0.at("symbol") == "AAPL" && $0.at("provider") == "alpha-vantage" }
                return try #require(hit?.at("instrument.inWatchlists")?.elements, "\(answer.body)")
            }
            #expect(try await lists().isEmpty)
            let id = try await favourites(#"["AAPL"]"#, server)
            #expect(try await lists().map { $0["name"] } == ["Favourites"])
            for (mutation, count) in [("removeFromWatchlist", 0), ("addToWatchlist", 1)] {
                let changed = try await server.ask(
                    "mutation { \(mutation)(id: \"\(id)\", symbols: [\"AAPL\"]) { watchlist { id } } }",
                    token: ownerToken)
                #expect(changed.failures.isEmpty, "\(changed.body)")
                #expect(try await lists().count == count)
            }
            // A search, and a look-up of the favourite: the rest was known.
            #expect(sandbox.calls.total == 2)
        }
    }

    @Test("home: each favourite with its price and its hourly line; an error where the quota is exhausted")
    func home() async throws {
        try await withAlphaVantage { server, sandbox in
            let screen = try Screen("watchlists/watchlist-charts")
            let id = try await favourites(#"["AAPL"]"#, server)
            // However many look at it.
            try await withThrowingTaskGroup(of: RawResponse.self) { group in
                for _ in 0..<20 { group.addTask { try await server.show(screen) } }
                for try await answer in group {
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                    let item = answer.json?.at("data.watchlists.0.items.0")
                    #expect(item?["symbol"] == "AAPL" && item?["name"]?.string != nil)
                    #expect(item?.at("quote.price")?.string != nil && item?.at("quote.change")?.string != nil)
                    #expect(item?.at("chart.columns.close")?.elements?.count == 24)
                }
            }
            let added = try await server.ask(
                "mutation { addToWatchlist(id: \"\(id)\", symbols: [\"MSFT\"]) { watchlist { id } } }",
                token: ownerToken)
            #expect(added.failures.isEmpty, "\(added.body)")
            let answer = try await server.show(screen)
            #expect(sandbox.calls.total <= 5)
            let items = try #require(answer.json?.at("data.watchlists.0.items")?.elements)
            #expect(items.map { $0["symbol"] } == ["AAPL", "MSFT"])
            #expect(items[0].at("quote.price")?.string != nil)
            // The new one needs two calls where one is left.
            #expect(!answer.failures.isEmpty)
            #expect(answer.failures.allSatisfy { $0.path?.hasPrefix("watchlists.0.items.1.") == true })
            for error in try #require(answer.json?["errors"]?.elements) {
                #expect(error.at("extensions.code") == "QUOTA_EXHAUSTED")
                #expect(error.at("extensions.retryAt")?.string != nil)
            }
        }
    }

    @Test("a stock: its quote and four time series take five calls, and none when repeated")
    func series() async throws {
        try await withAlphaVantage { server, sandbox in
            let query = """
                { quote(symbol: "AAPL") { price change changePercentage open high low volume }
                  hourly: chart(symbol: "AAPL", interval: ONE_HOUR, last: 24) { ...Line }
                  daily: chart(symbol: "AAPL", interval: ONE_DAY, last: 100) { ...Line }
                  weekly: chart(symbol: "AAPL", interval: ONE_WEEK, last: 104) { ...Line }
                  monthly: chart(symbol: "AAPL", interval: ONE_MONTH, last: 120) { ...Line } }
                fragment Line on Chart { interval columns { time close } }
                """
            let first = try await server.ask(query, token: ownerToken)
            #expect(first.failures.isEmpty, "\(first.body)")
            let data = try #require(first.json?["data"])
            for figure in ["price", "change", "open", "high", "low", "volume"] {
                #expect(data.at("quote.\(figure)")?.string != nil, "\(figure)")
            }
            for (name, interval, count) in [
                ("hourly", "ONE_HOUR", 24), ("daily", "ONE_DAY", 100), ("weekly", "ONE_WEEK", 104),
                ("monthly", "ONE_MONTH", 120),
            ] {
                #expect(data.at("\(name).interval")?.string == interval)
                #expect(data.at("\(name).columns.close")?.elements?.count == count)
                let times = data.at("\(name).columns.time")?.elements?.compactMap(\.exact) ?? []
                #expect(times.count == count && times == times.sorted())
            }
            #expect(sandbox.calls.total == 5)
            // The minute's quota is spent: what is shown again is what is known.
            let again = try await server.ask(query, token: ownerToken)
            #expect(again.failures.isEmpty, "\(again.body)")
            #expect(again.json?["data"]?["monthly"] == data["monthly"])
            #expect(sandbox.calls.total == 5)
        }
    }

    @Test("a stock's page, which takes six calls, is complete except for the one without quota")
    func page() async throws {
        try await withAlphaVantage { server, sandbox in
            let answer = try await server.show(Screen("markets/stock-charts"), #"{"symbol":"AAPL"}"#)
            #expect(sandbox.calls.total == 5)
            #expect(answer.failures.map(\.code) == ["QUOTA_EXHAUSTED"], "\(answer.body)")
            #expect(answer.json?.at("errors.0.extensions.retryAt")?.string != nil)
            let stock = try #require(answer.json?.at("data.instrument"))
            #expect(stock["symbol"] == "AAPL" && stock["inWatchlists"] == .array([]))
            let parts = ["quote", "hourly", "daily", "weekly", "monthly"].filter { stock[$0] != .null }
            #expect(parts.count == 4)
        }
    }
}
