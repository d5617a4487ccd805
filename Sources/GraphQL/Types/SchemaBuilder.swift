/// Builds a schema from a document that satisfies the SDL rules.
///
/// The build has two steps. The draft contains all types but no values: no defaults and no arguments of
/// applied directives. After the type system rules are checked on the draft, coercing values cannot run into
/// cycles, and the second step adds the values.
final class SchemaBuilder {
    private let syntax: SchemaDefinitions
    private let order: TypeOrder
    private let scalarCoercions: [String: ScalarInputCoercion]
    private let synonyms: Synonyms
    /// The values of defaults and directives; nil for the draft.
    private var values: SchemaValues?

    private var document: Document { syntax.document }

    /// The built-in directives of the schema.
    private let builtIns: [BuiltInDirective]

    init(
        _ syntax: SchemaDefinitions, scalarCoercions: [String: ScalarInputCoercion],
        incrementalDelivery: Bool, synonyms: Synonyms
    ) {
        self.syntax = syntax
        self.scalarCoercions = scalarCoercions
        self.synonyms = synonyms
        builtIns = BuiltInDirective.all + (incrementalDelivery ? BuiltInDirective.incremental : [])
        order = TypeOrder(syntax, directives: builtIns)
    }

    /// Returns the schema without values.
    func draft() -> Schema {
        values = nil
        return build()
    }

    /// Returns the schema with all values.
    func finished(_ draft: Schema) -> Schema {
        values = SchemaValues(syntax: syntax, draft: draft)
        return build()
    }

    /// Returns the value of a description.
    private func text(_ description: StringValue?) -> String? {
        description.map { document.string($0) }
    }

    private func build() -> Schema {
        let roots = rootTypes()
        return Schema(
            description: text(syntax.schema?.description),
            types: order.origins.enumerated().map { type($1, TypeID(index: $0)) },
            directives: directives(),
            queryType: roots[.query], mutationType: roots[.mutation], subscriptionType: roots[.subscription],
            appliedDirectives: syntax.schemaNodes.flatMap { applied($0.directives) },
            document: document, scalarCoercions: scalarCoercions, synonyms: synonyms)
    }

    private func rootTypes() -> [OperationType: TypeID] {
        var roots: [OperationType: TypeID] = [:]
        for node in syntax.schemaNodes {
            for index in node.operationTypes.indices {
                let root = document.operationTypeDefinitions[index]
                roots[root.operation] = order.ids[Int(root.type.id)]
            }
        }
        if syntax.schema != nil { return roots }
        for type in syntax.types {
            let name = document.text(type.definition.name)
            for operation in OperationType.allCases where operation.defaultTypeName == name {
                roots[operation] = order.ids[Int(type.definition.name.id)]
            }
        }
        return roots
    }

    private func directives() -> [SchemaDirective] {
        let defined = syntax.directives.map(directive)
        let names = Set(defined.map(\.name))
        return defined
            + builtIns.filter { !names.contains($0.name) }
            .map { $0.directiveType(ids: order.builtIns) }
    }

    private func directive(_ node: DirectiveDefinition) -> SchemaDirective {
        SchemaDirective(
            name: document.text(node.name), description: text(node.description),
            arguments: node.arguments.indices.compactMap { inputValue($0) }, isRepeatable: node.isRepeatable,
            locations: node.locations.indices.compactMap {
                DirectiveLocation(rawValue: document.text(document.nameLists[$0]))
            },
            node: node.span)
    }
}

// MARK: - Types and their members

extension SchemaBuilder {
    private func type(_ origin: TypeOrder.Origin, _ id: TypeID) -> NamedType {
        switch origin {
        case .builtIn(let type): type.namedType(id: id, ids: order.builtIns)
        case .defined(let type): namedType(type, id)
        }
    }

    private func namedType(_ type: TypeDefinitionGroup, _ id: TypeID) -> NamedType {
        let node = type.definition
        return NamedType(
            id: id, name: document.text(node.name), description: text(node.description),
            kind: kind(type), appliedDirectives: type.nodes.flatMap { applied($0.directives) },
            node: node.span)
    }

    private func kind(_ type: TypeDefinitionGroup) -> NamedType.Kind {
        switch type.definition.body {
        case .scalar:
            .scalar(ScalarType(specifiedByURL: specifiedByURL(type)))
        case .object:
            .object(composite(type))
        case .interface:
            .interface(composite(type))
        case .union:
            .union(UnionType(members: type.members.compactMap { named($0) }))
        case .enum:
            .enum(EnumType(values: type.enumValues.map { enumValue($0) }))
        case .inputObject:
            .inputObject(
                InputObjectType(
                    fields: type.inputFields.compactMap { inputValue($0) },
                    isOneOf: isOneOf(type.definition)))
        }
    }

    private func composite(_ type: TypeDefinitionGroup) -> FieldsContainer {
        FieldsContainer(
            interfaces: type.interfaces.compactMap { named($0) },
            fields: type.fields.compactMap { field($0) })
    }

    /// Returns the type with the name at an index of `nameLists`.
    private func named(_ index: Int) -> TypeID? { order.ids[Int(document.nameLists[index].id)] }

    private func field(_ index: Int) -> SchemaField? {
        let node = document.fieldDefinitions[index]
        guard let type = order.resolve(node.type) else { return nil }
        return SchemaField(
            name: document.text(node.name), description: text(node.description), type: type,
            arguments: node.arguments.indices.compactMap { inputValue($0) },
            deprecationReason: deprecationReason(node.directives),
            appliedDirectives: applied(node.directives),
            node: node.span)
    }

