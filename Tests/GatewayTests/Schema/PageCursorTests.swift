import Foundation
import Gateway
import TestSupport
import Testing

@Suite("A cursor")
struct PageCursorTests {
    /// A list, and the text of one of its cursors before Base64; clients may have stored such cursors.
    private static let lists: [(field: String, plain: String)] = [
        ("it: alerts(PAGE)", "alerts 0"),
        ("it: alertFirings(PAGE)", "firings 9"),
        ("it: orders(PAGE)", "orders"),
        ("it: orders(PAGE)", "orders\nclosed 2026-11-20T14:30:00Z a1"),
        ("it: orders(PAGE)", "orders\nclosed 2026-11-20T14:30:00.123456789Z 105014824029 a1"),
        ("it: orders(PAGE)", "orders\nclosed 2026-11-20T14:30:00Z  a1"),
        ("it: activities(PAGE)", "activities"),
        ("it: activities(PAGE)", "activities\nclosed 1 2026-11-20 -1 a%201"),
        ("it: activities(PAGE)", "activities\nclosed 1 2026-11-20 -1 284123 0215.5 a%201"),
        ("it: activities(PAGE)", "activities\nclosed 1 2026-11-20 -1 0  a%201"),
        ("portfolio { it: holdings(PAGE) }", "holding 100.50 KO USD"),
        ("portfolio { it: holdings(PAGE) }", "holding  KO USD"),
        ("instrument(symbol: \"KO\") { it: dividends(PAGE) }", "2026-11-20 0"),
        ("instrument(symbol: \"KO\") { it: splits(PAGE) }", "2026-11-20 1"),
        ("it: news(PAGE)", "alpaca 1 "),
        ("portfolio { it: holdings(PAGE) }", "holding 100.50 KO USD USD"),
        ("instrument(symbol: \"KO\") { it: dividends(PAGE) }", "dividends KO 2026-11-20 0"),
        ("instrument(symbol: \"KO\") { it: splits(PAGE) }", "splits KO 2026-11-20 1"),
        ("it: news(PAGE)", "news\n*\nalpaca 1 "),
        ("account { it: orders(PAGE) }", "orders"),
        (
            "account { it: orders(PAGE) }",
            "orders\nclosed 2026-11-20T14:30:00Z a\ndemo 2026-11-20T14:30:00Z b"
        ),
        ("account { it: activities(PAGE) }", "activities"),
    ]

    /// A list, and another one whose cursors have the same type.
    private static let others: [(field: String, other: String)] = [
        (list("dividends", of: "NVDA"), list("splits", of: "NVDA")),
        (list("splits", of: "NVDA"), list("dividends", of: "NVDA")),
        (list("dividends", of: "NVDA"), list("dividends", of: "KO")),
        (list("news", of: "AAPL"), list("news", of: "MSFT")),
        ("it: news(PAGE)", "it: news(symbols: [\"AAPL\"], PAGE)"),
        ("it: news(symbols: [\"AAPL\"], PAGE)", "it: news(symbols: [\"AAPL\", \"MSFT\"], PAGE)"),
        ("portfolio { it: holdings(PAGE) }", "portfolio(currency: \"EUR\") { it: holdings(PAGE) }"),
    ]

    private static func list(_ name: String, of symbol: String) -> String {
        "instrument(symbol: \"\(symbol)\") { it: \(name)(PAGE) }"
    }

