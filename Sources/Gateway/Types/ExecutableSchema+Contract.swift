package import GraphQL

extension ExecutableSchema where Context == GatewayContext {
    /// The public schema, bound to what answers it.
    ///
    /// - Parameters:
    ///   - text: the schema, as it is published.
    ///   - options: how operations are treated.
    /// - Throws: where the text is no schema, or differs from what is bound to it.
    package convenience init(contract text: String, options: ExecutionOptions = ExecutionOptions()) throws {
        try self.init(
            Schema.build(text, name: "schema.graphql"), query: Query(), mutation: Mutation(),
            subscription: Subscription(), context: GatewayContext.self, guards: [.requires],
            options: options)
    }
}
