import GraphQL

extension Document {
    /// Parses a text within the bounds of commands.
    ///
    /// - Throws: The syntax error.
    init(reading source: SourceText) throws(GraphQLErrors) {
        do {
            self = try parse(source, limits: DeepStack.limits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
    }
}