    private static func query(_ field: String, after cursor: String? = nil) -> String {
        let page = "first: 1" + (cursor.map { ", after: \"\($0)\"" } ?? "")
        let selection = "{ nodes { __typename } pageInfo { hasPreviousPage endCursor } }"
        return "{ \(field.replacing("PAGE)", with: "\(page)) \(selection)")) }"
    }

    private static func page(_ data: JSONValue) -> JSONValue? {
        data["it"] ?? data["portfolio"]?["it"] ?? data["instrument"]?["it"] ?? data["account"]?["it"]
    }

    private static func message(_ cursor: String) -> String {
        """
        Argument "after": "\(cursor.prefix(40))" is not a cursor of this list. Use the `endCursor` of the page before as `after`.
        """
    }

    @Test("in the form of a list is valid for it", arguments: lists)
    func valid(_ list: (field: String, plain: String)) async throws {
        try await withGateway { gateway in
            let services = gateway.market(
                [try gateway.alpaca()], connections: [try gateway.connection("demo", of: alice)])
            let cursor = Data(list.plain.utf8).base64EncodedString()
            let data = try await gateway.data(Self.query(list.field, after: cursor), services)
            #expect(Self.page(data)?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(data)")
        }
    }

    @Test("in another form is an invalid argument", arguments: lists)
    func invalid(_ list: (field: String, plain: String)) async throws {
        try await withGateway { gateway in
            let services = gateway.market(
                [try gateway.alpaca()], connections: [try gateway.connection("demo", of: alice)])
            for plain in [
                "", "no", "alerts", "firings", "alpaca", "orders\nclosed", "2026-11-20", "\(list.plain)\0",
                "activities\nclosed a%00b 2026-11-20 1 a1", "activities\nclosed a1 2026-11-20 1 a%00b",
                "activities\nclosed a1 2026-11-20 1 0 a%00b a1", "activities\nclosed a1 2026-11-20 1 x  a1",
                "activities\nclosed a1 2026-11-20 1 0 a1",
            ] {
                let cursor = Data(plain.utf8).base64EncodedString()
                let answer = try await gateway.ask(
                    Self.query(list.field, after: cursor), as: alice, services)
                #expect(
                    answer["errors"]?[0]?["message"]?.string == Self.message(cursor), "\(answer)")
                #expect(answer.failures.map(\.path).allSatisfy { $0?.hasSuffix("it") == true }, "\(answer)")
            }
        }
    }

    @Test("of another list is an invalid argument", arguments: others)
    func other(_ lists: (field: String, other: String)) async throws {
        try await withGateway { gateway in
            let services = gateway.market(
                [try gateway.alpaca(), try gateway.yahoo()],
                connections: [try gateway.connection("demo", of: alice)])
            let data = try await gateway.data(Self.query(lists.field), services)
            let cursor = try #require(Self.page(data)?["pageInfo"]?["endCursor"]?.string, "\(data)")
            let next = try await gateway.data(Self.query(lists.field, after: cursor), services)
            #expect(Self.page(next)?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(next)")
            let answer = try await gateway.ask(Self.query(lists.other, after: cursor), as: alice, services)
            #expect(answer["errors"]?[0]?["message"]?.string == Self.message(cursor), "\(answer)")
            #expect(answer.failures.map(\.path).allSatisfy { $0?.hasSuffix("it") == true }, "\(answer)")
        }
    }

    @Test("of the news about an instrument is valid for each field that has them")
    func sameList() async throws {
        try await withGateway { gateway in
            let services = gateway.market([try gateway.alpaca()])
            let one = Self.list("news", of: "AAPL")
            let several = "it: news(symbols: [\"AAPL\", \"AAPL\"], PAGE)"
            for (field, other) in [(one, several), (several, one)] {
                let data = try await gateway.data(Self.query(field), services)
                let cursor = try #require(Self.page(data)?["pageInfo"]?["endCursor"]?.string, "\(data)")
                let next = try await gateway.data(Self.query(other, after: cursor), services)
                #expect(Self.page(next)?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(next)")
            }
        }
    }

    @Test(
        "of the orders or activities of other accounts only is an invalid argument of those of an account",
        arguments: [
            (
                "account { it: orders(PAGE) }",
                "orders\nclosed 2026-11-20T14:30:00Z a1"
            ),
            ("account { it: activities(PAGE) }", "activities\nclosed 1 2026-11-20 -1 284123 0215.5 a%201"),
        ])
    func otherAccount(field: String, plain: String) async throws {
        try await withGateway { gateway in
            let services = gateway.market(
                [try gateway.alpaca()], connections: [try gateway.connection("demo", of: alice)])
            let cursor = Data(plain.utf8).base64EncodedString()
            let answer = try await gateway.ask(Self.query(field, after: cursor), as: alice, services)
            #expect(answer["errors"]?[0]?["message"]?.string == Self.message(cursor), "\(answer)")
            #expect(answer.failures.map(\.path) == ["account.it"], "\(answer)")
        }
    }

    @Test("of one of several instruments is an error of the others only")
    func severalInstruments() async throws {
        try await withGateway { gateway in
            let services = gateway.market([try gateway.alpaca()])
            let cursor = Data("dividends KO 2026-11-20 0".utf8).base64EncodedString()
            let answer = try await gateway.ask(
                """
                { quotes(symbols: ["NVDA", "KO"]) {
                    instrument { dividends(first: 1, after: "\(cursor)") { nodes { symbol } } } } }
                """, as: alice, services)
            #expect(answer.failures.map(\.path) == ["quotes.0.instrument.dividends"], "\(answer)")
            #expect(answer["errors"]?[0]?["message"]?.string == Self.message(cursor))
            let page = answer["data"]?["quotes"]?[1]?["instrument"]?["dividends"]
            #expect(page?["nodes"]?[0]?["symbol"] == "KO", "\(answer)")
        }
    }
}
