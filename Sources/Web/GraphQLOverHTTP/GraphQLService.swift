package import GraphQL

/// What the HTTP server serves: sessions, a schema, its documents and readiness, as values.
///
/// All closures are called on event loops and must not block.
package struct GraphQLService: Sendable {
    /// The session of a bearer token, from memory; of a request without a token if it is nil.
    ///
    /// The session of a token that is refused has the rights of a request without a token, and the reason as
    /// its `tokenRejection`.
    package var session: @Sendable (_ bearerToken: String?) -> any GraphQLSession
    /// Parses and validates the document of a request.
    ///
    /// It is called once for each request, before any step that depends on the document.
    package var prepare: @Sendable (GraphQLRequest) -> PreparedRequest = {
        PreparedRequest(unprepared: $0)
    }
    /// The schema, served at `/schema.graphql`.
    package var schemaText: String
    /// Which documents clients may name, and which may be run.
    package var documents = DocumentPolicy()
    /// The families that `/metrics` returns beside those of the server.
    package var metrics: @Sendable () -> [MetricFamily] = { [] }
    /// Continues the traces of clients; nil for no tracing.
    package var tracer: RequestTracer?
    /// The response of `/health/ready`.
    package var readiness: @Sendable () -> Readiness

    package init(
        schemaText: String, readiness: @escaping @Sendable () -> Readiness = { Readiness() },
        session: @escaping @Sendable (_ bearerToken: String?) -> any GraphQLSession
    ) {
        self.schemaText = schemaText
        self.readiness = readiness
        self.session = session
    }
}
