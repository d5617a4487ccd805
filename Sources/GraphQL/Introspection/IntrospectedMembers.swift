/// `__Field` (specification, section 4.2.3).
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

/// `__InputValue` (specification, section 4.2.4): an argument, or a field of an input object type.
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

/// `__EnumValue` (specification, section 4.2.5).
struct IntrospectedEnumValue: GraphQLObject {
    let value: SchemaEnumValue

    static let graphQL = ObjectType<IntrospectedEnumValue>("__EnumValue") {
        Field("name", \.value.name)
        Field("description", \.value.description)
        Field("isDeprecated") { $0.value.deprecationReason != nil }
        Field("deprecationReason", \.value.deprecationReason)
    }
}

/// `__Directive` (specification, section 4.2.6).
struct IntrospectedDirective: GraphQLObject {
    let schema: Schema
    let directive: DirectiveType

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
    /// `__DirectiveLocation` (specification, section 4.2.6).
    public static var graphQLName: String { "__DirectiveLocation" }
}
