/// `__Schema` (specification, section 4.2.1).
struct IntrospectedSchema: GraphQLObject {
    let schema: Schema

    static let graphQL = ObjectType<IntrospectedSchema>("__Schema") {
        Field("description") { $0.schema.description }
        Field("types") { source in source.schema.types.map { source.type($0.id) } }
        Field("queryType") { source in source.schema.queryType.map(source.type) }
        Field("mutationType") { source in source.schema.mutationType.map(source.type) }
        Field("subscriptionType") { source in source.schema.subscriptionType.map(source.type) }
        Field("directives") { source in
            source.schema.directives.map { IntrospectedDirective(schema: source.schema, directive: $0) }
        }
    }

    private func type(_ id: TypeID) -> IntrospectedType {
        IntrospectedType(schema: schema, type: WrappedType(id))
    }
}
