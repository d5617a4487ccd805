import NIOHTTP1

/// `/schema.graphql`: the contract, for code generators and people.
struct SchemaRoute: Sendable {
    let response: HTTPResponse

    /// As plain text, which browsers show; GraphQL's language has no registered media type.
    init(_ text: String) {
        response = HTTPResponse(.ok, "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
