import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The descriptions of the contract")
struct DescriptionTests {
    private static func description(of type: String, _ field: String) throws -> String {
        let schema = try Schema.build(Contract.schemaText)
        let definition = try #require(schema.type(named: type)?.field(named: field), "\(type).\(field)")
        return try #require(definition.description)
    }

    @Test("say that `hasPreviousPage` is true on a page that was requested with `after`")
    func previousPage() async throws {
        let described = try Self.description(of: "PageInfo", "hasPreviousPage")
        #expect(!described.contains("Always false") && described.contains("`after`"), "\(described)")
        try await withTestGateway { gateway in
            let page = "pageInfo { hasPreviousPage endCursor }"
            let first = try await gateway.ask("{ news(first: 2) { \(page) } }")["data"]?["news"]?["pageInfo"]
            #expect(first?["hasPreviousPage"] == .bool(false))
            let cursor = try #require(first?["endCursor"]?.string)
            let second = try await gateway.ask("{ news(first: 2, after: \"\(cursor)\") { \(page) } }")
            #expect(second["data"]?["news"]?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(second)")
        }
    }

    @Test("do not say that a position's quantity is above zero: a closed position is reported with 0")
    func quantity() throws {
        #expect(try Self.description(of: "Subscription", "positions").contains("quantity 0"))
        #expect(try !Self.description(of: "Position", "quantity").contains("Above zero"))
    }

    @Test("distinguish the two kinds of `source`: the name of a publisher, and a provider")
    func source() throws {
        let described = try Self.description(of: "Article", "source")
        #expect(described.contains("publisher") && described.contains("`provider`"), "\(described)")
    }

    @Test("say that a list has one null for each connection that could not be read")
    func unreadable() async throws {
        for (field, nulls) in [
            ("accounts", "one null for each connection"),
            ("positions", "one null for each position, and for each connection,"),
        ] {
            let described = try Self.description(of: "Query", field)
            #expect(described.contains(nulls), "\(described)")
        }
    }
}