    private func inputValue(_ index: Int) -> SchemaInputValue? {
        let node = document.inputValueDefinitions[index]
        guard let type = order.resolve(node.type) else { return nil }
        let defaultValue = node.defaultValue.map { literal -> DefaultValue in
            guard let values else { return DefaultValue(literal: "", value: .null) }
            return DefaultValue(
                literal: document.print(literal), value: values.defaultValue(index, type) ?? .null)
        }
        return SchemaInputValue(
            name: document.text(node.name), description: text(node.description), type: type,
            defaultValue: defaultValue, deprecationReason: deprecationReason(node.directives),
            appliedDirectives: applied(node.directives), node: node.span)
    }

    private func enumValue(_ index: Int) -> SchemaEnumValue {
        let node = document.enumValueDefinitions[index]
        return SchemaEnumValue(
            name: document.text(node.name), description: text(node.description),
            deprecationReason: deprecationReason(node.directives),
            appliedDirectives: applied(node.directives),
            node: node.span)
    }
}

// MARK: - Directives with a meaning for the schema itself

extension SchemaBuilder {
    private func applied(_ directives: NodeRange<Directive>) -> [AppliedDirective] {
        guard !directives.isEmpty, let values else { return [] }
        return directives.indices.compactMap(values.applied)
    }

    private func deprecationReason(_ directives: NodeRange<Directive>) -> String? {
        guard let directive = document.first("deprecated", in: directives) else { return nil }
        return document.text(of: "reason", in: directive) ?? BuiltInDirective.defaultDeprecationReason
    }

    private func specifiedByURL(_ type: TypeDefinitionGroup) -> String? {
        let urls = type.nodes.compactMap { node in
            document.first("specifiedBy", in: node.directives).flatMap { document.text(of: "url", in: $0) }
        }
        return urls.last
    }

    private func isOneOf(_ node: TypeDefinition) -> Bool {
        document.first("oneOf", in: node.directives) != nil
    }
}

extension Document {
    /// Returns the first directive with this name in a range of directives.
    package func first(_ name: String, in directives: NodeRange<Directive>) -> Directive? {
        for index in directives.indices where text(self.directives[index].name) == name {
            return self.directives[index]
        }
        return nil
    }

    /// Returns the value of a directive's string argument; nil if it is absent or no string.
    fileprivate func text(of argument: String, in directive: Directive) -> String? {
        for index in directive.arguments.indices where text(arguments[index].name) == argument {
            guard case .string(let value) = arguments[index].value else { return nil }
            return string(value)
        }
        return nil
    }
}

extension OperationType {
    /// The name of the root type in a document without a schema definition (specification, section 3.3.1).
    var defaultTypeName: String {
        switch self {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }
}

extension Schema {
    /// Builds a schema from definitions and extensions, and validates it (specification, chapter 3).
    ///
    /// Executable definitions in the document are ignored.
    ///
    /// - Parameters:
    ///   - document: The definitions, in any order.
    ///   - scalarCoercions: The input coercions of custom scalars by name. A scalar without one accepts
    ///     every value.
    ///   - errorLimit: The maximum number of errors; one more error then states that there are others.
    ///   - incrementalDelivery: True if operations may use `@defer` and `@stream`, also if the schema does
    ///     not define them. Like other built-in directives, they are not part of the schema's text.
    ///   - synonyms: Words of clients for words of the schema, for suggestions about unknown names.
    /// - Returns: The valid schema.
    /// - Throws: All violations of the SDL rules; if there are none, all violations of the type system
    ///   rules.
    public static func build(
        _ document: Document, scalarCoercions: [String: ScalarInputCoercion] = [:], errorLimit: Int = 100,
        incrementalDelivery: Bool = false, synonyms: Synonyms = [:]
    ) throws(GraphQLErrors) -> Schema {
        let syntax = SchemaDefinitions(document)
        try check(SDLRule.errors(in: syntax, limit: errorLimit))
        let builder = SchemaBuilder(
            syntax, scalarCoercions: scalarCoercions, incrementalDelivery: incrementalDelivery,
            synonyms: synonyms)
        let draft = builder.draft()
        try check(TypeSystemRules.errors(in: draft, syntax, limit: errorLimit))
        return builder.finished(draft)
    }

    /// Builds a schema from text, like `build(_:scalarCoercions:errorLimit:)` from a document.
    ///
    /// - Parameters:
    ///   - text: The definitions.
    ///   - name: The name of the text in messages, such as a file's path.
    ///   - scalarCoercions: The input coercions of custom scalars by name.
    ///   - errorLimit: The maximum number of errors; one more error then states that there are others.
    ///   - incrementalDelivery: True if operations may use `@defer` and `@stream`, also if the schema does
    ///     not define them. Like other built-in directives, they are not part of the schema's text.
    ///   - synonyms: Words of clients for words of the schema, for suggestions about unknown names.
    /// - Returns: The valid schema.
    /// - Throws: The syntax error, or all errors of the schema.
    public static func build(
        _ text: String, name: String = "GraphQL schema", scalarCoercions: [String: ScalarInputCoercion] = [:],
        errorLimit: Int = 100, incrementalDelivery: Bool = false, synonyms: Synonyms = [:]
    ) throws(GraphQLErrors) -> Schema {
        let document: Document
        do throws(SyntaxError) {
            document = try parse(SourceText(text, name: name))
        } catch {
            throw GraphQLErrors([GraphQLError(error.message, locations: [error.location])])
        }
        return try build(
            document, scalarCoercions: scalarCoercions, errorLimit: errorLimit,
            incrementalDelivery: incrementalDelivery, synonyms: synonyms)
    }

    private static func check(_ errors: [GraphQLError]) throws(GraphQLErrors) {
        if !errors.isEmpty { throw GraphQLErrors(errors) }
    }
}
