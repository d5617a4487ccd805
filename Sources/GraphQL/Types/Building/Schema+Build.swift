extension Schema {
    /// Builds a schema from definitions and extensions, and checks it whole (specification, chapter 3).
    ///
    /// Executable definitions in the document are passed over.
    ///
    /// - Parameters:
    ///   - document: The definitions; they may come in any order.
    ///   - scalarCoercions: How input for custom scalars is read, by name. A scalar without one accepts every value.
    ///   - errorLimit: After as many errors a last one says that there are more.
    /// - Returns: The schema, which keeps all rules.
    /// - Throws: Every breach of the rules for SDL; where there is none, every breach of the rules for type systems.
    public static func build(
        _ document: Document, scalarCoercions: [String: ScalarCoercion] = [:], errorLimit: Int = 100
    ) throws(GraphQLErrors) -> Schema {
        let syntax = SchemaDefinitions(document)
        try check(SDLRule.errors(in: syntax, limit: errorLimit))
        let builder = SchemaBuilder(syntax, scalarCoercions: scalarCoercions)
        let draft = builder.draft()
        try check(TypeSystemRules.errors(in: draft, syntax, limit: errorLimit))
        return builder.finished(draft)
    }

    /// Builds a schema from text, as `build(_:scalarCoercions:errorLimit:)` does from a document.
    ///
    /// - Parameters:
    ///   - text: The definitions.
    ///   - name: What the text is called, such as a file's path.
    ///   - scalarCoercions: How input for custom scalars is read, by name.
    ///   - errorLimit: After as many errors a last one says that there are more.
    /// - Returns: The schema, which keeps all rules.
    /// - Throws: The syntax error, or all errors of the schema.
    public static func build(
        _ text: String, name: String = "GraphQL schema", scalarCoercions: [String: ScalarCoercion] = [:],
        errorLimit: Int = 100
    ) throws(GraphQLErrors) -> Schema {
        let document: Document
        do throws(SyntaxError) {
            document = try parse(SourceText(text, name: name))
        } catch {
            throw GraphQLErrors([GraphQLError(error.message, locations: [error.location])])
        }
        return try build(document, scalarCoercions: scalarCoercions, errorLimit: errorLimit)
    }

    private static func check(_ errors: [GraphQLError]) throws(GraphQLErrors) {
        if !errors.isEmpty { throw GraphQLErrors(errors) }
    }
}
