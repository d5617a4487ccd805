/// A type that every schema has: a scalar of the specification or an introspection type.
///
/// Built-in types refer to one another by name; the schema builder assigns their ids.
struct BuiltInType: Sendable {
    let name: String
    let description: String
    let shape: Shape

    enum Shape: Sendable {
        case scalar(BuiltInScalar)
        case object([BuiltInField])
        case `enum`([(name: String, description: String)])
    }

    /// All built-in types, by name.
    static let all: [String: BuiltInType] = Dictionary(
        (scalars + introspection).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns true for introspection types (specification, chapter 4); their names begin with two
    /// underscores.
    static func isIntrospection(_ name: String) -> Bool {
        name.hasPrefix("__") && all[name] != nil
    }

    /// The names of the referenced types, in the order of the fields.
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
                .object(FieldsContainer(interfaces: [], fields: fields.compactMap { $0.schemaField(ids) }))
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

    /// Creates the schema's field; nil if `ids` lacks the field's type, which cannot occur in a built
    /// schema.
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

/// A named type with the lists and non-null markers around it.
struct BuiltInReference: Sendable {
    let name: String
    let wrapping: Wrapping

    /// Returns `Name`.
    static func nullable(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: Wrapping())
    }

    /// Returns `Name!`.
    static func required(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: Wrapping().nonNull)
    }

    /// Returns `[Name!]`.
    static func list(_ name: String) -> BuiltInReference {
        let items = Wrapping().nonNull
        return BuiltInReference(name: name, wrapping: items.list ?? items)
    }

    /// Returns `[Name!]!`.
    static func requiredList(_ name: String) -> BuiltInReference {
        BuiltInReference(name: name, wrapping: list(name).wrapping.nonNull)
    }

    func resolved(_ ids: [String: TypeID]) -> GraphQLType? {
        ids[name].map { GraphQLType($0, wrapping) }
    }
}

extension BuiltInType {
    /// The five scalars (specification, section 3.5), with the descriptions of the reference implementation.
    static let scalars = [
        scalar(
            .string,
            """
            The `String` scalar type represents textual data, represented as UTF-8 character sequences. The String \
            type is most often used by GraphQL to represent free-form human-readable text.
            """),
        scalar(
            .int,
            """
            The `Int` scalar type represents non-fractional signed whole numeric values. Int can represent values \
            between -(2^31) and 2^31 - 1.
            """),
        scalar(
            .float,
            """
            The `Float` scalar type represents signed double-precision fractional values as specified by \
            [IEEE 754](https://en.wikipedia.org/wiki/IEEE_floating_point).
            """),
        scalar(.boolean, "The `Boolean` scalar type represents `true` or `false`."),
        scalar(
            .id,
            """
            The `ID` scalar type represents a unique identifier, often used to refetch an object or as key for a \
            cache. The ID type appears in a JSON response as a String; however, it is not intended to be \
            human-readable. When expected as an input type, any string (such as `"4"`) or integer (such as `4`) \
            input value will be accepted as an ID.
            """),
    ]

    private static func scalar(_ scalar: BuiltInScalar, _ description: String) -> BuiltInType {
        BuiltInType(name: scalar.rawValue, description: description, shape: .scalar(scalar))
    }
}

extension BuiltInType {
    /// The introspection types (specification, section 4.2), with the descriptions of the reference
    /// implementation.
    static let introspection = [
        schema, directive, directiveLocation, type, field, inputValue, enumValue, typeKind,
    ]

    private static let schema = BuiltInType(
        name: "__Schema",
        description: """
            A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and \
            directives on the server, as well as the entry points for query, mutation, and subscription operations.
            """,
        shape: .object([
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(
                name: "types", type: .requiredList("__Type"),
                description: "A list of all types supported by this server."),
            BuiltInField(
                name: "queryType", type: .required("__Type"),
                description: "The type that query operations will be rooted at."),
            BuiltInField(
                name: "mutationType", type: .nullable("__Type"),
                description: """
                    If this server supports mutation, the type that mutation operations will be rooted at.
                    """),
            BuiltInField(
                name: "subscriptionType", type: .nullable("__Type"),
                description: """
                    If this server supports subscription, the type that subscription operations will be rooted at.
                    """),
            BuiltInField(
                name: "directives", type: .requiredList("__Directive"),
                description: "A list of all directives supported by this server."),
        ]))

    private static let directive = BuiltInType(
        name: "__Directive",
        description: """
            A Directive provides a way to describe alternate runtime execution and type validation behavior in a \
            GraphQL document.

            In some cases, you need to provide options to alter GraphQL's execution behavior in ways field \
            arguments will not suffice, such as conditionally including or skipping a field. Directives provide \
            this by describing additional information to the executor.
            """,
        shape: .object([
            BuiltInField(name: "name", type: .required("String")),
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(name: "isRepeatable", type: .required("Boolean")),
            BuiltInField(name: "locations", type: .requiredList("__DirectiveLocation")),
            BuiltInField(
                name: "args", type: .requiredList("__InputValue"), arguments: [includeDeprecated]),
        ]))

