import GraphQL

/// The formats of an HTTP response that contains several GraphQL responses, one after the other.
package enum StreamFormat: Sendable, Hashable {
    /// Server-sent events, with one connection for each operation (GraphQL over Server-Sent Events,
    /// "Distinct connections mode").
    case eventStream
    /// The parts of a multipart body (Apollo's multipart protocol for subscriptions, version 1.0).
    case multipart

    var contentType: StaticString {
        switch self {
        case .eventStream: "text/event-stream; charset=utf-8"
        case .multipart: "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0"
        }
    }

    /// The first bytes of the body.
    var start: [UInt8] {
        switch self {
        case .eventStream: []
        case .multipart: Array("\r\n--graphql".utf8)
        }
    }

    /// A keep-alive message, which clients ignore.
    var heartbeat: [UInt8] {
        switch self {
        case .eventStream: Array(":\n\n".utf8)
        case .multipart: StreamFormat.part("{}".utf8)
        }
    }

    /// Encodes a response, including one with the reason why no subscription starts: a client must not treat
    /// that as a broken connection.
    func part(_ response: GraphQLResponse) -> [UInt8] {
        switch self {
        // A response contains no line breaks: the response writer writes none, and those in strings are
        // escaped.
        case .eventStream: Array("event: next\ndata: ".utf8) + response.body + Array("\n\n".utf8)
        case .multipart:
            StreamFormat.part(Array("{\"payload\":".utf8) + response.body + [UInt8(ascii: "}")])
        }
    }

    /// The last part of a stream that ends for a reason outside of its operation.
    ///
    /// The message that the stream is complete would mean success. After this one, clients of server-sent
    /// events reconnect. The multipart protocol has a format for it, which Apollo's clients handle as an
    /// error.
    func interruption(_ response: GraphQLResponse) -> [UInt8] {
        switch self {
        case .eventStream: part(response)
        case .multipart:
            StreamFormat.part(
                Array(#"{"payload":null,"errors":"#.utf8) + response.errors + [UInt8(ascii: "}")])
                + end
        }
    }

    /// The message that the stream is complete.
    var end: [UInt8] {
        switch self {
        case .eventStream: Array("event: complete\ndata:\n\n".utf8)
        case .multipart: Array("--\r\n".utf8)
        }
    }

    /// Encodes a part with the boundary after it: clients process a part when they receive the boundary, and
    /// must not wait for the next part.
    private static func part(_ json: some Sequence<UInt8>) -> [UInt8] {
        Array("\r\ncontent-type: application/json\r\n\r\n".utf8) + json + Array("\r\n--graphql".utf8)
    }
}

extension ContentNegotiation {
    /// Returns the format in which a client accepts several responses; nil if it accepts only one.
    ///
    /// The media type must be listed: a wildcard refers to formats of a single response. Events precede
    /// multipart if the client accepts both.
    package static func streamFormat(accept: String?) -> StreamFormat? {
        guard let accept else { return nil }
        var format: StreamFormat?
        for member in accept.listMembers {
            let parts = member.split(separator: ";").map(\.trimmed)
            guard let name = parts.first, !parts.contains(where: isNotAcceptable) else { continue }
            if name.matches("text/event-stream") { return .eventStream }
            if name.matches("multipart/mixed"), parts.contains(where: isSubscriptionSpec) {
                format = .multipart
            }
        }
        return format
    }

    /// True for `q=0`, with any number of zeros.
    private static func isNotAcceptable(_ parameter: some StringProtocol) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        return pair.count == 2 && pair[0].matches("q") && QualityValue.thousandths(pair[1].trimmed) == 0
    }

    private static func isSubscriptionSpec(_ parameter: some StringProtocol) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, pair[0].matches("subscriptionspec") else { return false }
        return ["1.0", "\"1.0\"", "1", "\"1\""].contains(pair[1].trimmed)
    }
}
