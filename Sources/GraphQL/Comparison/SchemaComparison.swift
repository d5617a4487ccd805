extension Schema {
    /// What is different in a newer schema, in the reference implementation's order: types, then directives.
    ///
    /// What an operation can tell is compared, so defaults are compared as introspection shows them, and directives
    /// applied to definitions are not compared at all, deprecation among them. Neither is which type operations begin
    /// from, nor whether an input object is a OneOf one: the reference implementation has no kinds for these.
    public func changes(to newer: Schema) -> [SchemaChange] {
        let comparison = SchemaComparison(older: self, newer: newer)
        return comparison.typeChanges + comparison.directiveChanges
    }
}

/// Two schemas, and what is different in the newer one.
struct SchemaComparison {
    let older: Schema
    let newer: Schema
    private let olderDefaults: DefaultLiterals
    private let newerDefaults: DefaultLiterals

    init(older: Schema, newer: Schema) {
        self.older = older
        self.newer = newer
        olderDefaults = DefaultLiterals(of: older)
        newerDefaults = DefaultLiterals(of: newer)
    }

    var typeChanges: [SchemaChange] {
        let types = NamedDifference(older.types, newer.types, by: \.name)
        return types.removed.map { SchemaChange(.typeRemoved, .type($0.name)) }
            + types.added.map { SchemaChange(.typeAdded, .type($0.name)) }
            + types.kept.flatMap { old, new in
                description(old.description, new.description, of: .type(old.name)) + changes(old, new)
            }
    }

    private func changes(_ old: NamedType, _ new: NamedType) -> [SchemaChange] {
        let name = old.name
        switch (old.kind, new.kind) {
        case (.scalar, .scalar): return []
        case (.object(let old), .object(let new)), (.interface(let old), .interface(let new)):
            return fieldChanges(of: name, old, new) + interfaceChanges(of: name, old, new)
        case (.union(let old), .union(let new)): return memberChanges(of: name, old, new)
        case (.enum(let old), .enum(let new)): return valueChanges(of: name, old, new)
        case (.inputObject(let old), .inputObject(let new)): return inputFieldChanges(of: name, old, new)
        case (.scalar, _), (.object, _), (.interface, _), (.union, _), (.enum, _), (.inputObject, _):
            return [
                SchemaChange(.typeChangedKind, .type(name), before: old.kind.noun, after: new.kind.noun)
            ]
        }
    }

    /// The change of a description, if it is one.
    ///
    /// The noun says what kind of member it is, as the wording needs it; nil for types and directives.
    func description(
        _ old: String?, _ new: String?, of subject: SchemaCoordinate, noun: String? = nil
    ) -> [SchemaChange] {
        old == new ? [] : [SchemaChange(.descriptionChanged, subject, before: noun, after: new)]
    }

    /// The default as it is compared; nil where there is none.
    func oldDefault(_ value: SchemaInputValue) -> String? { olderDefaults.literal(of: value) }

    /// See `oldDefault`.
    func newDefault(_ value: SchemaInputValue) -> String? { newerDefaults.literal(of: value) }
}

extension NamedType.Kind {
    fileprivate var noun: String {
        switch self {
        case .scalar: "a Scalar type"
        case .object: "an Object type"
        case .interface: "an Interface type"
        case .union: "a Union type"
        case .enum: "an Enum type"
        case .inputObject: "an Input type"
        }
    }
}
