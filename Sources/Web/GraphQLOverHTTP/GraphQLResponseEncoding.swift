import GraphQL
import NIOHTTP1
import Synchronization

extension HTTPResponse {
    /// A response of the engine, with the status for its media type (GraphQL over HTTP, "Status Codes").
    init(_ response: GraphQLResponse, as type: ResponseMediaType) {
        let status: HTTPResponseStatus =
            switch (type, response.outcome) {
            case (_, .complete), (_, .partial), (.json, .requestError): .ok
            case (.graphQLResponse, .requestError): .badRequest
            case (_, .notAllowed): .methodNotAllowed
            }
        self.init(status, type.contentType, body: response.body)
        // An operation that a safe method may not execute is allowed with POST (GraphQL over HTTP, section
        // "GET").
        if response.outcome == .notAllowed { headers = [Header("allow", "POST")] }
    }

    /// A response of the engine, with its cache policy; `age` is the age in seconds of a reused response,
    /// nil for a new one.
    init(
        _ response: GraphQLResponse, to request: PreparedRequest, _ policy: CachePolicy?, age: Int?,
        in context: RequestContext
    ) {
        self.init(response, as: context.responseType)
        operation = OperationSummary(
            request, response.outcome, from: context.application, isReused: age != nil)
        if let policy {
            // The next attempt can succeed where this one failed.
            let isComplete = response.outcome == .complete
            let value = isComplete ? policy.headerValue(for: context.session) : "no-store"
            headers.append(Header("cache-control", value))
        }
        if let age { headers.append(Header("age", "\(age)")) }
    }

    /// The response to GET with the header fields for caches, which otherwise store responses by default.
    var withCacheHeaders: HTTPResponse {
        var response = self
        if !headers.contains(where: { "\($0.name)" == "cache-control" }) {
            // Only the client stores it, and validates it before each use.
            response.headers.append(Header("cache-control", "private, no-cache"))
        }
        response.headers.append(Header("vary", "accept, authorization, portico-upstream"))
        return response
    }

    /// The responses to a batch, in an array; thrown errors are replaced by the internal server error.
    init(
        batch responses: [Result<GraphQLResponse, any Error>], as type: ResponseMediaType, id: RequestID
    ) {
        var body: [UInt8] = []
        for response in responses {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch response {
            case .success(let response): body += response.body
            case .failure: body += HTTPError.internalError.graphQLResponse(id: id).body
            }
        }
        body.append(UInt8(ascii: "]"))
        self.init(.ok, type.contentType, body: body)
    }
}

/// The memory of the responses to a batch, which are in memory until the last one is complete.
final class BatchMemory: Sendable {
    /// All together have the limit of one response.
    private let limit = OperationLimits.default.responseBytes
    // Responses are completed on several threads.
    private let bytes = Atomic(0)

    /// Returns a response, or an error in its place if all responses together have more bytes than the limit.
    func retain(_ response: GraphQLResponse, to operation: OperationType) -> GraphQLResponse {
        let count = response.body.count
        if bytes.wrappingAdd(count, ordering: .relaxed).newValue <= limit { return response }
        bytes.wrappingSubtract(count, ordering: .relaxed)
        return GraphQLResponse(requestErrors: [
            GraphQLError(tooLargeResponseTo: operation, limit: limit)
        ])
    }
}

extension CachePolicy {
    /// The value of `Cache-Control` (RFC 9111, section 5.2.2).
    ///
    /// Public values can depend on the connections of the user, and with `public` a cache for several users may store the
    /// response to a request with `Authorization` (section 3.5). So it is for responses only that all clients may read.
    fileprivate func headerValue(for session: any GraphQLSession) -> String {
        if maxAge <= 0 { return "no-store" }
        let isForAll = !isPrivate && session.cacheAudience?.isEmpty == true
        return "\(isForAll ? "public" : "private"), max-age=\(maxAge)"
    }
}
