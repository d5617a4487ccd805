/// The rules for type systems (specification, chapter 3, "Type Validation"), for a schema whose document
/// satisfies the SDL rules.
///
/// Each rule is a function of the part of the schema that it checks. The order of the rules, and therefore
/// of the errors, is that of the reference implementation.
struct TypeSystemRules {
    let schema: Schema
    let syntax: SchemaDefinitions
    /// The maximum number of reported errors.
    let limit: Int

    var document: Document { syntax.document }

    /// Returns all violations of the rules; empty for a valid schema.
    ///
    /// If there are more errors than `limit`, one more error states this.
    static func errors(in schema: Schema, _ syntax: SchemaDefinitions, limit: Int) -> [GraphQLError] {
        let faults = TypeSystemRules(schema: schema, syntax: syntax, limit: limit).all()
        let errors = syntax.document.source.locate(
            faults.prefix(max(0, limit)).map { ($0.message, $0.spans) })
        return faults.count > limit ? errors + [.tooManyErrors] : errors
    }

    private func all() -> [SchemaValidationError] {
        var faults = evaluatedDirectives() + rootOperationTypes()
        for directive in schema.directives { faults += directiveDefinition(directive) }
        var defaultCycles = DefaultValueCycles(rules: self)
        for type in schema.types { faults += self.type(type, &defaultCycles) }
        return faults + inputObjectCycles()
    }

    private func type(_ type: NamedType, _ defaultCycles: inout DefaultValueCycles) -> [SchemaValidationError]
    {
        // Built-in types satisfy the rules, except that their names are reserved.
        guard type.node != nil else { return [] }
        let faults = reservedName(type.name, at: type.node)
        switch type.kind {
        case .scalar: return faults
        case .object, .interface: return faults + fieldDefinitions(of: type) + interfaces(of: type)
        case .union(let union): return faults + unionMembers(of: type, union)
        case .enum(let definition): return faults + enumValues(of: type, definition)
        case .inputObject(let object):
            return faults + inputFields(of: type, object) + defaultCycles.faults(of: type.id)
        }
    }
}

/// A violation of a rule for type systems.
struct SchemaValidationError {
    let message: String
    /// The positions of the error, in order; built-in elements have none.
    let spans: [SourceSpan]

    init(_ message: String, at spans: [SourceSpan?] = []) {
        self.message = message
        self.spans = spans.compactMap(\.self)
    }
}

/// Positions of schema elements in the document.
extension TypeSystemRules {
    /// Returns the definition of a type and its extensions.
    func nodes(of type: NamedType) -> [TypeDefinition] {
        syntax.types.first(startingWith: type.node) { $0.definition.span }?.nodes ?? []
    }

    /// Returns the position of the type in a field's definition.
    func typeSpan(of field: SchemaField) -> SourceSpan? {
        node(of: field)?.type.span
    }

    /// Returns the position of the type in an argument's or input field's definition.
    func typeSpan(of value: SchemaInputValue) -> SourceSpan? { node(of: value)?.type.span }

    /// Returns the definition of an argument or input field.
    func node(of value: SchemaInputValue) -> InputValueDefinition? {
        document.inputValueDefinitions.first(startingWith: value.node, by: \.span)
    }

    private func node(of field: SchemaField) -> FieldDefinition? {
        document.fieldDefinitions.first(startingWith: field.node, by: \.span)
    }

    /// Returns the position of `@deprecated` on an argument or input field.
    func deprecation(of value: SchemaInputValue) -> SourceSpan? {
        node(of: value).flatMap { document.first("deprecated", in: $0.directives)?.span }
    }

    /// Returns the position of `@deprecated` on a field.
    func deprecation(of field: SchemaField) -> SourceSpan? {
        node(of: field).flatMap { document.first("deprecated", in: $0.directives)?.span }
    }

    /// Returns the positions where a type declares that it implements an interface.
    func implementsSpans(_ type: NamedType, _ interface: NamedType) -> [SourceSpan] {
        spans(of: interface.name, in: nodes(of: type).map(\.body.interfaces))
    }

    /// Returns the positions of a member in a union's definition and extensions.
    func memberSpans(_ union: NamedType, _ member: NamedType) -> [SourceSpan] {
        spans(of: member.name, in: nodes(of: union).map(\.body.members))
    }

    private func spans(of name: String, in lists: [NodeRange<Name>]) -> [SourceSpan] {
        lists.flatMap { document.nameLists[$0.indices] }.filter { document.text($0) == name }.map(\.span)
    }
}

extension Array {
    /// Returns the node whose span starts at the same position as `span`, among nodes in source order.
    fileprivate func first(startingWith span: SourceSpan?, by spanOf: (Element) -> SourceSpan) -> Element? {
        guard let span else { return nil }
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if spanOf(self[middle]).start < span.start { low = middle + 1 } else { high = middle }
        }
        return low < count && spanOf(self[low]) == span ? self[low] : nil
    }
}

extension TypeSystemRules {
    /// Rejects names that begin with two underscores, which are reserved for introspection (specification,
    /// section 4.1).
    func reservedName(_ name: String, at node: SourceSpan?) -> [SchemaValidationError] {
        guard name.hasPrefix("__") else { return [] }
        let message = """
            Name "\(name)" must not begin with "__", which is reserved by GraphQL introspection.
            """
        return [SchemaValidationError(message, at: [node])]
    }
}
