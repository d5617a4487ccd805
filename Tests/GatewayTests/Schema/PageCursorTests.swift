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
    ]

    private static func query(_ field: String, after cursor: String) -> String {
        let selection = "{ nodes { __typename } pageInfo { hasPreviousPage } }"
        return "{ \(field.replacing("(PAGE)", with: "(first: 1, after: \"\(cursor)\") \(selection)")) }"
    }

    @Test("in the form of a list is valid for it", arguments: lists)
    func valid(_ list: (field: String, plain: String)) async throws {
        try await withGateway { gateway in
            let services = gateway.market(
                [try gateway.alpaca()], connections: [try gateway.connection("demo", of: alice)])
            let cursor = Data(list.plain.utf8).base64EncodedString()
            let data = try await gateway.data(Self.query(list.field, after: cursor), services)
            let page = data["it"] ?? data["portfolio"]?["it"] ?? data["instrument"]?["it"]
            #expect(page?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(data)")
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
                    answer["errors"]?[0]?["message"]?.string
                        == "Argument \"after\": \"\(cursor.prefix(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.",
                    "\(answer)")
                #expect(answer.failures.map(\.path).allSatisfy { $0?.hasSuffix("it") == true }, "\(answer)")
            }
        }
    }
}
