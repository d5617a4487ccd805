package import GraphQL

/// A tool of the Model Context Protocol: one trusted document with one named operation.
package struct Tool: Sendable {
    /// The name of the operation.
    package let name: String
    /// The text of the document.
    package let document: String
    package let operationType: OperationType
    /// The names of the fields of the root type that the operation selects.
    package let rootFields: Set<String>
    /// The scopes that the session needs for all fields of the operation (`@requires`), in alphabetical order.
    package let requiredScopes: [String]
    /// The names of the operation's variables.
    let variables: Set<String>
    /// The tool as `tools/list` returns it.
    let listing: InputObject

    /// Reads the tool of a document; nil for a document that is not valid for the schema, has several operations or one
    /// without a name, or is a subscription, because a tool has one result.
    ///
    /// - Parameters:
    ///   - text: The text of a document.
    ///   - schema: The schema that executes it.
    ///   - scalars: The JSON Schemas of custom scalars by name.
    init?(document text: String, schema: Schema, scalars: [String: InputObject]) {
        guard let document = try? parse(text), let valid = try? validate(document, against: schema)
        else { return nil }
        let typed = valid.typed
        guard typed.operations.count == 1, let operation = typed.operations.first,
            let name = operation.definition.name.map({ typed.document.text($0) }),
            name.utf8.count <= Self.longestName, operation.definition.type != .subscription
        else { return nil }
        self.name = name
        self.document = text
        operationType = operation.definition.type
        rootFields = Self.rootFields(of: operation, in: typed)
        requiredScopes = Self.requiredScopes(of: typed)
        variables = Set(
            operation.definition.variables.indices.map { index in
                typed.document.text(typed.document.variableDefinitions[index].name)
            })
        var input = VariableSchema(typed, scalars: scalars)
        var listing: InputObject = ["name": .string(name)]
        listing["description"] = .string(Self.description(of: operation, in: typed, requiredScopes))
        listing["inputSchema"] = .object(input.schema(of: operation))
        listing["outputSchema"] = .object(ResponseSchema(typed, scalars: scalars).schema(of: operation))
        listing["annotations"] = .object(Self.annotations(operationType))
        self.listing = listing
    }

    /// The maximum length of a tool's name in the clients of several models.
    private static let longestName = 64

    /// Hints for clients (Model Context Protocol, "ToolAnnotations").
    ///
    /// A mutation can change or remove data, and is not safe to repeat unless it has an idempotency key, which the
    /// hint cannot express. All tools reach providers outside of Portico.
    private static func annotations(_ type: OperationType) -> InputObject {
        let isQuery = type == .query
        return [
            "readOnlyHint": .boolean(isQuery), "destructiveHint": .boolean(!isQuery),
            "idempotentHint": .boolean(isQuery), "openWorldHint": .boolean(true),
        ]
    }

    private static func rootFields(of operation: TypedOperation, in typed: TypedDocument) -> Set<String> {
        guard let root = operation.rootType else { return [] }
        var names: Set<String> = []
        typed.forEachField { index, field in
            if typed.selections[index].parentType == root { names.insert(typed.document.text(field.name)) }
        }
        return names
    }

    private static func requiredScopes(of typed: TypedDocument) -> [String] {
        var scopes: Set<String> = []
        typed.forEachField { index, _ in
            for directive in typed.fieldDefinition(at: index)?.appliedDirectives ?? []
            where directive.name == "requires" {
                if case .enum(let scope)? = directive.arguments["scope"] { scopes.insert(scope) }
            }
        }
        return scopes.sorted()
    }

    /// The description of the operation, or the comment above it, and those of its root fields.
    private static func description(
        of operation: TypedOperation, in typed: TypedDocument, _ scopes: [String]
    ) -> String {
        let definition = operation.definition
        var parts: [String] = []
        if let text = definition.description.map({ typed.document.string($0) })
            ?? comment(above: definition, typed)
        {
            parts.append(text)
        }
        var described: Set<String> = []
        typed.forEachField { index, field in
            guard typed.selections[index].parentType == operation.rootType,
                let text = typed.fieldDefinition(at: index)?.description
            else { return }
            let name = typed.document.text(field.name)
            if described.insert(name).inserted { parts.append("`\(name)`: \(text)") }
        }
        if !scopes.isEmpty { parts.append("Required scopes: \(scopes.joined(separator: ", ")).") }
        return parts.joined(separator: "\n\n")
    }

    /// The lines of comment that end directly above the operation; nil if there are none.
    private static func comment(above definition: OperationDefinition, _ typed: TypedDocument) -> String? {
        let before = typed.document.source.bytes.prefix(Int(definition.span.start))
        let lines = String(decoding: before, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let comment = lines.reversed().prefix { $0.trimmed.hasPrefix("#") }.reversed()
        let text = comment.map { String($0.trimmed.drop { $0 == "#" }.trimmed) }.joined(separator: " ")
        return text.isEmpty ? nil : text
    }
}

/// The tools and resources that a server offers by the Model Context Protocol.
package struct ToolCatalog: Sendable {
    /// In alphabetical order.
    package let tools: [Tool]
    /// The name and version of the server.
    let server: InputObject
    let schemaText: String

    /// - Parameters:
    ///   - documents: The texts of the trusted documents. Of several with one operation's name, the shortest is used.
    ///   - mutations: The names of the mutations that are tools.
    ///   - schema: The schema that executes them.
    ///   - schemaText: The text of the schema, which is a resource.
    ///   - scalars: The JSON Schemas of custom scalars by name.
    ///   - version: The version of the server.
    package init(
        documents: some Sequence<String>, mutations: Set<String>, schema: Schema, schemaText: String,
        scalars: [String: InputObject], version: String
    ) {
        var byName: [String: Tool] = [:]
        for document in documents {
            guard let tool = Tool(document: document, schema: schema, scalars: scalars),
                tool.operationType == .query || mutations.contains(tool.name)
            else { continue }
            if let known = byName[tool.name], known.document.precedes(tool.document) { continue }
            byName[tool.name] = tool
        }
        tools = byName.values.sorted { $0.name < $1.name }
        self.schemaText = schemaText
        server = ["name": .string("portico"), "title": .string("Portico"), "version": .string(version)]
    }

    func tool(named name: String) -> Tool? { tools.first { $0.name == name } }
}

extension String {
    /// True if the text is shorter, or precedes one of the same length in alphabetical order.
    fileprivate func precedes(_ other: String) -> Bool {
        (utf8.count, self) < (other.utf8.count, other)
    }
}
