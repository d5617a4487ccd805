import GraphQL
import Testing
import Web

@Suite("The catalog of tools")
struct ToolCatalogTests {
    /// Documents with one operation's name.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let documents: [String]
        let chosen: String

        static let all = [
            Case(
                testDescription: "a comment, and a shorter form without it",
                documents: ["# Who is there.\nquery Ask { a }", "query Ask {\n  a\n}"],
                chosen: "# Who is there.\nquery Ask { a }"),
            Case(
                testDescription: "a description, and a shorter form without it",
                documents: ["query Ask { a }", #""Who is there." query Ask { a }"#],
                chosen: #""Who is there." query Ask { a }"#),
            Case(
                testDescription: "two comments",
                documents: ["# Who is there.\nquery Ask { a b }", "# Who.\nquery Ask { a b }"],
                chosen: "# Who.\nquery Ask { a b }"),
            Case(
                testDescription: "no comment", documents: ["query Ask { a b }", "query Ask { b }"],
                chosen: "query Ask { b }"),
            Case(
                testDescription: "a comment that does not describe the operation",
                documents: ["query Ask { a # Here.\n b }", "query Ask { a b }"], chosen: "query Ask { a b }"),
        ]
    }

    @Test(
        "has the shortest of the documents with a description or a comment, and otherwise the shortest",
        arguments: Case.all)
    func choice(_ documents: Case) throws {
        let text = "type Query { a: String b: String }"
        let schema = try Schema.build(text)
        for order in [documents.documents, documents.documents.reversed()] {
            let catalog = ToolCatalog(
                documents: order, mutations: [], schema: schema, schemaText: text,
                rules: ToolRules(scalars: [:]),
                version: "1")
            #expect(catalog.tools.map(\.document) == [documents.chosen])
        }
    }
}
