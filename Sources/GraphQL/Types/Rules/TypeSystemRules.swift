enum TypeSystemRules {
    static func errors(in schema: Schema, _ syntax: SchemaSyntax, limit: Int) -> [GraphQLError] { [] }
}
