/// The introspection type `__Schema` (specification, section 4.2.1).
struct IntrospectedSchema: GraphQLObject {
    let schema: Schema
    let queryType: TypeID

    static let graphQL = ObjectType<IntrospectedSchema>("__Schema") {
        Field("description") { $0.schema.description }
        Field("types") { source in source.schema.types.map { source.type($0.id) } }
        Field("queryType") { source in source.type(source.queryType) }
        Field("mutationType") { source in source.schema.mutationType.map(source.type) }
        Field("subscriptionType") { source in source.schema.subscriptionType.map(source.type) }
        Field("directives") { source in
            source.schema.directives.map { IntrospectedDirective(schema: source.schema, directive: $0) }
        }
    }

    private func type(_ id: TypeID) -> IntrospectedType {
        IntrospectedType(schema: schema, type: GraphQLType(id))
    }
}

/// The introspection type `__Type` (specification, section 4.2.2): a named type, or a list or non-null
/// around a type.
struct IntrospectedType: GraphQLObject {
    let schema: Schema
    let type: GraphQLType

    static let graphQL = ObjectType<IntrospectedType>("__Type") {
        Field("kind", \.kind)
        Field("name") { $0.named?.name }
        Field("description") { $0.named?.description }
        Field("specifiedByURL") { $0.specifiedByURL }
        Field("fields", IncludeDeprecated.self) { $0.fields(includeDeprecated: $1.includeDeprecated) }
        Field("interfaces") { $0.interfaces }
        Field("possibleTypes") { $0.possibleTypes }
        Field("enumValues", IncludeDeprecated.self) { $0.enumValues(includeDeprecated: $1.includeDeprecated) }
        Field("inputFields", IncludeDeprecated.self) {
            $0.inputFields(includeDeprecated: $1.includeDeprecated)
        }
        Field("ofType") { $0.ofType }
        Field("isOneOf") { $0.isOneOf }
    }

    /// The named type; nil for a list or a non-null type.
    private var named: NamedType? {
        type.wrapping.isNonNull || type.wrapping.isList ? nil : schema[type.type]
    }

    private var kind: IntrospectedTypeKind {
        if type.wrapping.isNonNull { return .nonNull }
        if type.wrapping.isList { return .list }
        return switch schema[type.type].kind {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enum: .enum
        case .inputObject: .inputObject
        }
    }

    private var specifiedByURL: String? {
        guard case .scalar(let scalar) = named?.kind else { return nil }
        return scalar.specifiedByURL
    }

    private var ofType: IntrospectedType? {
        if type.wrapping.isNonNull { return around(type.wrapping.nullable) }
        return type.wrapping.item.map(around)
    }

    private func around(_ wrapping: Wrapping) -> IntrospectedType {
        IntrospectedType(schema: schema, type: GraphQLType(type.type, wrapping))
    }

    private var isOneOf: Bool? {
        guard case .inputObject(let inputObject) = named?.kind else { return nil }
        return inputObject.isOneOf
    }

    private func fields(includeDeprecated: Bool) -> [IntrospectedField]? {
        switch named?.kind {
        case .object(let composite), .interface(let composite):
            composite.fields.lazy
                .filter { includeDeprecated || $0.deprecationReason == nil }
                .map { IntrospectedField(schema: schema, field: $0) }
        case .scalar, .union, .enum, .inputObject, nil: nil
        }
    }

    private var interfaces: [IntrospectedType]? {
        switch named?.kind {
        case .object(let composite), .interface(let composite): types(composite.interfaces)
        case .scalar, .union, .enum, .inputObject, nil: nil
        }
    }

    private var possibleTypes: [IntrospectedType]? {
        guard let named, named.isAbstract else { return nil }
        return types(schema.possibleTypes(of: named.id))
    }

    private func types(_ ids: [TypeID]) -> [IntrospectedType] {
        ids.map { IntrospectedType(schema: schema, type: GraphQLType($0)) }
    }

    private func enumValues(includeDeprecated: Bool) -> [IntrospectedEnumValue]? {
        guard case .enum(let type) = named?.kind else { return nil }
        return type.values.lazy
            .filter { includeDeprecated || $0.deprecationReason == nil }
            .map { IntrospectedEnumValue(value: $0) }
    }

