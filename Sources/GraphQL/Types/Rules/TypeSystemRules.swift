/// The rules for type systems (specification, chapter 3, "Type Validation"), checked on a schema that was built from
/// a document without breach of the rules for SDL.
///
/// Each rule stands in a file of its own, as a function of the part of the schema that it is about. This is the order
/// in which the reference implementation applies them, and thus the order of the errors.
struct TypeSystemRules {
    let schema: Schema
    let syntax: SchemaDefinitions
    /// How many errors are reported.
    let limit: Int

    var document: Document { syntax.document }

    /// Every breach of the rules; empty for a valid schema.
    ///
    /// After as many errors as `limit` says a last one tells that there are more.
    static func errors(in schema: Schema, _ syntax: SchemaDefinitions, limit: Int) -> [GraphQLError] {
        let faults = TypeSystemRules(schema: schema, syntax: syntax, limit: limit).all()
        let errors = syntax.document.source.locate(
            faults.prefix(max(0, limit)).map { ($0.message, $0.spans) })
        return faults.count > limit ? errors + [.tooManyErrors] : errors
    }

    private func all() -> [SchemaValidationError] {
        var faults = rootOperationTypes()
        for directive in schema.directives { faults += directiveDefinition(directive) }
        var defaultCycles = DefaultValueCycles(rules: self)
        for type in schema.types { faults += self.type(type, &defaultCycles) }
        return faults + inputObjectCycles()
    }

    private func type(_ type: NamedType, _ defaultCycles: inout DefaultValueCycles) -> [SchemaValidationError]
    {
        // Built-in types keep the rules; their names are the one exception to one of them.
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

/// One breach of a rule for type systems.
struct SchemaValidationError {
    let message: String
    /// The places that the error names, in order; built-in parts have none.
    let spans: [SourceSpan]

    init(_ message: String, at spans: [SourceSpan?] = []) {
        self.message = message
        self.spans = spans.compactMap(\.self)
    }
}
