import GraphQL
import NIOHTTP1

extension HTTPResponse {
    /// An answer of the engine, with the status that its media type gives it (GraphQL over HTTP, "Status Codes").
    init(_ response: GraphQLResponse, as type: ResponseMediaType) {
        let status: HTTPResponseStatus =
            switch (type, response.outcome) {
            case (_, .complete), (_, .partial), (.json, .requestError): .ok
            case (.graphQLResponse, .requestError): .badRequest
            case (_, .notAllowed): .methodNotAllowed
            }
        self.init(status, type.contentType, body: response.body)
        // What a safe method may not run, POST may (GraphQL over HTTP, section "GET").
        if response.outcome == .notAllowed { headers = [Header("allow", "POST")] }
    }

    /// The same, with how long it may be kept; `age` is how long ago it was made, where it is reused.
    init(
        _ response: GraphQLResponse, to request: PreparedRequest, _ policy: CachePolicy?, age: Int?,
        as type: ResponseMediaType
    ) {
        self.init(response, as: type)
        operation = OperationSummary(request, response.outcome, isReused: age != nil)
        if let policy {
            // What has failed may be there the next time.
            let isWhole = response.outcome == .complete
            headers.append(Header("cache-control", isWhole ? policy.headerValue : "no-store"))
        }
        if let age { headers.append(Header("age", "\(age)")) }
    }

    /// The answer to GET, which caches keep if they are not told otherwise.
    var withCacheHeaders: HTTPResponse {
        var response = self
        if !headers.contains(where: { "\($0.name)" == "cache-control" }) {
            // Kept by the client alone, which asks each time whether it still holds.
            response.headers.append(Header("cache-control", "private, no-cache"))
        }
        response.headers.append(Header("vary", "accept, authorization, portico-upstream"))
        return response
    }

    /// The answers to a batch, in an array; what failed inside is masked.
    init(
        batch answers: [Result<GraphQLResponse, any Error>], as type: ResponseMediaType, id: RequestID
    ) {
        var body: [UInt8] = []
        for answer in answers {
            body.append(body.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
            switch answer {
            case .success(let response): body += response.body
            case .failure: body += HTTPError.internalError.graphQLResponse(id: id).body
            }
        }
        body.append(UInt8(ascii: "]"))
        self.init(.ok, type.contentType, body: body)
    }
}

extension CachePolicy {
    /// The value of `Cache-Control` (RFC 9111, section 5.2.2).
    var headerValue: String {
        maxAge > 0 ? "\(isPrivate ? "private" : "public"), max-age=\(maxAge)" : "no-store"
    }
}
