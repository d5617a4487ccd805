package import GraphQL

/// The service of an HTTP server, as values: sessions, schema, documents and readiness.
///
/// All closures are called on event loops and must not block.
package struct GraphQLService: Sendable {
    /// Returns the session of a bearer token from memory; with nil, the session of a request without a
    /// token.
    ///
    /// The session of a rejected token has the rights of a request without a token, and the reason as its
    /// `tokenRejection`.
    package var session: @Sendable (_ bearerToken: String?) -> any GraphQLSession
    /// Parses and validates the document of a request.
    ///
    /// It is called once for each request, before any step that depends on the document.
    package var prepare: @Sendable (GraphQLRequest) -> PreparedRequest = {
        PreparedRequest(unprepared: $0)
    }
    /// The schema, served at `/schema.graphql`.
    package var schemaText: String
    /// The documents that clients may send by id or hash, and the documents that may be executed.
    package var documents = DocumentPolicy()
    /// The tools of the Model Context Protocol at `/mcp`; nil if it is off.
    package var tools: ToolCatalog?
    /// Where clients of the tools get tokens; nil if no identity provider issues any.
    package var toolsResource: ProtectedResource?
    /// The metric families that `/metrics` returns in addition to those of the server.
    package var metrics: @Sendable () -> [MetricFamily] = { [] }
    /// The use of caches, for `/debug/memory`.
    package var caches: @Sendable () -> [CacheUse] = { [] }
    /// Counts an operation that was executed, with the client that sent it; nil if uses are not counted.
    package var countUse: (@Sendable (PreparedRequest, ClientApplication?) -> Void)?
    /// Continues the traces of clients; nil if tracing is off.
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