    private static let type = BuiltInType(
        name: "__Type",
        description: """
            The fundamental unit of any GraphQL Schema is the type. There are many kinds of types in GraphQL as \
            represented by the `__TypeKind` enum.

            Depending on the kind of a type, certain fields describe information about that type. Scalar types \
            provide no information beyond a name, description and optional `specifiedByURL`, while Enum types \
            provide their values. Object and Interface types provide the fields they describe. Abstract types, \
            Union and Interface, provide the Object types possible at runtime. List and NonNull types compose \
            other types.
            """,
        shape: .object([
            BuiltInField(name: "kind", type: .required("__TypeKind")),
            BuiltInField(name: "name", type: .nullable("String")),
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(name: "specifiedByURL", type: .nullable("String")),
            BuiltInField(name: "fields", type: .list("__Field"), arguments: [includeDeprecated]),
            BuiltInField(name: "interfaces", type: .list("__Type")),
            BuiltInField(name: "possibleTypes", type: .list("__Type")),
            BuiltInField(name: "enumValues", type: .list("__EnumValue"), arguments: [includeDeprecated]),
            BuiltInField(name: "inputFields", type: .list("__InputValue"), arguments: [includeDeprecated]),
            BuiltInField(name: "ofType", type: .nullable("__Type")),
            BuiltInField(name: "isOneOf", type: .nullable("Boolean")),
        ]))

    private static let field = BuiltInType(
        name: "__Field",
        description: """
            Object and Interface types are described by a list of Fields, each of which has a name, potentially a \
            list of arguments, and a return type.
            """,
        shape: .object([
            BuiltInField(name: "name", type: .required("String")),
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(
                name: "args", type: .requiredList("__InputValue"), arguments: [includeDeprecated]),
            BuiltInField(name: "type", type: .required("__Type")),
            BuiltInField(name: "isDeprecated", type: .required("Boolean")),
            BuiltInField(name: "deprecationReason", type: .nullable("String")),
        ]))

    private static let inputValue = BuiltInType(
        name: "__InputValue",
        description: """
            Arguments provided to Fields or Directives and the input fields of an InputObject are represented as \
            Input Values which describe their type and optionally a default value.
            """,
        shape: .object([
            BuiltInField(name: "name", type: .required("String")),
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(name: "type", type: .required("__Type")),
            BuiltInField(
                name: "defaultValue", type: .nullable("String"),
                description: """
                    A GraphQL-formatted string representing the default value for this input value.
                    """),
            BuiltInField(name: "isDeprecated", type: .required("Boolean")),
            BuiltInField(name: "deprecationReason", type: .nullable("String")),
        ]))

    private static let enumValue = BuiltInType(
        name: "__EnumValue",
        description: """
            One possible value for a given Enum. Enum values are unique values, not a placeholder for a string or \
            numeric value. However an Enum value is returned in a JSON response as a string.
            """,
        shape: .object([
            BuiltInField(name: "name", type: .required("String")),
            BuiltInField(name: "description", type: .nullable("String")),
            BuiltInField(name: "isDeprecated", type: .required("Boolean")),
            BuiltInField(name: "deprecationReason", type: .nullable("String")),
        ]))

    private static let typeKind = BuiltInType(
        name: "__TypeKind",
        description: "An enum describing what kind of type a given `__Type` is.",
        shape: .enum([
            ("SCALAR", "Indicates this type is a scalar."),
            ("OBJECT", "Indicates this type is an object. `fields` and `interfaces` are valid fields."),
            (
                "INTERFACE",
                "Indicates this type is an interface. `fields`, `interfaces`, and `possibleTypes` are valid fields."
            ),
            ("UNION", "Indicates this type is a union. `possibleTypes` is a valid field."),
            ("ENUM", "Indicates this type is an enum. `enumValues` is a valid field."),
            ("INPUT_OBJECT", "Indicates this type is an input object. `inputFields` is a valid field."),
            ("LIST", "Indicates this type is a list. `ofType` is a valid field."),
            ("NON_NULL", "Indicates this type is a non-null. `ofType` is a valid field."),
        ]))

    private static let directiveLocation = BuiltInType(
        name: "__DirectiveLocation",
        description: """
            A Directive can be adjacent to many parts of the GraphQL language, a __DirectiveLocation describes one \
            such possible adjacencies.
            """,
        shape: .enum(
            DirectiveLocation.allCases.map { ($0.rawValue, "Location adjacent to \($0.introspectionNoun).") })
    )

    /// The argument that includes deprecated elements.
    private static let includeDeprecated = BuiltInInputValue(
        name: "includeDeprecated", type: .required("Boolean"),
        defaultValue: DefaultValue(literal: "false", value: .boolean(false)))
}

extension DirectiveLocation {
    /// The description of the location in introspection.
    fileprivate var introspectionNoun: String {
        switch self {
        case .query: "a query operation"
        case .mutation: "a mutation operation"
        case .subscription: "a subscription operation"
        case .field: "a field"
        case .fragmentDefinition: "a fragment definition"
        case .fragmentSpread: "a fragment spread"
        case .inlineFragment: "an inline fragment"
        case .variableDefinition: "an operation variable definition"
        case .schema: "a schema definition"
        case .scalar: "a scalar definition"
        case .object: "an object type definition"
        case .fieldDefinition: "a field definition"
        case .argumentDefinition: "an argument definition"
        case .interface: "an interface definition"
        case .union: "a union definition"
        case .enum: "an enum definition"
        case .enumValue: "an enum value definition"
        case .inputObject: "an input object type definition"
        case .inputFieldDefinition: "an input object field definition"
        }
    }
}
