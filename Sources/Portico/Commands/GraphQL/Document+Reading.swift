import GraphQL

extension Document {
    /// Parses a text within the bounds of commands.
    ///
    /// - Throws: The syntax error.
    static func read(
        _ source: SourceText, within limits: ParserLimits = LargeStackThread.limits
    ) throws(GraphQLErrors) -> Document {
        do {
            return try parse(source, limits: limits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
    }
}
