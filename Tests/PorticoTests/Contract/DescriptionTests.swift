import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The contract's descriptions")
struct DescriptionTests {
    private static func description(of type: String, _ field: String) throws -> String {
        let schema = try Schema.build(Contract.schemaText)
        let definition = try #require(schema.type(named: type)?.field(named: field), "\(type).\(field)")
        return try #require(definition.description)
    }

    @Test("say of `hasPreviousPage` what it is: true on a page that was asked for with `after`")
    func previousPage() async throws {
        let described = try Self.description(of: "PageInfo", "hasPreviousPage")
        #expect(!described.contains("Always false") && described.contains("`after`"), "\(described)")
        try await withHouse { house in
            let page = "pageInfo { hasPreviousPage endCursor }"
            let first = try await house.ask("{ news(first: 2) { \(page) } }")["data"]?["news"]?["pageInfo"]
            #expect(first?["hasPreviousPage"] == .bool(false))
            let cursor = try #require(first?["endCursor"]?.string)
            let second = try await house.ask("{ news(first: 2, after: \"\(cursor)\") { \(page) } }")
            #expect(second["data"]?["news"]?["pageInfo"]?["hasPreviousPage"] == .bool(true), "\(second)")
        }
    }

    @Test("do not say of a position's quantity that it is above zero: a closed one is told with 0")
    func quantity() throws {
        #expect(try Self.description(of: "Subscription", "positions").contains("quantity 0"))
        #expect(try !Self.description(of: "Position", "quantity").contains("Above zero"))
    }

    @Test("tell the two kinds of `source` apart: the name of a publisher, and a provider")
    func source() throws {
        let described = try Self.description(of: "Article", "source")
        #expect(described.contains("publisher") && described.contains("`Provider`"), "\(described)")
    }

    @Test("say of a list that has one null for each connection that could not be read just that")
    func unreadable() async throws {
        for field in ["accounts", "positions"] {
            let described = try Self.description(of: "Query", field)
            #expect(described.contains("one null for each connection"), "\(described)")
        }
    }
}
