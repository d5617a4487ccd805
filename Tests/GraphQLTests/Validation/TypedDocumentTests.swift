import GraphQL
import Testing

@Suite("Typed documents")
struct TypedDocumentTests {
    private let typed: TypedDocument
    private let schema: Schema

    init() throws {
        schema = try Market.schema()
        let document = try parse(
            """
            query Q($side: Side, $key: ID!) {
              account { orders(sides: [$side], filter: {not: {side: $side}}) { ...F nope { deeper } } __typename }
              ... { instrument(key: {id: $key}) { id @tag(name: "a") @nope } ...Missing }
              __type(name: "Query") { name }
            }
            fragment F on Order { id ... on Node { id } }
            """)
        typed = TypedDocument(document, schema: schema)
    }

    private func index(ofField name: String) throws -> Int {
        try #require(
            typed.document.selections.indices.first { index in
                guard case .field(let field) = typed.document.selections[index] else { return false }
                return typed.document.text(field.name) == name
            })
    }

    private func name(_ type: TypeID?) -> String? { type.map { schema[$0].name } }

    @Test(
        "know the parent, the definition and the type of each field",
        arguments: [
            ("account", "Query", "Account", "Account"), ("orders", "Account", "Order", "[Order!]!"),
            ("instrument", "Query", "Instrument", "Instrument"),
            ("__typename", "Account", "String", "String!"),
            ("__type", "Query", "__Type", "__Type"), ("name", "__Type", "String", "String"),
        ])
    func fields(_ field: String, _ parent: String, _ type: String, _ returnType: String) throws {
        let index = try index(ofField: field)
        #expect(name(typed.selections[index].parentType) == parent)
        #expect(name(typed.selections[index].type) == type)
        let definition = try #require(typed.fieldDefinition(at: index))
        #expect(definition.name == field)
        #expect(schema.describe(definition.type) == returnType)
    }

    @Test("say unknown of what does not fit the schema")
    func unknown() throws {
        let nope = try index(ofField: "nope")
        #expect(typed.selections[nope].field == .unknown)
        #expect(name(typed.selections[nope].parentType) == "Order")
        let deeper = try index(ofField: "deeper")
        #expect(typed.selections[deeper].parentType == nil)
        #expect(typed.fieldDefinition(at: deeper) == nil)
    }

    @Test("know the fragments that are spread and the types that fragments are on")
    func fragments() {
        var found: [String] = []
        for index in typed.document.selections.indices {
            switch typed.document.selections[index] {
            case .field: break
            case .fragmentSpread(let spread):
                let target = typed.selections[index].fragment.map { typed.fragments[$0].definition.name }
                found.append(
                    "\(typed.document.text(spread.name)) \(target.map(typed.document.text) ?? "unknown")")
            case .inlineFragment: found.append("on \(name(typed.selections[index].type) ?? "unknown")")
            }
        }
        #expect(found.sorted() == ["F F", "Missing unknown", "on Node", "on Query"])
    }

    @Test("know what is expected where variables are used")
    func variables() {
        let uses = typed.variableUses.map { use in
            "\(typed.document.text(use.name)): \(use.type.map(schema.describe) ?? "unknown")"
                + (use.oneOf.map { " of \(schema[$0].name)" } ?? "")
        }
        #expect(uses == ["side: Side!", "side: Side", "key: ID of Key"])
        #expect(typed.operations.map(\.variableUses) == [0..<3])
        #expect(typed.fragments.map(\.variableUses) == [3..<3])
        #expect(typed.variableTypes.compactMap(\.self).map(schema.describe) == ["Side", "ID!"])
    }

    @Test("know the definitions of arguments and directives")
    func definitions() {
        let arguments = zip(typed.document.arguments, typed.arguments).map { argument, known in
            "\(typed.document.text(argument.name)): \(known.type.map(schema.describe) ?? "unknown")"
        }
        #expect(
            arguments.sorted() == [
                "filter: Filter", "key: Key", "name: String", "name: String!", "sides: [Side!]",
            ])
        let directives = typed.directives.map { $0.map { schema.directives[$0].name } }
        #expect(directives == ["tag", nil])
        #expect(typed.directiveSites.map(\.location) == [.field])
    }
}
