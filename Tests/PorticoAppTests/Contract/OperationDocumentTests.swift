import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The operations of screens")
struct OperationDocumentTests {
    @Test(
        "are in the directory of a topic, with unique names", arguments: OperationDocument.all)
    func names(_ document: OperationDocument) throws {
        let topics: Set = ["accounts", "alerts", "goals", "markets", "orders", "users", "watchlists"]
        #expect(topics.contains(document.topic))
        #expect(OperationDocument.all.filter { $0.name == document.name }.count == 1)
        let parsed = try parse(SourceText(document.text))
        let operations = parsed.definitions.compactMap { definition -> String? in
            guard case .operation(let operation) = definition else { return nil }
            return operation.name.map { parsed.text($0) }
        }
        let words = document.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        #expect(operations == [words.joined()], "one operation, named after the file")
    }

    @Test(
        "are valid, accept their example variables, and cost less than half of the limit",
        arguments: OperationDocument.all)
    func costs(_ document: OperationDocument) throws {
        let schema = try Schema.build(Contract.schemaText)
        let valid = try validate(parse(SourceText(document.text)), against: schema)
        let prices = try SchemaCosts(schema)
        for case .operation(let operation) in valid.document.definitions {
            let variables = try schema.coerceVariables(
                of: operation, in: valid.document, given: document.examples)
            let cost = try OperationLimits.default.check(operation, of: valid, costs: prices).cost(variables)
            #expect(cost.total <= Cost(OperationLimits.default.cost / 2))
            #expect(valid.schemaUses.allSatisfy { $0.deprecationReason == nil })
        }
    }

    @Test(
        "select the id of every object that has one, by which caches join objects",
        arguments: OperationDocument.all)
    func ids(_ document: OperationDocument) throws {
        let valid = try validate(
            parse(SourceText(document.text)), against: Schema.build(Contract.schemaText))
        let typed = valid.typed
        var missing: [String] = []
        typed.forEachField { index, field in
            guard let set = field.selectionSet, let type = typed.fieldDefinition(at: index)?.type.type,
                typed.schema[type].field(named: "id") != nil, !selectsID(set, of: typed.document)
            else { return }
            missing.append(typed.document.text(field.responseKey))
        }
        #expect(missing.isEmpty, "without an id: \(missing)")
    }

    /// Whether the fields of a selection set, or those of its fragments, contain `id`.
    private func selectsID(_ set: SelectionSet, of document: Document) -> Bool {
        set.selections.indices.contains { index in
            switch document.selections[index] {
            case .field(let field): return document.text(field.responseKey) == "id"
            case .inlineFragment(let fragment): return selectsID(fragment.selectionSet, of: document)
            case .fragmentSpread(let spread):
                return document.definitions.contains { definition in
                    guard case .fragment(let fragment) = definition, fragment.name.id == spread.name.id
                    else { return false }
                    return selectsID(fragment.selectionSet, of: document)
                }
            }
        }
    }

    @Test(
        "get a response without errors from the sandbox, as the schema states",
        arguments: OperationDocument.executable)
    func answers(_ document: OperationDocument) async throws {
        let valid = try validate(
            parse(SourceText(document.text)), against: Schema.build(Contract.schemaText))
        try await withTestGateway { gateway in
            let answer = try await document.ask(gateway)
            #expect(AnswerCheck(answer, to: valid).violations.isEmpty)
        }
    }
}
