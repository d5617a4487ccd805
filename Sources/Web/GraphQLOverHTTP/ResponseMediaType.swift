/// The two forms of a GraphQL response: the same JSON, with statuses of their own (GraphQL over HTTP, "Response").
package enum ResponseMediaType: Sendable, Hashable {
    /// `application/graphql-response+json`: the status tells whether the operation ran.
    case graphQLResponse
    /// `application/json`: the status is 200 for whatever the engine answers, since proxies may have made any other.
    case json

    package var contentType: StaticString {
        switch self {
        case .graphQLResponse: "application/graphql-response+json; charset=utf-8"
        case .json: "application/json; charset=utf-8"
        }
    }

    /// The media type's name without parameters.
    var name: StaticString {
        switch self {
        case .graphQLResponse: "application/graphql-response+json"
        case .json: "application/json"
        }
    }
}
