import Alpaca
import Brokerage
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
                let snapshots = try decode(AlpacaSnapshots.self, from: body)
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
                let news = try decode(AlpacaNews.self, from: body)
                let articles = news.articles.compactMap(\.article).filter { ["1", "2"].contains($0.id) }
                return (articles.map { "\($0.id) \($0.headline)" }, news.unreadable)
            }),
        List(
            testDescription: "activities", example: "activities", row: { try #require($0[3]) },
            body: { row in "[\(activity(1)),\(row),\(activity(2))]" },
            read: { body in
                let activities = try JSONReader.read(body) { reader throws(JSONError) in
                    try reader.activities().map(\.activity)
                }
                return (
                    [activities.first, activities.last].compactMap(\.self).map {
                        "\($0.id) \($0.amount?.description ?? "")"
                    }, []
                )
            }),
    ]

    private static func article(_ id: Int) -> String {
        #"{"id":\#(id),"headline":"Headline \#(id)","source":"s","created_at":"2026-11-20T13:01:22Z","url":"https://x.example/"}"#
    }

    private static func activity(_ id: Int) -> String {
        #"{"id":"\#(id)","activity_type":"INT","date":"2026-11-12","net_amount":"\#(id)"}"#
    }

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: lists)
    func rows(list: List) throws {
        let row = try list.row(JSONValue(parsing: example(list.example)))
        let expected = try list.read(Array(list.body(row.serialized).utf8)).others
        #expect(expected.count == 2)
        let variants = RowVariant.all(of: row)
        #expect(variants.count > 80)
        for variant in variants {
            let name = "\(variant.member) \(variant.change)"
            do {
                let result = try list.read(Array(list.body(variant.text).utf8))
                #expect(result.others == expected, "\(name)")
                for failure in result.failures {
                    #expect(
                        failure.contains(variant.member.split(separator: ".").first ?? ""),
                        "\(name): \(failure)")
                    #expect(
                        !failure.contains("private value") && !failure.contains("UNHEARD_OF"),
                        "\(name): \(failure)")
                }
            } catch {
                // An activity without an id cannot be told from others, also in a later read.
                #expect(list.testDescription == "activities" && variant.member == "id", "\(name): \(error)")
            }
        }
    }
}
