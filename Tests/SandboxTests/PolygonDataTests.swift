import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("What Polygon's stand-in tells")
struct PolygonDataTests {
    private func bars(
        _ fixture: RunningSandbox, _ path: String, key: String = FakePolygonSettings.realtimeKey
    )
        async throws
        -> [JSONValue]
    {
        let document = try await fixture.polygonDocument("/v2/aggs/ticker/" + path, key: key)
        return document["results"]?.elements ?? []
    }

    @Test("days are Alpaca's, and begin at midnight in New York, in milliseconds")
    func days() async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.data("/v2/stocks/snapshots?symbols=AAPL")
            let alpaca = try #require(JSONValue(parsing: reply.body)["AAPL"])
            let days = try await bars(fixture, "AAPL/range/1/day/2026-11-16/2026-11-20")
            #expect(days.count == 4)
            for (day, name) in [(days[3], "dailyBar"), (days[2], "prevDailyBar")] {
                for member in ["o", "h", "l", "c", "v", "n", "vw"] {
                    #expect(day[member] == alpaca[name]?[member])
                }
            }
            // The 19th, 05:00 in UTC.
            #expect(days[3]["t"] == 1_795_064_400_000)
            let previous = try await bars(fixture, "AAPL/prev")
            #expect(previous.first?["T"] == "AAPL" && previous.first?["c"] == days[2]["c"])
            #expect(previous.first?["t"] == days[2]["t"])
            let descending = try await bars(fixture, "AAPL/range/1/day/2026-11-16/2026-11-20?sort=desc")
            #expect(descending == days.reversed())
        }
    }

    @Test(
        "windows of every length join the days that lie in them",
        arguments: [
            // The first of each: Sunday the 25th of October; the first of months, quarters and years.
            ("1/week", 1_792_900_800_000, 4), ("1/month", 1_790_827_200_000, 2),
            ("1/quarter", 1_790_827_200_000, 1), ("1/year", 1_767_243_600_000, 1),
            ("2/day", 1_793_073_600_000, 10), ("6/month", 1_782_878_400_000, 1),
        ])
    func windows(window: String, first: Int, count: Int) async throws {
        try await withSandbox { fixture in
            let range = "2026-10-27/2026-11-21"
            let days = try await bars(fixture, "AAPL/range/1/day/" + range)
            let windows = try await bars(fixture, "AAPL/range/\(window)/" + range)
            #expect(windows.first?["t"] == JSONValue(integerLiteral: first))
            #expect(windows.count == count)
            func total(_ bars: [JSONValue]) throws -> Decimal {
                try bars.reduce(.zero) { try $0 + decimal($1["v"]) }
            }
            #expect(try total(windows) == total(days))
            #expect(windows.first?["o"] == days.first?["o"] && windows.last?["c"] == days.last?["c"])
            let high = try windows.map { try decimal($0["h"]) }.max()
            #expect(try high == days.map { try decimal($0["h"]) }.max())
        }
    }

    @Test("hours are those of the clock, and have the minutes of trading before and after the market's")
    func hours() async throws {
        try await withSandbox { fixture in
            let hours = try await bars(fixture, "AAPL/range/1/hour/2026-11-18/2026-11-18?limit=50000")
            #expect(hours.count == 16)
            // 04:00 in New York.
            #expect(hours.first?["t"] == 1_794_992_400_000)
            let minutes = try await bars(fixture, "AAPL/range/1/minute/2026-11-18/2026-11-18?limit=50000")
            let nine = 1_794_992_400_000 + 5 * 3_600_000
            let inside = minutes.filter { minute in
                (Int(minute["t"]?.digits ?? "") ?? 0) / 3_600_000 == nine / 3_600_000
            }
            #expect(inside.count <= 60 && inside.count > 30)
            let hour = try #require(hours.first { $0["t"] == JSONValue(integerLiteral: nine) })
            #expect(try decimal(hour["h"]) == inside.map { try decimal($0["h"]) }.max())
            let quarters = try await bars(fixture, "AAPL/range/15/minute/2026-11-18/2026-11-18?limit=50000")
            #expect(quarters.count == 64)
        }
    }

    @Test(
        "the limit counts base bars; the pages together are the whole, each window once",
        arguments: [
            "AAPL/range/1/day/2026-10-01/2026-11-21?limit=7",
            "AAPL/range/1/week/2026-08-01/2026-11-21?limit=12",
            "AAPL/range/1/hour/2026-11-17/2026-11-19?limit=250",
            "AAPL/range/1/week/2026-08-01/2026-11-21?limit=12&sort=desc",
            "AAPL/range/1/hour/2026-11-17/2026-11-19?limit=250&sort=desc",
            "C:EURUSD/range/1/day/2026-10-01/2026-11-19?limit=5",
        ])
    func pages(path: String) async throws {
        try await withSandbox { fixture in
            let pages = try await fixture.polygonPages("/v2/aggs/ticker/" + path)
            #expect(pages.count > 2)
            let limit = try #require(path.split(separator: "limit=").last?.split(separator: "&").first)
            let schema = try Golden.schema(of: "polygon").definition("Aggs")
            for page in pages {
                #expect(schema.violations(in: page) == [])
                #expect((Int(page["queryCount"]?.digits ?? "") ?? .max) <= (Int(limit) ?? 0))
                #expect(
                    page["resultsCount"] == JSONValue(integerLiteral: page["results"]?.elements?.count ?? 0))
            }
            let whole = try await bars(fixture, path.replacing("limit=\(limit)", with: "limit=50000"))
            #expect(pages.flatMap { $0["results"]?.elements ?? [] } == whole)
        }
    }

    @Test("nothing is a success without results", arguments: ["NOSUCH", "aapl", "BRK-B", "SPX", "EURUSD"])
    func nothing(ticker: String) async throws {
        try await withSandbox { fixture in
            for path in ["/range/1/day/2026-11-01/2026-11-19", "/prev"] {
                let document = try await fixture.polygonDocument("/v2/aggs/ticker/\(ticker)\(path)")
                #expect(document["results"] == nil && document["resultsCount"] == 0)
                #expect(document["status"] == "OK")
            }
        }
    }

    @Test("a plan sees the market as it is, a quarter of an hour ago, or when the last day was over")
    func plans() async throws {
        try await withSandbox { fixture in
            let path = "AAPL/range/1/minute/2026-11-18/2026-11-19?limit=50000&sort=desc"
            let realtime = try await bars(fixture, path)
            let delayed = try await bars(fixture, path, key: FakePolygonSettings.delayedKey)
            let free = try await bars(fixture, path, key: FakePolygonSettings.demoKey)
            // 12:34 in New York, 12:19, and 19:59 of the day before.
            #expect(realtime.first?["t"] == 1_795_109_640_000)
            #expect(delayed.first?["t"] == 1_795_108_740_000)
            #expect(free.first?["t"] == 1_795_049_940_000)
            let status = try await fixture.polygonDocument(
                "/v2/aggs/ticker/AAPL/prev", key: FakePolygonSettings.delayedKey)
            #expect(status["status"] == "DELAYED")
        }
    }

    @Test(
        "news pages together are the whole, in either order, each story once",
        arguments: ["order=desc", "order=asc"])
    func newsPages(order: String) async throws {
        try await withSandbox { fixture in
            let query = "/v2/reference/news?ticker=AAPL&published_utc.gte=2026-06-01&\(order)&limit="
            let pages = try await fixture.polygonPages(query + "7")
            #expect(pages.count > 3)
            let stories = pages.flatMap { $0["results"]?.elements ?? [] }
            let whole = try await fixture.polygonDocument(query + "1000")
            #expect(whole["results"]?.elements == stories && whole["next_url"] == nil)
            #expect(stories.allSatisfy { $0["tickers"]?.elements?.contains("AAPL") == true })
            let times = try stories.map { try #require($0["published_utc"]?.string) }
            #expect(times == (order == "order=asc" ? times.sorted() : times.sorted().reversed()))
            #expect(
                stories.contains { $0["description"] == nil } && stories.contains { $0["insights"] != nil })
            for page in pages {
                let schema = try Golden.schema(of: "polygon").definition("News")
                #expect(schema.violations(in: page) == [])
            }
        }
    }

    @Test("news can be asked for by time and by range of tickers")
    func newsRanges() async throws {
        try await withSandbox { fixture in
            func stories(_ query: String) async throws -> [JSONValue] {
                let document = try await fixture.polygonDocument("/v2/reference/news?limit=1000&" + query)
                return document["results"]?.elements ?? []
            }
            let day = try await stories("published_utc=2026-11-17")
            #expect(!day.isEmpty)
            #expect(day.allSatisfy { $0["published_utc"]?.string?.hasPrefix("2026-11-17T") == true })
            let between = try await stories("published_utc.gte=2026-11-17&published_utc.lt=2026-11-18")
            #expect(between == day)
            let last = try #require(day.last?["published_utc"]?.string)
            let after = try await stories("published_utc.gt=\(last)&published_utc.lte=2026-11-17")
            #expect(
                after.count < day.count && after == day.filter { $0["published_utc"]?.string ?? "" > last })
            let range = try await stories("published_utc=2026-11-17&ticker.gte=T&ticker.lt=U")
            let symbols = ["T", "TSLA"]
            #expect(
                range
                    == day.filter { story in
                        story["tickers"]?.elements?.contains { symbols.contains($0.string ?? "") } == true
                    })
            #expect(try await stories("published_utc.gt=2026-11-19").isEmpty)
        }
    }

    @Test("a share that is not listed any more is found as an inactive ticker only, and has bars until then")
    func delisted() async throws {
        let last = try #require(CalendarDate("2026-06-30"))
        try await withSandbox({ $0.polygon.delistings = ["INTC": last] }) { fixture in
            for (active, count) in [("true", 0), ("false", 1)] {
                let list = try await fixture.polygonDocument(
                    "/v3/reference/tickers?ticker=INTC&active=\(active)&limit=1")
                #expect(list["results"]?.elements?.count == count)
                #expect(count == 0 || list["results"]?[0]?["active"] == .bool(false))
                #expect(count == 0 || list["results"]?[0]?["delisted_utc"] == "2026-06-30T04:00:00Z")
            }
            #expect(try await fixture.polygon("/v3/reference/tickers/INTC").status == 404)
            for (from, to, count) in [("2026-06-22", "2026-11-19", 7), ("2026-07-01", "2026-11-19", 0)] {
                let bars = try await fixture.polygonDocument(
                    "/v2/aggs/ticker/INTC/range/1/day/\(from)/\(to)")
                #expect(bars["resultsCount"] == JSONValue(integerLiteral: count))
            }
            let previous = try await fixture.polygonDocument("/v2/aggs/ticker/INTC/prev")
            #expect(previous["results"] == nil)
            let snapshots = try await fixture.polygonDocument(
                "/v2/snapshot/locale/us/markets/stocks/tickers?tickers=INTC,IBM")
            #expect(snapshots["tickers"]?.elements?.map { $0["ticker"]?.string } == ["IBM"])
        }
    }

    @Test("tickers are found by search and by filters, page by page")
    func tickers() async throws {
        try await withSandbox { fixture in
            func tickers(_ query: String) async throws -> [String?] {
                let document = try await fixture.polygonDocument("/v3/reference/tickers?" + query)
                return document["results"]?.elements?.map { $0["ticker"]?.string } ?? []
            }
            #expect(try await tickers("search=berkshire") == ["BRK.A", "BRK.B"])
            #expect(try await tickers("search=berkshire&order=desc") == ["BRK.B", "BRK.A"])
            #expect(try await tickers("ticker=AAPL") == ["AAPL"])
            #expect(try await tickers("type=ETF") == ["GLD", "IWM", "QQQ", "SPY", "VTI"])
            #expect(try await tickers("market=indices") == ["I:DJI", "I:NDX", "I:SPX"])
            #expect(try await tickers("exchange=XNAS&ticker.gte=S&ticker.lt=U") == ["SBUX", "TSLA"])
            #expect(try await tickers("cik=0000320193") == ["AAPL"])
            #expect(try await tickers("active=false").isEmpty)
            let pages = try await fixture.polygonPages("/v3/reference/tickers?limit=9&market=stocks")
            let paged = pages.flatMap { $0["results"]?.elements ?? [] }
            #expect(pages.count == 6)
            let whole = try await fixture.polygonDocument("/v3/reference/tickers?limit=1000&market=stocks")
            #expect(whole["results"]?.elements == paged)
            let odd = try await fixture.polygonDocument("/v3/reference/tickers?search=a%26b%3D%25")
            #expect(odd["count"] == 0)
        }
    }

    @Test("details tell of the company; the logo takes the key")
    func details() async throws {
        try await withSandbox { fixture in
            let apple = try await fixture.polygonDocument("/v3/reference/tickers/AAPL")["results"]
            #expect(apple?["name"] == "Apple Inc." && apple?["currency_name"] == "usd")
            #expect(apple?["primary_exchange"] == "XNAS" && apple?["type"] == "CS")
            #expect(apple?["description"]?.string?.hasPrefix("Apple Inc. designs phones") == true)
            let trade = try await fixture.data("/v2/stocks/snapshots?symbols=AAPL")
            let price = try decimal(JSONValue(parsing: trade.body)["AAPL"]?["latestTrade"]?["p"])
            #expect(try decimal(apple?["market_cap"]) == price * 14_800_000_000)
            let logo = try #require(apple?["branding"]?["logo_url"]?.string)
            let path = String(logo.dropFirst(fixture.sandbox.polygon.baseURL.count))
            #expect(try await fixture.polygon(path).headers["content-type"] == "image/svg+xml")
            #expect(try await fixture.polygon(path, key: nil).status == 401)
            let berkshire = try await fixture.polygonDocument("/v3/reference/tickers/BRK.B")["results"]
            #expect(berkshire?["ticker_root"] == "BRK" && berkshire?["ticker_suffix"] == "B")
            let euro = try await fixture.polygonDocument("/v3/reference/tickers/C:EURJPY")["results"]
            #expect(euro?["currency_name"] == "jpy" && euro?["market"] == "fx")
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL"])
            let unpriced = try await fixture.polygonDocument("/v3/reference/tickers/AAPL")["results"]
            #expect(unpriced?["market_cap"] == nil)
        }
    }
}
