/// A type that every schema has: a scalar of the specification or a type of introspection.
///
/// Types refer to one another by name here; building a schema gives them their ids.
struct BuiltInType: Sendable {
    let name: String
    let description: String
    let shape: Shape

    enum Shape: Sendable {
        case scalar(BuiltInScalar)
        case object([BuiltInField])
        case `enum`([(name: String, description: String)])
    }

    /// All of them, by name.
    static let all: [String: BuiltInType] = Dictionary(
        (scalars + introspection).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Those that the specification's introspection chapter defines; their names begin with two underscores.
    static func isIntrospection(_ name: String) -> Bool {
        name.hasPrefix("__") && all[name] != nil
    }

    /// The names of the types that this one refers to, in the order of its fields.
    var references: [String] {
        switch shape {
        case .scalar, .enum: []
        case .object(let fields): fields.flatMap { [$0.type.name] + $0.arguments.map(\.type.name) }
        }
    }

    func namedType(id: TypeID, ids: [String: TypeID]) -> NamedType {
        let kind: NamedType.Kind =
            switch shape {
            case .scalar(let scalar):
                .scalar(ScalarType(builtIn: scalar))
            case .object(let fields):
                .object(CompositeType(interfaces: [], fields: fields.compactMap { $0.schemaField(ids) }))
            case .enum(let values):
                .enum(
                    EnumType(
                        values: values.map { SchemaEnumValue(name: $0.name, description: $0.description) }))
            }
        return NamedType(id: id, name: name, description: description, kind: kind)
    }
}

/// A field of an introspection type.
struct BuiltInField: Sendable {
    let name: String
    let type: BuiltInReference
    var description: String?
    var arguments: [BuiltInInputValue] = []

    /// Nil where `ids` lacks the field's type, which a schema's never do.
    func schemaField(_ ids: [String: TypeID]) -> SchemaField? {
        guard let type = type.resolved(ids) else { return nil }
        return SchemaField(
            name: name, description: description, type: type,
            arguments: arguments.compactMap { $0.schemaInputValue(ids) })
    }
}

/// An argument of a built-in field or directive.
struct BuiltInInputValue: Sendable {
    let name: String
    let type: BuiltInReference
    var description: String?
    var defaultValue: DefaultValue?

    func schemaInputValue(_ ids: [String: TypeID]) -> SchemaInputValue? {
        guard let type = type.resolved(ids) else { return nil }
        return SchemaInputValue(name: name, description: description, type: type, defaultValue: defaultValue)
    }
}

/// A type by name, with the lists and exclamation marks around it.
struct BuiltInReference: Sendable {
    let name: String
    let wrapping: Wrapping

    /// `Name`.
    static func nullable(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: Wrapping())
    }

    /// `Name!`.
    static func required(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: Wrapping().nonNull)
    }

    /// `[Name!]`.
    static func list(_ name: String) -> BuiltInReference {
        let items = Wrapping().nonNull
        return BuiltInReference(name: name, wrapping: items.list ?? items)
    }

    /// `[Name!]!`.
    static func requiredList(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: list(name).wrapping.nonNull)
    }

    func resolved(_ ids: [String: TypeID]) -> WrappedType? {
        ids[name].map { WrappedType($0, wrapping) }
    }
}
