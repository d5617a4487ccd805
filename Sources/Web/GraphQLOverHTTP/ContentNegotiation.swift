import GraphQL

/// Chooses the media type of a response from the Accept field (RFC 9110, section 12.5.1).
package enum ContentNegotiation {
    /// Returns the media type that the client prefers; nil if it accepts neither.
    ///
    /// If the quality of both is equal, a type that is listed precedes one that a wildcard matches; then
    /// `application/graphql-response+json` precedes. A wildcard alone, or no Accept field, means
    /// `application/json`.
    package static func responseType(accept: String?) -> ResponseMediaType? {
        guard let accept, accept != "*/*" else { return .json }
        if accept.matches(ResponseMediaType.json.name) { return .json }
        if accept.matches(ResponseMediaType.graphQLResponse.name) { return .graphQLResponse }
        let ranges = accept.listMembers.compactMap { MediaRange($0) }
        // A field without members accepts any type, as if the field were missing.
        if ranges.isEmpty, accept.listMembers.allSatisfy(\.isEmpty) { return .json }
        let graphQL = Preference(of: .graphQLResponse, among: ranges)
        let json = Preference(of: .json, among: ranges)
        guard max(graphQL.quality, json.quality) > 0 else { return nil }
        guard graphQL == json else { return json < graphQL ? .graphQLResponse : .json }
        return graphQL.specificity == .full ? .graphQLResponse : .json
    }

    /// Whether the client accepts `application/json`, for a path whose responses have no other media type.
    static func acceptsJSON(_ accept: String?) -> Bool {
        guard let members = accept?.listMembers, !members.allSatisfy(\.isEmpty) else { return true }
        return Preference(of: .json, among: members.compactMap { MediaRange($0) }).quality > 0
    }
}

/// The response formats that a client accepts.
package struct AcceptedResponses: Sendable {
    /// The format of a single response; nil if the client accepts none.
    let single: ResponseMediaType?
    /// The format of a stream of responses; nil if the client accepts none.
    let stream: StreamFormat?
    /// The format of the payloads of an operation with `@defer` or `@stream`; nil if the client requests one
    /// complete response.
    let incremental: StreamFormat.Incremental?

    package init(accept: String?) {
        single = ContentNegotiation.responseType(accept: accept)
        stream = ContentNegotiation.streamFormat(accept: accept)
        let listed = accept.flatMap { ContentNegotiation.incrementalFormat(accept: $0) }
        // Without a single response, all events of the operation are accepted.
        let isStream = single == nil && stream == .eventStream
        incremental =
            listed ?? (isStream ? StreamFormat.Incremental(.eventStream, .pendingAndCompleted) : nil)
    }

    var isEmpty: Bool { single == nil && stream == nil && incremental == nil }
}

/// The preference of a client for a media type.
private struct Preference: Comparable {
    /// The quality in thousandths, since the grammar has at most three decimals; 0 means not acceptable.
    var quality = 0
    var specificity = MediaRange.Specificity.any

    /// Reads the preference from the most specific range that matches.
    init(of type: ResponseMediaType, among ranges: [MediaRange]) {
        for range in ranges where range.specificity >= specificity && range.matches(type) {
            quality = range.quality
            specificity = range.specificity
        }
    }

    static func < (one: Preference, other: Preference) -> Bool {
        (one.quality, one.specificity) < (other.quality, other.specificity)
    }
}

/// A member of an Accept field: `application/json; charset=utf-8; q=0.9`.
private struct MediaRange {
    let name: Substring
    let quality: Int
    let specificity: Specificity

    enum Specificity: Int, Comparable {
        case any
        case type
        case full

        static func < (one: Specificity, other: Specificity) -> Bool { one.rawValue < other.rawValue }
    }

    /// Nil if the text is not a media range, or has a charset other than UTF-8.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ";").map(\.trimmed)
        guard let first = parts.first, first.contains("/") else { return nil }
        name = Substring(first)
        specificity = name == "*/*" ? .any : name.hasSuffix("/*") ? .type : .full
        var quality = 1000
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            if pair[0].matches("q") {
                guard let value = QualityValue.thousandths(pair[1]) else { return nil }
                quality = value
            } else if pair[0].matches("charset"), !MediaType.isUTF8(pair[1]) {
                return nil
            }
        }
        self.quality = quality
    }

    func matches(_ type: ResponseMediaType) -> Bool {
        switch specificity {
        case .any: true
        case .type: name.matches("application/*")
        case .full: name.matches(type.name)
        }
    }
}

/// The two media types of a GraphQL response: equal JSON, different status codes (GraphQL over HTTP,
/// "Response").
package enum ResponseMediaType: Sendable, Hashable {
    /// `application/graphql-response+json`: the status shows whether the operation was executed.
    case graphQLResponse
    /// `application/json`: the status is 200 for all responses of the engine, since proxies can produce any
    /// other status.
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
