import Alpaca
import Brokerage
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

@Suite("A list of Alpaca with an unusual row")
struct RowTests {
    /// A list: its response with three rows, and the other rows and the failures that are read from a response.
    struct List: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let example: String
        /// The row of the example that is varied.
        let row: @Sendable (JSONValue) throws -> JSONValue
        let body: @Sendable (_ row: String) -> String
        /// What is read of the rows before and after.
        let read: @Sendable (_ body: [UInt8]) throws -> (others: [String], failures: [String])
    }

    private static let lists = [
        List(
            testDescription: "snapshots", example: "snapshots", row: { try #require($0["AAPL"]) },
            body: { row in #"{"IBM":{"latestTrade":{"p":1}},"AAPL":\#(row),"KO":{"latestTrade":{"p":2}}}"# },
            read: { body in
                let snapshots = try AlpacaSnapshots(json: body)
                let others = try ["IBM", "KO"].map { name in
                    let symbol = try symbol(name)
                    let quote = snapshots.bySymbol[symbol]?.quote(of: symbol, feed: nil, fetchedAt: wallTime)
                    return "\(name) \(quote?.price?.description ?? "")"
                }
                return (others, snapshots.failures.values.map(\.description))
            }),
        List(
            testDescription: "news", example: "news", row: { try #require($0["news"]?[0]) },
            body: { row in #"{"news":[\#(article(1)),\#(row),\#(article(2))],"next_page_token":null}"# },
            read: { body in
                let news = try AlpacaNews(json: body)
                let articles = news.articles.compactMap(\.article).filter { ["1", "2"].contains($0.id) }
                return (articles.map { "\($0.id) \($0.headline)" }, news.unreadable)
            }),
        List(
            testDescription: "orders", example: "order", row: { $0 },
            body: { row in "[\(order(1)),\(row),\(order(2))]" },
            read: { body in
                let rows = try JSONReader.read(body) { reader throws(JSONError) in
                    try reader.rows(of: AlpacaOrder.self)
                }
                let orders = rows.elements.map { $0.order(fetchedAt: wallTime) }
                return (
                    orders.filter { ["1", "2"].contains($0.id) }.map { "\($0.id) \($0.quantity ?? 0)" },
                    rows.unreadable(in: "orders")
                )
            }),
        List(
            testDescription: "positions", example: "position", row: { $0 },
            body: { row in "[\(position("IBM")),\(row),\(position("KO"))]" },
            read: { body in
                let list = try AlpacaPosition.list(body, fetchedAt: wallTime)
                let others = list.filter { ["IBM", "KO"].contains($0.symbol.text) }
                return (others.map { "\($0.symbol) \($0.quantity)" }, list.unreadable)
            }),
        List(
            testDescription: "watchlist", example: "watchlist", row: { try #require($0["assets"]?[0]) },
            body: { row in
                #"{"id":"l","name":"n","assets":[\#(asset("IBM")),\#(row),\#(asset("KO"))]}"#
            },
            read: { body in
                let list = try AlpacaWatchlist(json: body).watchlist
                let others = list.items.filter { ["IBM", "KO"].contains($0.symbol.text) }
                return (others.map { "\($0.symbol) \($0.name ?? "")" }, list.unreadable)
            }),
        List(
            testDescription: "calendar", example: "calendar", row: { try #require($0[0]) },
            body: { row in #"[\#(day("2026-11-02")),\#(row),\#(day("2026-11-03"))]"# },
            read: { body in
                let calendar = try AlpacaCalendar(json: body)
                let others = calendar.days.filter { $0.date.description.hasPrefix("2026-11-0") }
                #expect(calendar.isComplete == (calendar.days.count == 3))
                return (others.map { "\($0.date) \($0.regularHours)" }, [])
            }),
        List(
            testDescription: "bars", example: "bars", row: { try #require($0["bars"]?["AAPL"]?[0]) },
            body: { row in
                #"{"bars":{"AAPL":[\#(bar(1)),\#(row),\#(bar(2))],"KO":[\#(bar(3))]},"next_page_token":null}"#
            },
            read: { body in
                var bars = AlpacaBars()
                try bars.append(body)
                let candles = bars.candles.filter { $0.volume == 1 || $0.volume == 2 }
                    .sorted { $0.time < $1.time }
                return (
                    candles.map { "\($0.time) \($0.prices.open.withoutTrailingZeros)" }, bars.unreadable
                )
            }),
        List(
            testDescription: "dividends", example: "asset",
            row: { _ in
                try JSONValue(
                    parsing: #"""
                        {"id":"b0b6dd9d-8b9b-48a9-ba46-b9d54906e415","symbol":"AAPL","cusip":"037833100","rate":0.26,
                        "special":false,"foreign":false,"process_date":"2026-11-12","ex_date":"2026-11-10",
                        "record_date":"2026-11-10","payable_date":"2026-11-12"}
                        """#)
            },
            body: { row in
                #"{"corporate_actions":{"cash_dividends":[\#(dividend(1)),\#(row),\#(dividend(2))]},"next_page_token":null}"#
            },
            read: { body in
                let aapl = try symbol("AAPL")
                var actions = AlpacaCorporateActions(of: [aapl])
                try actions.append(body)
                let dividends = actions.actions(of: aapl)?.dividends.filter { $0.amount.scale == 5 } ?? []
                return (
                    dividends.map { "\($0.exDate) \($0.amount)" },
                    actions.failures(of: aapl).map(\.description)
                )
            }),
        List(
            testDescription: "spin-offs", example: "asset",
            row: { _ in
                try JSONValue(
                    parsing: #"""
                        {"id":"b0b6dd9d-8b9b-48a9-ba46-b9d54906e415","source_symbol":"T","source_cusip":"00206R102",
                        "source_rate":1,"new_symbol":"WBD","new_cusip":"934423104","new_rate":0.2419,
                        "process_date":"2022-04-11","ex_date":"2022-04-11","record_date":"2022-04-05"}
                        """#)
            },
            body: { row in
                #"{"corporate_actions":{"spin_offs":[\#(spinOff(1)),\#(row),\#(spinOff(2))]},"next_page_token":null}"#
            },
            read: { body in
                let ibm = try symbol("IBM")
                var actions = AlpacaCorporateActions(of: [ibm])
                try actions.append(body)
                let others = actions.spinOffs(of: ibm).filter { $0.exDate.description.hasPrefix("2021-11") }
                return (
                    others.map { "\($0.parent) \($0.exDate)" }, actions.failures(of: ibm).map(\.description)
                )
            }),
        List(
            testDescription: "assets", example: "asset", row: { $0 },
            body: { row in "[\(asset("IBM")),\(row),\(asset("KO"))]" },
            read: { body in
                let index = try JSONReader.read(body) { reader throws(JSONError) in
                    try AlpacaAssetIndex(json: &reader, fetchedAt: wallTime)
                }
                let others = try ["IBM", "KO"].compactMap { index[try symbol($0)] }
                return (others.map { "\($0.key) \($0.instrument(fetchedAt: wallTime).name ?? "")" }, [])
            }),
        List(
            testDescription: "activities", example: "activities", row: { try #require($0[3]) },
            body: { row in "[\(activity(1)),\(row),\(activity(2))]" },
            read: { body in
                let rows = try JSONReader.read(body) { reader throws(JSONError) in
                    try reader.activities()
                }
                return (
                    [rows.elements.first, rows.elements.last].compactMap { $0?.activity }.map {
                        "\($0.id) \($0.amount?.description ?? "")"
                    }, (rows.failures + rows.lastFailures).map(\.description)
                )
            }),
    ]

    private static func order(_ number: Int) -> String {
        #"{"id":"\#(number)","status":"new","symbol":"IBM","side":"buy","qty":"\#(number)"}"#
    }

    private static func position(_ symbol: String) -> String {
        #"{"symbol":"\#(symbol)","side":"long","qty":"\#(symbol.count)"}"#
    }

    private static func asset(_ symbol: String) -> String {
        #"{"symbol":"\#(symbol)","name":"\#(symbol) Inc.","class":"us_equity"}"#
    }

    private static func day(_ date: String) -> String {
        #"{"date":"\#(date)","open":"09:30","close":"16:00"}"#
    }

    private static func bar(_ number: Int) -> String {
        #"{"t":"2026-11-0\#(number)T05:00:00Z","o":1.00\#(number),"h":2,"l":1,"c":1,"v":\#(number)}"#
    }

    private static func dividend(_ number: Int) -> String {
        #"{"symbol":"AAPL","ex_date":"2021-11-0\#(number)","rate":0.1234\#(number)}"#
    }

    private static func spinOff(_ number: Int) -> String {
        #"{"source_symbol":"IBM","new_symbol":"KD","ex_date":"2021-11-0\#(number)"}"#
    }

    private static func article(_ id: Int) -> String {
        #"{"id":\#(id),"headline":"Headline \#(id)","source":"s","created_at":"2026-11-20T13:01:22Z","url":"https://x.example/"}"#
    }

    private static func activity(_ id: Int) -> String {
        #"{"id":"\#(id)","activity_type":"INT","date":"2026-11-12","net_amount":"\#(id)"}"#
    }

    /// The number of variants of a row of each list.
    private static let counts = [478, 111, 350, 180, 110, 60, 87, 101, 102, 161, 110]

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: zip(lists, counts))
    func rows(list: List, count: Int) throws {
        let row = try list.row(JSONValue(parsing: example(list.example)))
        let expected = try list.read(Array(list.body(row.serialized).utf8)).others
        #expect(expected.count == 2)
        let variants = RowVariant.all(of: row)
        #expect(variants.count == count)
        for variant in variants {
            let name = "\(variant.member) \(variant.change)"
            let result = try list.read(Array(list.body(variant.text).utf8))
            #expect(result.others == expected, "\(name)")
            for failure in result.failures {
                #expect(
                    failure.contains(variant.member.split(separator: ".").first ?? ""), "\(name): \(failure)")
                #expect(
                    !failure.contains("private value") && !failure.contains("UNHEARD_OF"),
                    "\(name): \(failure)")
            }
        }
    }
}
