/// The fields that the query root has beside its own: `__schema` and `__type` (specification, section 4.1).
///
/// They are planned and written like any others.
struct Introspection: Sendable {
    let schema: Schema

    /// The meta-field with this name, planned; nil where it is no meta-field.
    func plan<Source>(
        _ name: String, _ source: Source.Type, on type: NamedType, _ fields: [SelectedField],
        with planner: inout Planner
    ) throws -> PlannedField<Source>? {
        guard type.id == schema.queryType else { return nil }
        let schema = schema
        let field: Field<Source>
        let definition: SchemaField?
        switch name {
        case "__schema":
            definition = MetaField.schema(in: schema)
            field = Field("__schema") { _ in IntrospectedSchema(schema: schema) }
        case "__type":
            definition = MetaField.type(in: schema)
            field = Field("__type", TypeName.self) { _, arguments in
                schema.typeID(named: arguments.name).map {
                    IntrospectedType(schema: schema, type: WrappedType($0))
                }
            }
        default:
            return nil
        }
        guard let definition else { return nil }
        return try field.plan(FieldSelection(fields: fields, definition: definition), &planner)
    }

    private struct TypeName: GraphQLArguments {
        let name: String

        init(_ arguments: ArgumentReader) throws {
            name = try arguments["name"]
        }
    }
}
