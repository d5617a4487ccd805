import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's bars and news")
struct FakeAlpacaBarsTests {
    private func document(_ fixture: RunningSandbox, _ path: String) async throws -> JSONValue {
        let reply = try await fixture.data(path)
        try #require(reply.status == 200, "\(reply.body)")
        return try JSONValue(parsing: reply.body)
    }

    /// Escapes a token for a URL.
    private func escaped(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    @Test(
        "pages share their limit over all symbols, and together are the whole",
        arguments: ["asc", "desc"], [1, 7, 40, 10_000])
    func pages(sort: String, limit: Int) async throws {
        let path =
            "/v2/stocks/bars?symbols=TSLA,AAPL,NOSUCH,BRK.B&timeframe=1Day&start=2026-10-25&sort=\(sort)"
        try await withSandbox { fixture in
            let whole = try #require(try await document(fixture, path)["bars"]?.members)
            #expect(Set(whole.keys) == ["AAPL", "BRK.B", "TSLA"])
            var received: [String: [JSONValue]] = [:]
            var next: String? = ""
            for _ in 0..<1_000 {
                guard let token = next else { break }
                let query = token.isEmpty ? "" : "&page_token=\(escaped(token))"
                let page = try await document(fixture, path + "&limit=\(limit)" + query)
                let bars = try #require(page["bars"]?.members)
                let counts = bars.values.compactMap { $0.elements?.count }
                #expect(counts.reduce(0, +) <= limit && counts.allSatisfy { $0 > 0 })
                next = page["next_page_token"]?.string
                #expect(next == nil || counts.reduce(0, +) == limit)
                for (symbol, list) in bars { received[symbol, default: []] += list.elements ?? [] }
            }
            #expect(next == nil)
            #expect(received.mapValues(JSONValue.array) == whole)
            let times = try #require(whole["AAPL"]?.elements).compactMap { $0["t"]?.string }
            #expect(times == (sort == "asc" ? times.sorted() : times.sorted().reversed()))
        }
    }

    @Test("a day's bar in a series is the snapshot's", arguments: [Moment.midday, Moment.evening])
    func agreesWithSnapshot(moment: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let bars = try await document(
                fixture, "/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-11-17&sort=desc&limit=2")
            let snapshot = try await document(fixture, "/v2/stocks/AAPL/snapshot")
            #expect(bars["bars"]?["AAPL"]?[0] == snapshot["dailyBar"])
            #expect(bars["bars"]?["AAPL"]?[1] == snapshot["prevDailyBar"])
            let minute = try await document(fixture, "/v2/stocks/bars/latest?symbols=AAPL")
            #expect(minute["bars"]?["AAPL"] == snapshot["minuteBar"])
            let trade = try await document(fixture, "/v2/stocks/trades/latest?symbols=AAPL")
            #expect(trade["trades"]?["AAPL"] == snapshot["latestTrade"])
        }
    }

    @Test("one symbol's bars stand in a list, with its name beside")
    func single() async throws {
        try await withSandbox { fixture in
            let several = try await document(
                fixture, "/v2/stocks/bars?symbols=AAPL&timeframe=1Hour&start=2026-11-18")
            let one = try await document(fixture, "/v2/stocks/AAPL/bars?timeframe=1Hour&start=2026-11-18")
            #expect(one["bars"] == several["bars"]?["AAPL"])
            #expect(one["symbol"] == "AAPL")
            let none = try await document(fixture, "/v2/stocks/NOSUCH/bars?timeframe=1Day")
            #expect(none["bars"] == .null)
        }
    }

