import Brokerage
import TestSupport
import Testing

/// The home screen, the page of a stock and the goals of an app on Alpaca.
///
/// Sign-in and trading have tests of their own.
@Suite("Screens: home, a stock and goals at Alpaca")
struct HomeAndGoalScreenTests {
    private func withAlpaca(
        _ test: (RunningServer, RunningSandbox) async throws -> Void
    ) async throws {
        try await withSandboxProgram { sandbox in
            try await sandbox.closeMarket()
            var alpaca = Upstream(sandbox)
            alpaca.credential["PORTICO_POLYGON_KEY"] = "sandbox-polygon-demo"
            alpaca.credential["PORTICO_POLYGON_BASE_URL"] = "http://127.0.0.1:\(sandbox.port)/polygon"
            try await withServer(before: alpaca) { server in try await test(server, sandbox) }
        }
    }

    @Test("home: the total value, the line of the day, and each position")
    func home() async throws {
        try await withAlpaca { server, sandbox in
            let answer = try await server.show(Screen("accounts/home"))
            #expect(answer.failures.isEmpty, "\(answer.body)")
            let data = try #require(answer.json?["data"])
            // One call where the app's own server made two, and the app one more of it.
            let calls = try await sandbox.calls
            #expect(calls["GET /v2/account"] == 1 && calls["GET /v2/positions"] == 1)
            #expect(calls["GET /v2/account/portfolio/history"] == 1)

            let account = try await sandbox.alpaca("/alpaca/v2/account")
            #expect(data.at("account.equity")?.string != nil)
            #expect(data.at("account.equity") == account["equity"])
            let positions = try #require(data.at("account.positions")?.elements)
            let held = try #require(try await sandbox.alpaca("/alpaca/v2/positions").elements)
            #expect(!held.isEmpty && positions.count == held.count)
            for (position, sent) in zip(positions, held) {
                #expect(position["symbol"] == sent["symbol"])
                #expect(try position["quantity"]?.exact == sent["qty"]?.exact?.magnitude)
                #expect(position["averageEntryPrice"]?.exact == sent["avg_entry_price"]?.exact)
                #expect(position["marketValue"]?.exact == sent["market_value"]?.exact)
                #expect(position.at("quote.price")?.string != nil)
            }
            let history = try await sandbox.alpaca(
                "/alpaca/v2/account/portfolio/history?period=1D&timeframe=1Min")
            let line = try #require(history["equity"]?.elements).compactMap(\.exact)
            let points = try #require(data.at("account.history.points")?.elements)
            #expect(!line.isEmpty && points.map { $0["equity"]?.exact } == line)
            #expect(data.at("marketClock.open") == .bool(false))
        }
    }

    private static let stockPage = """
        query StockPage($symbol: String!, $last: Int!) {
          instrument(symbol: $symbol) {
            symbol name description assetClass exchange
            quote { price change changePercentage open high low volume }
            chart(interval: ONE_DAY, last: $last) { currency columns { time open high low close volume } }
            positions { quantity marketValue account { id } }
            inWatchlists { name }
            listings { provider tradable fractionable }
            news(first: 10) { nodes { headline source publishedAt url symbols } pageInfo { hasNextPage } }
          }
        }
        """

