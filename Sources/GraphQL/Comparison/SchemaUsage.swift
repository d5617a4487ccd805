/// What the operations of a document rely on in their schema: enough to tell which changes of it reach them.
public struct SchemaUsage: Sendable {
    /// What the document names.
    private(set) var named: Set<SchemaCoordinate> = []
    /// Types of the fields that are selected, and those that operations begin from.
    private(set) var selectedTypes: Set<String> = []
    /// Input types whose values come in variables, so that any member of theirs may be sent.
    private(set) var variableTypes: Set<String> = []
    /// Types of what arguments and input fields are given in the document itself.
    private(set) var literalTypes: Set<String> = []
    /// Where directives are applied, by their names.
    private(set) var directiveLocations: [String: Set<DirectiveLocation>] = [:]
    /// Directives that are applied to one place more than once.
    private(set) var repeatedDirectives: Set<String> = []

    /// What a document relies on in the schema that it is valid against.
    public init(of valid: ValidDocument) {
        let typed = valid.typed
        named = Set(valid.schemaUses.map(\.coordinate))
        collectTypes(typed)
        collectDirectives(typed)
    }

    private mutating func collectTypes(_ typed: TypedDocument) {
        let schema = typed.schema
        for operation in typed.operations {
            if let root = operation.rootType { selectedTypes.insert(schema[root].name) }
        }
        typed.forEachField { index, _ in
            if let type = typed.selections[index].type { selectedTypes.insert(schema[type].name) }
        }
        for type in typed.arguments.map(\.type) + typed.objectFields.map(\.type) {
            if let type { literalTypes.insert(schema[type.type].name) }
        }
        var open = typed.variableTypes.compactMap { $0?.type }
        while let type = open.popLast() {
            guard variableTypes.insert(schema[type].name).inserted,
                case .inputObject(let object) = schema[type].kind
            else { continue }
            open += object.fields.map(\.type.type)
        }
    }

    private mutating func collectDirectives(_ typed: TypedDocument) {
        for site in typed.directiveSites {
            var seen: Set<String> = []
            for index in site.directives.indices {
                let name = typed.document.text(typed.document.directives[index].name)
                directiveLocations[name, default: []].insert(site.location)
                if !seen.insert(name).inserted { repeatedDirectives.insert(name) }
            }
        }
    }

    /// Whether values of the input type are sent, as literals or in variables.
    func sends(_ type: String) -> Bool { variableTypes.contains(type) || literalTypes.contains(type) }

    /// Whether the field is selected, or the input field or enum value is sent, or may be in a variable.
    func uses(member coordinate: SchemaCoordinate) -> Bool {
        named.contains(coordinate) || variableTypes.contains(coordinate.owner)
    }

    /// Whether the type stands in the document by name, or is that of something in it.
    func touches(_ type: String) -> Bool {
        named.contains(.type(type)) || selectedTypes.contains(type) || sends(type)
    }
}
