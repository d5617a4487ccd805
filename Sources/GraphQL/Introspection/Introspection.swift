/// The additional fields of the query root: `__schema` and `__type` (specification, section 4.1).
///
/// They are planned and written like all other fields.
struct Introspection: Sendable {
    /// A field of the query root, independent of its Swift type.
    struct RootField: Sendable {
        let field: AnyField
        let definition: SchemaField
    }

    private let queryType: TypeID?
    private let schemaField: RootField?
    private let typeField: RootField?

    init(schema: Schema) {
        queryType = schema.queryType
        // `Void`, because these fields do not read the root value.
        schemaField = schema.queryType.flatMap { queryType in
            let whole = Field<Void>("__schema") { _ in
                IntrospectedSchema(schema: schema, queryType: queryType)
            }
            return MetaField.schema(in: schema).map { RootField(field: whole.bound, definition: $0) }
        }
        let type = Field<Void>("__type", TypeName.self) { _, arguments in
            schema.typeID(named: arguments.name).map {
                IntrospectedType(schema: schema, type: GraphQLType($0))
            }
        }
        typeField = MetaField.type(in: schema).map { RootField(field: type.bound, definition: $0) }
    }

    /// Returns the meta-field with this name; nil for other names.
    func field(named name: String, of type: TypeID) -> RootField? {
        guard type == queryType else { return nil }
        return switch name {
        case "__schema": schemaField
        case "__type": typeField
        default: nil
        }
    }

    private struct TypeName: GraphQLArguments {
        let name: String

        init(_ arguments: ArgumentReader) throws {
            name = try arguments["name"]
        }
    }
}

/// The fields that introspection adds to a schema's types (specification, section 4.1 and 4.2).
///
/// They are not in the field list of any type.
package enum MetaField {
    /// Returns `__typename: String!`, a field of every composite type.
    package static func typename(in schema: Schema) -> SchemaField? {
        schema.typeID(named: "String").map {
            SchemaField(
                name: "__typename", description: "The name of the current Object type at runtime.",
                type: GraphQLType($0, Wrapping().nonNull))
        }
    }

    /// Returns `__schema: __Schema!`, a field of the query type.
    package static func schema(in schema: Schema) -> SchemaField? {
        schema.typeID(named: "__Schema").map {
            SchemaField(
                name: "__schema", description: "Access the current type schema of this server.",
                type: GraphQLType($0, Wrapping().nonNull))
        }
    }

    /// Returns `__type(name: String!): __Type`, a field of the query type.
    package static func type(in schema: Schema) -> SchemaField? {
        guard let type = schema.typeID(named: "__Type"), let string = schema.typeID(named: "String") else {
            return nil
        }
        let name = SchemaInputValue(name: "name", type: GraphQLType(string, Wrapping().nonNull))
        return SchemaField(
            name: "__type", description: "Request the type information of a single type.",
            type: GraphQLType(type), arguments: [name])
    }
}
