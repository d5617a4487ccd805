import GraphQL

extension Document {
    /// Parses a text within the bounds of commands.
    ///
    /// - Throws: The syntax error.
    init(reading source: SourceText, within limits: ParserLimits = DeepStack.limits) throws(GraphQLErrors) {
        do {
            self = try parse(source, limits: limits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
    }
}
