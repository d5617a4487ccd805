import GraphQL

/// The forms of an answer of HTTP that has several responses, one after the other.
enum StreamFormat: Sendable, Hashable {
    /// Server-sent events, each operation on a connection of its own (GraphQL over Server-Sent Events, "Distinct
    /// connections mode").
    case eventStream
    /// The parts of a multipart body (Apollo's multipart protocol for subscriptions, version 1.0).
    case multipart

    var contentType: StaticString {
        switch self {
        case .eventStream: "text/event-stream; charset=utf-8"
        case .multipart: "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0"
        }
    }

    /// Comes before everything else.
    var start: [UInt8] {
        switch self {
        case .eventStream: []
        case .multipart: Array("\r\n--graphql".utf8)
        }
    }

    /// Says that the stream is there; clients pass over it.
    var heartbeat: [UInt8] {
        switch self {
        case .eventStream: Array(":\n\n".utf8)
        case .multipart: StreamFormat.part("{}".utf8)
        }
    }

    /// A response, also one that says why nothing is streamed: a client must not take that for a broken connection.
    func part(_ response: GraphQLResponse) -> [UInt8] {
        switch self {
        // A response has no line breaks: the writer writes none, and those in strings are escaped.
        case .eventStream: Array("event: next\ndata: ".utf8) + response.body + Array("\n\n".utf8)
        case .multipart:
            StreamFormat.part(Array("{\"payload\":".utf8) + response.body + [UInt8(ascii: "}")])
        }
    }

    /// The last part of a stream that ends for a reason outside of its operation.
    ///
    /// It is not the message that the stream is complete, which would mean success: clients of server-sent
    /// events then connect again, and the multipart protocol has a form for it, which Apollo's clients handle
    /// as an error.
    func interruption(_ response: GraphQLResponse) -> [UInt8] {
        switch self {
        case .eventStream: part(response)
        case .multipart:
            StreamFormat.part(
                Array(#"{"payload":null,"errors":"#.utf8) + response.errors + [UInt8(ascii: "}")])
                + end
        }
    }

    /// Nothing more comes.
    var end: [UInt8] {
        switch self {
        case .eventStream: Array("event: complete\ndata:\n\n".utf8)
        case .multipart: Array("--\r\n".utf8)
        }
    }

    /// A part with the boundary behind it: clients take it for whole when they see that, and must not wait for the next.
    private static func part(_ json: some Sequence<UInt8>) -> [UInt8] {
        Array("\r\ncontent-type: application/json\r\n\r\n".utf8) + json + Array("\r\n--graphql".utf8)
    }
}

extension ContentNegotiation {
    /// The form in which a client takes several responses; nil where it takes only one.
    ///
    /// It must be named: a wildcard speaks of the forms of one response. Events come first where both are taken.
    static func streamForm(accept: String?) -> StreamFormat? {
        guard let accept else { return nil }
        var form: StreamFormat?
        for member in accept.listMembers {
            let parts = member.split(separator: ";").map(\.trimmed)
            guard let name = parts.first, !parts.contains(where: isNotAcceptable) else { continue }
            if name.matches("text/event-stream") { return .eventStream }
            if name.matches("multipart/mixed"), parts.contains(where: isSubscriptionSpec) {
                form = .multipart
            }
        }
        return form
    }

    /// `q=0`, with any number of zeros.
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