    @Test("a stock: its price, its chart, the position in it, and the news about it")
    func stock() async throws {
        try await withAlpaca { server, sandbox in
            let screen = Screen(document: Self.stockPage)
            let answer = try await server.show(screen, #"{"symbol":"AAPL","last":30}"#)
            #expect(answer.failures.isEmpty, "\(answer.body)")
            let stock = try #require(answer.json?["data"]?["instrument"])
            #expect(stock["name"]?.string?.hasPrefix("Apple Inc.") == true)
            #expect(stock["description"]?.string?.isEmpty == false)
            let snapshot = try await sandbox.alpaca("/alpaca-data/v2/stocks/snapshots?symbols=AAPL")
            let price = try #require(snapshot.at("AAPL.latestTrade.p")?.exact)
            #expect(stock.at("quote.price")?.exact == price)
            let columns = ["time", "open", "high", "low", "close", "volume"].map { name in
                stock.at("chart.columns.\(name)")?.elements?.count
            }
            #expect(columns == [30, 30, 30, 30, 30, 30])
            let held = try await sandbox.alpaca("/alpaca/v2/positions/AAPL")
            #expect(stock["positions"]?.elements?.count == 1)
            #expect(held["qty"]?.exact != nil)
            #expect(stock.at("positions.0.quantity")?.exact == held["qty"]?.exact)
            #expect(stock.at("positions.0.marketValue")?.exact == held["market_value"]?.exact)
            let news = try #require(stock.at("news.nodes")?.elements)
            #expect(!news.isEmpty)
            for article in news {
                #expect(article["headline"]?.string?.isEmpty == false)
                #expect(article["symbols"]?.elements?.contains("AAPL") == true)
            }
            let times = news.compactMap { $0["publishedAt"]?.string.flatMap { Instant($0) } }
            #expect(times.count == news.count && times == times.sorted(by: >))
            let alpaca = stock["listings"]?.elements?.first { $0["provider"] == "alpaca" }
            #expect(alpaca?["tradable"] == .bool(true))
        }
    }

    @Test("goals: one is added, and shown with its ring and the large one")
    func goals() async throws {
        try await withAlpaca { server, sandbox in
            let (goals, addGoal) = (try Screen("goals/goals"), try Screen("goals/create-goal"))
            let none = try await server.show(goals)
            #expect(none.json?["data"]?["goals"] == .array([]), "\(none.body)")
            #expect(none.json?.at("data.goalsProgress.progressPercentage") == .null)

            // "Tickers/Qty (Split by Space)": all of both.
            var worth: [String: Brokerage.Decimal] = [:]
            for symbol in ["AAPL", "KO", "MSFT"] {
                let position = try await sandbox.alpaca("/alpaca/v2/positions/\(symbol)")
                worth[symbol] = try #require(position["market_value"]?.exact)
            }
            func value(_ symbols: String...) throws -> Brokerage.Decimal {
                try symbols.reduce(.zero) { try $0 + #require(worth[$1]) }
            }
            let house = try await server.show(
                addGoal,
                """
                {"input":{"title":"House","description":"By the sea","target":"250000",
                 "allocations":[{"symbol":"AAPL"},{"symbol":"KO"}]}}
                """)
            #expect(house.failures.isEmpty, "\(house.body)")
            let made = house.json?.at("data.createGoal.goal")
            #expect(try made?["achieved"]?.exact == value("AAPL", "KO"))
            #expect(try made?["progressPercentage"]?.exact == value("AAPL", "KO").percent(of: 250_000))

            let boat = try await server.show(
                addGoal, #"{"input":{"title":"Boat","target":"10000","allocations":[{"symbol":"MSFT"}]}}"#)
            #expect(boat.failures.isEmpty, "\(boat.body)")
            let shown = try await server.show(goals)
            #expect(shown.failures.isEmpty, "\(shown.body)")
            let data = try #require(shown.json?["data"])
            #expect(data["goals"]?.elements?.map { $0["title"] } == ["House", "Boat"])
            #expect(data.at("goals.0.description") == "By the sea")
            // What is assigned to all goals over all targets.
            let all = try value("AAPL", "KO", "MSFT")
            #expect(data.at("goalsProgress.achieved")?.exact == all)
            #expect(data.at("goalsProgress.target")?.exact == 260_000)
            #expect(data.at("goalsProgress.progressPercentage")?.exact == all.percent(of: 260_000))
        }
    }

    @Test("goals: an unknown symbol is \"asset not found\", and no goal is added")
    func assetNotFound() async throws {
        try await withAlpaca { server, _ in
            let (goals, addGoal) = (try Screen("goals/goals"), try Screen("goals/create-goal"))
            let answer = try await server.show(
                addGoal,
                #"{"input":{"title":"House","target":"100","allocations":[{"symbol":"AAPL"},{"symbol":"NFLX"}]}}"#
            )
            #expect(answer.failures == [FieldFailure("createGoal", "ASSET_NOT_FOUND", nil)])
            #expect(
                answer.message
                    == #"Argument "input.allocations[1].symbol": No connected account holds NFLX."#)
            #expect(try await server.show(goals).json?["data"]?["goals"] == .array([]))
        }
    }

    @Test("goals: a broker that does not respond has no effect on what is held")
    func unreachable() async throws {
        try await withAlpaca { server, sandbox in
            let (goals, addGoal) = (try Screen("goals/goals"), try Screen("goals/create-goal"))
            let input = #"{"input":{"title":"House","target":"100","allocations":[{"symbol":"AAPL"}]}}"#
            try await sandbox.add(fault: #"{"effect":"status","status":403,"endpoint":"GET /v2/positions"}"#)
            let refused = try await server.show(addGoal, input)
            #expect(refused.failures == [FieldFailure("createGoal", "NOT_ENTITLED")], "\(refused.body)")
            #expect(try await server.show(goals).json?["data"]?["goals"] == .array([]))
        }
    }
}

extension Screen {
    fileprivate init(document: String) {
        self.document = document
    }
}