    @Test(
        "what does not fit is refused, and named",
        arguments: [
            ("symbols=AAPL", "timeframe is required"),
            ("symbols=AAPL&timeframe=60Min", "invalid timeframe: 60Min"),
            ("symbols=AAPL&timeframe=05Min", "invalid timeframe: 05Min"),
            ("symbols=AAPL&timeframe=24H", "invalid timeframe: 24H"),
            ("symbols=AAPL&timeframe=5Month", "invalid timeframe: 5Month"),
            ("symbols=AAPL&timeframe=2Day", "invalid timeframe: 2Day"),
            ("symbols=AAPL&timeframe=1Day&limit=10001", "invalid limit: must be between 1 and 10000"),
            ("symbols=AAPL&timeframe=1Day&sort=up", "invalid sort: up"),
            ("symbols=AAPL&timeframe=1Day&adjustment=raw,half", "invalid adjustment: raw,half"),
            ("symbols=AAPL&timeframe=1Day&feed=iox", "invalid feed: iox"),
            ("symbols=AAPL&timeframe=1Day&page_token=%21", "invalid page_token: !"),
            ("symbols=AAPL&timeframe=1Day&start=yesterday", "invalid start: yesterday"),
            (
                "symbols=AAPL&timeframe=1Day&start=2026-11-10&end=2026-11-09",
                "end should not be before start"
            ),
            ("symbols=aapl&timeframe=1Day", "code=400, message=invalid symbol: aapl"),
            ("timeframe=1Day", "symbols is required"),
        ])
    func refused(query: String, message: String) async throws {
        let reply = try await withSandbox { try await $0.data("/v2/stocks/bars?\(query)") }
        #expect(reply.status == 400)
        #expect(try JSONValue(parsing: reply.body) == .object(["message": .string(message)]))
    }

    @Test(
        "every length of bar that Alpaca has",
        arguments: ["1Min", "59T", "1Hour", "23H", "1D", "1Week", "12M"])
    func lengths(timeframe: String) async throws {
        try await withSandbox { fixture in
            let page = try await document(
                fixture,
                "/v2/stocks/bars?symbols=AAPL&timeframe=\(timeframe)&start=2024-01-01T05:00:00Z&limit=3")
            #expect(try #require(page["bars"]?["AAPL"]?.elements).count == 3)
        }
    }

    @Test("a plan without recent history of the consolidated tape is told so, unless it asks for less")
    func delayed() async throws {
        let paths = ["&feed=sip", "", "&feed=iex", "&feed=sip&end=2026-11-19T17:19:00Z"].map {
            "/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-11-10" + $0
        }
        try await withSandbox({ $0.alpaca.recentSIPDelay = .seconds(900) }) { fixture in
            var statuses: [Int?] = []
            for path in paths { statuses.append(try await fixture.data(path).status) }
            #expect(statuses == [403, 403, 200, 200])
        }
    }

    @Test("news come page by page, newest first unless asked otherwise", arguments: ["asc", "desc"])
    func news(sort: String) async throws {
        let path = "/v1beta1/news?symbols=AAPL,MSFT&start=2026-09-01&sort=\(sort)"
        try await withSandbox { fixture in
            let all = try #require(try await document(fixture, path + "&limit=50")["news"]?.elements)
            #expect(all.count == 50)
            var received: [JSONValue] = []
            var token = ""
            for _ in 0..<50 where received.count < 50 {
                let page = try await document(
                    fixture, path + "&limit=7" + (token.isEmpty ? "" : "&page_token=\(escaped(token))"))
                received += page["news"]?.elements ?? []
                token = try #require(page["next_page_token"]?.string)
            }
            #expect(Array(received.prefix(50)) == all)
            let times = all.compactMap { $0["created_at"]?.string }
            #expect(times == (sort == "asc" ? times.sorted() : times.sorted().reversed()))
            for story in all {
                let symbols = try #require(story["symbols"]?.elements).compactMap(\.string)
                #expect(!Set(symbols).isDisjoint(with: ["AAPL", "MSFT"]))
                #expect(story["content"] == "")
            }
        }
    }

    @Test("content comes when it is asked for, and stories without it can be left out")
    func content() async throws {
        try await withSandbox { fixture in
            let path = "/v1beta1/news?limit=50&include_content=true"
            let some = try #require(try await document(fixture, path)["news"]?.elements)
            #expect(some.contains { $0["content"] == "" } && some.contains { $0["content"] != "" })
            let full = try #require(
                try await document(fixture, path + "&exclude_contentless=true")["news"]?.elements)
            #expect(full.count == 50 && full.allSatisfy { $0["content"] != "" })
        }
    }
}
