import TestSupport
import Testing

@Suite("A source schema of the Composite Schemas specification")
struct CompositeSchemaTests {
    private static let environment = ["PORTICO_SUBGRAPH": "composite-schemas"]

    @Test("has lookups whose arguments are the fields of a key")
    func schema() async throws {
        let printed = try await Program.run(["schema", "print", "--subgraph", "composite-schemas"])
        try await withServer(environment: Self.environment) { server in
            let text = try await server.get("/schema.graphql").body
            #expect(text == printed.output)
            for part in [
                #"type Quote implements Node & Live @key(fields: "id") @key(fields: "symbol source") {"#,
                "): Node @lookup @internal", "): [Node] @internal", "): Instrument @lookup @internal",
                "): Quote @lookup @internal", "type PageInfo @shareable {",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(!text.contains("_entities") && !text.contains("@link") && !text.contains("@tag"))
        }
    }

    @Test("finds an object by each lookup; null for a symbol that does not exist")
    func lookups() async throws {
        try await withServer(environment: Self.environment) { server in
            let quote = try await server.ask(#"{ quote(symbol: "AAPL") { id source } }"#).json?["data"]?[
                "quote"]
            let id = try #require(quote?["id"]?.string)
            let source = try #require(quote?["source"]?.string)
            let answer = try await server.ask(
                """
                { node(id: "\(id)") { id } instrumentBySymbol(symbol: "MSFT") { id } \
                none: instrumentBySymbol(symbol: "NOSUCH") { id } \
                quoteBySource(symbol: "AAPL", source: "\(source)") { id } }
                """)
            #expect(
                answer.body == """
                    {"data":{"node":{"id":"\(id)"},"instrumentBySymbol":{"id":"Instrument:MSFT"},"none":null,\
                    "quoteBySource":{"id":"\(id)"}}}
                    """)
        }
    }
}