    private func inputFields(includeDeprecated: Bool) -> [IntrospectedInputValue]? {
        guard case .inputObject(let type) = named?.kind else { return nil }
        return IntrospectedInputValue.list(type.fields, in: schema, includeDeprecated: includeDeprecated)
    }
}

/// The introspection enum `__TypeKind` (specification, section 4.2.2).
enum IntrospectedTypeKind: String, GraphQLEnum {
    case scalar = "SCALAR"
    case object = "OBJECT"
    case interface = "INTERFACE"
    case union = "UNION"
    case `enum` = "ENUM"
    case inputObject = "INPUT_OBJECT"
    case list = "LIST"
    case nonNull = "NON_NULL"

    static var graphQLName: String { "__TypeKind" }
}

/// The argument of lists that exclude deprecated members by default.
struct IncludeDeprecated: GraphQLArguments {
    let includeDeprecated: Bool

    init(_ arguments: ArgumentReader) throws {
        includeDeprecated = try arguments["includeDeprecated"]
    }
}

/// The introspection type `__Field` (specification, section 4.2.3).
struct IntrospectedField: GraphQLObject {
    let schema: Schema
    let field: SchemaField

    static let graphQL = ObjectType<IntrospectedField>("__Field") {
        Field("name") { $0.field.name }
        Field("description") { $0.field.description }
        Field("args", IncludeDeprecated.self) {
            IntrospectedInputValue.list(
                $0.field.arguments, in: $0.schema, includeDeprecated: $1.includeDeprecated)
        }
        Field("type") { IntrospectedType(schema: $0.schema, type: $0.field.type) }
        Field("isDeprecated") { $0.field.deprecationReason != nil }
        Field("deprecationReason") { $0.field.deprecationReason }
    }
}

/// The introspection type `__InputValue` (specification, section 4.2.4): an argument, or a field of an input
/// object type.
struct IntrospectedInputValue: GraphQLObject {
    let schema: Schema
    let value: SchemaInputValue

    static let graphQL = ObjectType<IntrospectedInputValue>("__InputValue") {
        Field("name", \.value.name)
        Field("description", \.value.description)
        Field("type") { IntrospectedType(schema: $0.schema, type: $0.value.type) }
        Field("defaultValue") { $0.value.defaultValue?.literal }
        Field("isDeprecated") { $0.value.deprecationReason != nil }
        Field("deprecationReason", \.value.deprecationReason)
    }

    static func list(
        _ values: [SchemaInputValue], in schema: Schema, includeDeprecated: Bool
    ) -> [IntrospectedInputValue] {
        values.lazy
            .filter { includeDeprecated || $0.deprecationReason == nil }
            .map { IntrospectedInputValue(schema: schema, value: $0) }
    }
}

/// The introspection type `__EnumValue` (specification, section 4.2.5).
struct IntrospectedEnumValue: GraphQLObject {
    let value: SchemaEnumValue

    static let graphQL = ObjectType<IntrospectedEnumValue>("__EnumValue") {
        Field("name", \.value.name)
        Field("description", \.value.description)
        Field("isDeprecated") { $0.value.deprecationReason != nil }
        Field("deprecationReason", \.value.deprecationReason)
    }
}

/// The introspection type `__Directive` (specification, section 4.2.6).
struct IntrospectedDirective: GraphQLObject {
    let schema: Schema
    let directive: SchemaDirective

    static let graphQL = ObjectType<IntrospectedDirective>("__Directive") {
        Field("name", \.directive.name)
        Field("description", \.directive.description)
        Field("isRepeatable", \.directive.isRepeatable)
        Field("locations", \.directive.locations)
        Field("args", IncludeDeprecated.self) {
            IntrospectedInputValue.list(
                $0.directive.arguments, in: $0.schema, includeDeprecated: $1.includeDeprecated)
        }
    }
}

extension DirectiveLocation: GraphQLEnum {
    /// The name `__DirectiveLocation` (specification, section 4.2.6).
    public static var graphQLName: String { "__DirectiveLocation" }
}
