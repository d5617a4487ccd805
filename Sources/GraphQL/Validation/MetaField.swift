/// The fields that introspection adds to a schema's types (specification, section 4.1 and 4.2).
///
/// They belong to no type's list of fields.
package enum MetaField {
    /// `__typename: String!`, of every composite type.
    package static func typename(in schema: Schema) -> SchemaField? {
        schema.typeID(named: "String").map {
            SchemaField(
                name: "__typename", description: "The name of the current Object type at runtime.",
                type: WrappedType($0, Wrapping().nonNull))
        }
    }

    /// `__schema: __Schema!`, of the query type.
    package static func schema(in schema: Schema) -> SchemaField? {
        schema.typeID(named: "__Schema").map {
            SchemaField(
                name: "__schema", description: "Access the current type schema of this server.",
                type: WrappedType($0, Wrapping().nonNull))
        }
    }

    /// `__type(name: String!): __Type`, of the query type.
    package static func type(in schema: Schema) -> SchemaField? {
        guard let type = schema.typeID(named: "__Type"), let string = schema.typeID(named: "String") else {
            return nil
        }
        let name = SchemaInputValue(name: "name", type: WrappedType(string, Wrapping().nonNull))
        return SchemaField(
            name: "__type", description: "Request the type information of a single type.",
            type: WrappedType(type), arguments: [name])
    }
}
