package import GraphQL

/// A tool of the Model Context Protocol: one trusted document with one named operation.
package struct Tool: Sendable {
    /// The name of the operation.
    package let name: String
    /// The text of the document.
    package let document: String
    /// Whether the operation has a description, or a comment above it.
    fileprivate let isDescribed: Bool
    package let operationType: OperationType
    /// The fields of the root type that the operation selects.
    package let rootFields: [RootField]
    /// The scopes that the session needs for all fields of the operation (`@requires`), in alphabetical order.
    package let requiredScopes: [String]
    /// The names of the operation's variables.
    let variables: Set<String>
    /// The fields of input objects that the server sets, by the names of their variables.
    package let serverFields: [String: String]
    /// The JSON Schema of the arguments.
    let inputSchema: InputObject
    /// The checks of the schema's patterns.
    let patterns: [String: ToolRules.PatternCheck]
    /// The tool as `tools/list` returns it.
    let listing: InputObject

    /// A field of the root type that an operation selects.
    package struct RootField: Hashable, Sendable {
        package let name: String
        /// The variables that are the value of an argument.
        package let variables: Set<String>
    }

    /// Reads the tool of a document; nil for a document that is not valid for the schema, has several operations or one
    /// without a name, or is a subscription, because a tool has one result.
    ///
    /// - Parameters:
    ///   - text: The text of a document.
    ///   - schema: The schema that executes it.
    ///   - rules: The rules that the tools of a catalog share.
    init?(document text: String, schema: Schema, rules: ToolRules) {
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
        let ownDescription = Self.ownDescription(of: operation.definition, typed)
        isDescribed = ownDescription != nil
        rootFields = Self.rootFields(of: operation, in: typed)
        requiredScopes = Self.requiredScopes(of: typed)
        var (variables, serverFields) = (Set<String>(), [String: String]())
        for index in operation.definition.variables.indices {
            let name = typed.document.text(typed.document.variableDefinitions[index].name)
            variables.insert(name)
            guard let type = typed.variableTypes[index], type.wrapping.item == nil else { continue }
            serverFields[name] = rules.serverFields[typed.schema[type.type].name]
        }
        (self.variables, self.serverFields, patterns) = (variables, serverFields, rules.patterns)
        var input = VariableSchema(typed, scalars: rules.scalars, serverFields: rules.serverFields)
        var listing: InputObject = ["name": .string(name)]
        listing["description"] = .string(
            Self.description(
                of: operation, in: typed, ownDescription, requiredScopes,
                rootFields.compactMap { rules.notes[$0.name] }))
        inputSchema = input.schema(of: operation)
        listing["inputSchema"] = .object(inputSchema)
        listing["outputSchema"] = .object(ResponseSchema(typed, scalars: rules.scalars).schema(of: operation))
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

    private static func rootFields(of operation: TypedOperation, in typed: TypedDocument) -> [RootField] {
        guard let root = operation.rootType else { return [] }
        var fields: [RootField] = []
        typed.forEachField { index, field in
            guard typed.selections[index].parentType == root else { return }
            let variables = field.arguments.indices.compactMap { index -> String? in
                guard case .variable(let name, _) = typed.document.arguments[index].value else { return nil }
                return typed.document.text(name)
            }
            fields.append(
                RootField(name: typed.document.text(field.name), variables: Set(variables)))
        }
        return fields
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

    /// The description of the operation, or the comment above it; nil without both.
    private static func ownDescription(of definition: OperationDefinition, _ typed: TypedDocument) -> String?
    {
        definition.description.map { typed.document.string($0) } ?? comment(above: definition, typed)
    }

    /// The operation's own description, those of its root fields, and notes.
    private static func description(
        of operation: TypedOperation, in typed: TypedDocument, _ own: String?, _ scopes: [String],
        _ notes: [String]
    ) -> String {
        var parts = own.map { [$0] } ?? []
        var described: Set<String> = []
        typed.forEachField { index, field in
            guard typed.selections[index].parentType == operation.rootType,
                let text = typed.fieldDefinition(at: index)?.description
            else { return }
            let name = typed.document.text(field.name)
            if described.insert(name).inserted { parts.append("`\(name)`: \(text)") }
        }
        parts += notes
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

/// The rules that the tools of a catalog share.
package struct ToolRules: Sendable {
    /// Whether a text, which is short, has the form of a pattern.
    package typealias PatternCheck = @Sendable (String) -> Bool

    /// The JSON Schemas of custom scalars by name.
    let scalars: [String: InputObject]
    /// The checks of the patterns in these schemas, by pattern; the coercion alone checks the values of others.
    ///
    /// A pattern is not compiled: its expression would be applied to texts of clients on an event loop.
    let patterns: [String: PatternCheck]
    /// The fields that the server sets, from the id of the call, by the name of their input object.
    let serverFields: [String: String]
    /// Texts that the descriptions of tools have in addition, by the name of a root field.
    let notes: [String: String]

    package init(
        scalars: [String: InputObject], patterns: [String: PatternCheck] = [:],
        serverFields: [String: String] = [:], notes: [String: String] = [:]
    ) {
        (self.scalars, self.patterns, self.serverFields, self.notes) = (
            scalars, patterns, serverFields, notes
        )
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
    ///   - documents: The texts of the trusted documents. Of several with one operation's name, one with a description
    ///     or a comment is used, of these the shortest.
    ///   - mutations: The names of the mutations that are tools.
    ///   - schema: The schema that executes them.
    ///   - schemaText: The text of the schema, which is a resource.
    ///   - rules: The rules that the tools share.
    ///   - version: The version of the server.
    package init(
        documents: some Sequence<String>, mutations: Set<String>, schema: Schema, schemaText: String,
        rules: ToolRules, version: String
    ) {
        var byName: [String: Tool] = [:]
        for document in documents {
            guard let tool = Tool(document: document, schema: schema, rules: rules),
                tool.operationType == .query || mutations.contains(tool.name)
            else { continue }
            if let known = byName[tool.name], known.precedes(tool) { continue }
            byName[tool.name] = tool
        }
        tools = byName.values.sorted { $0.name < $1.name }
        self.schemaText = schemaText
        server = ["name": .string("portico"), "title": .string("Portico"), "version": .string(version)]
    }

    func tool(named name: String) -> Tool? { tools.first { $0.name == name } }
}

extension Tool {
    /// True if only this tool is described, or its document is shorter, or precedes one of the same length in alphabetical order.
    ///
    /// Apollo's clients print a document without its comment, and this form can be shorter than the file.
    fileprivate func precedes(_ other: Tool) -> Bool {
        guard isDescribed == other.isDescribed else { return isDescribed }
        return (document.utf8.count, document) < (other.document.utf8.count, other.document)
    }
}
