/// Chooses the form of a response by what the client accepts (RFC 9110, section 12.5.1).
enum ContentNegotiation {
    /// The form that the client likes best; nil where it accepts neither.
    ///
    /// Of two that it likes equally, the one that it named wins over one that a wildcard matched, then
    /// `application/graphql-response+json`. A wildcard alone, and no Accept, mean `application/json`.
    static func responseType(accept: String?) -> ResponseMediaType? {
        guard let accept, accept != "*/*" else { return .json }
        if accept.matches(ResponseMediaType.json.name) { return .json }
        if accept.matches(ResponseMediaType.graphQLResponse.name) { return .graphQLResponse }
        let ranges = accept.listMembers.compactMap { MediaRange($0) }
        // A field without a member accepts anything, like one that is not there.
        if ranges.isEmpty, accept.listMembers.allSatisfy(\.isEmpty) { return .json }
        let graphQL = Preference(of: .graphQLResponse, among: ranges)
        let json = Preference(of: .json, among: ranges)
        guard max(graphQL.quality, json.quality) > 0 else { return nil }
        guard graphQL == json else { return json < graphQL ? .graphQLResponse : .json }
        return graphQL.specificity == .full ? .graphQLResponse : .json
    }
}

/// The forms of an answer that a client takes.
struct AcceptedResponses: Sendable {
    /// Of one response.
    let single: ResponseMediaType?
    /// Of several.
    let stream: StreamFormat?

    init(accept: String?) {
        single = ContentNegotiation.responseType(accept: accept)
        stream = ContentNegotiation.streamForm(accept: accept)
    }

    var isEmpty: Bool { single == nil && stream == nil }
}

/// How much a client wants a media type.
private struct Preference: Comparable {
    /// In thousandths, as the grammar has at most three decimals; 0 is refused.
    var quality = 0
    var specificity = MediaRange.Specificity.any

    /// By the most specific range that matches.
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

    /// Nil for what is no media range, or one of another character set than UTF-8.
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
                guard let given = QualityValue.thousandths(pair[1]) else { return nil }
                quality = given
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
