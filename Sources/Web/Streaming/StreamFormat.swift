package import GraphQL

/// The formats of an HTTP response that contains several GraphQL responses, one after the other.
package enum StreamFormat: Sendable, Hashable {
    /// Server-sent events, with one connection for each operation (GraphQL over Server-Sent Events,
    /// "Distinct connections mode").
    case eventStream
    /// The parts of a multipart body (Apollo's multipart protocol for subscriptions, version 1.0).
    case multipart
    /// The parts of a multipart body, one for each payload of an operation with `@defer` or `@stream`
    /// (GraphQL over HTTP, "Incremental Delivery over HTTP").
    case incremental(IncrementalFormat)

    /// Server-sent events with messages of the Model Context Protocol (transport "Streamable HTTP").
    case toolCall(ToolCallFormat)

    /// The format of the payloads of an operation with `@defer` or `@stream`.
    package struct Incremental: Hashable, Sendable {
        let stream: StreamFormat
        let payloads: IncrementalFormat

        init(_ stream: StreamFormat, _ payloads: IncrementalFormat) {
            (self.stream, self.payloads) = (stream, payloads)
        }
    }

    var contentType: StaticString {
        switch self {
        case .incremental(.pendingAndCompleted): "multipart/mixed; boundary=\"-\"; incrementalSpec=v0.2"
        case .incremental(.labelAndPath): "multipart/mixed; boundary=\"-\"; deferSpec=20220824"
        case .eventStream, .toolCall: "text/event-stream; charset=utf-8"
        case .multipart: "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0"
        }
    }

    /// The first bytes of the body.
    var start: [UInt8] {
        switch self {
        case .eventStream: []
        case .toolCall(let format): format.start
        case .multipart: Array("\r\n--graphql".utf8)
        case .incremental: Array("\r\n---".utf8)
        }
    }

    /// A keep-alive message, which clients ignore; empty if the format has none.
    var heartbeat: [UInt8] {
        switch self {
        case .eventStream, .toolCall: Array(":\n\n".utf8)
        case .multipart: StreamFormat.part("{}".utf8)
        // A part would be a payload.
        case .incremental: []
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
        case .incremental: StreamFormat.part(response.body, boundary: "-")
        case .toolCall(let format): format.result(response)
        }
    }

    /// The last part of a stream that ends for a reason outside of its operation.
    ///
    /// The message that the stream is complete would mean success. After this one, clients of server-sent
    /// events reconnect. The multipart protocol has a format for it, which Apollo's clients handle as an
    /// error.
    func interruption(_ response: GraphQLResponse) -> [UInt8] {
        switch self {
        case .eventStream, .toolCall: part(response)
        case .incremental: part(response) + end
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
        // The result is the last message.
        case .toolCall: heartbeat
        case .multipart, .incremental: Array("--\r\n".utf8)
        }
    }

    /// Encodes a part with the boundary after it: clients process a part when they receive the boundary, and
    /// must not wait for the next part.
    private static func part(_ json: some Sequence<UInt8>, boundary: String = "graphql") -> [UInt8] {
        Array("\r\ncontent-type: application/json\r\n\r\n".utf8) + json + Array("\r\n--\(boundary)".utf8)
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

    /// Returns the format of incremental payloads that a client requests, by a parameter of
    /// `multipart/mixed` or `text/event-stream`; nil if it requests none.
    package static func incrementalFormat(accept: String) -> StreamFormat.Incremental? {
        for member in accept.listMembers {
            let parts = member.split(separator: ";").map(\.trimmed)
            guard let name = parts.first, !parts.contains(where: isNotAcceptable) else { continue }
            let isEventStream = name.matches("text/event-stream")
            guard isEventStream || name.matches("multipart/mixed") else { continue }
            for parameter in parts.dropFirst() {
                let pair = parameter.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                let value = pair[1].trimmed.filter { $0 != "\"" }
                guard let format = IncrementalFormat(parameter: String(pair[0].trimmed), value: value) else {
                    continue
                }
                return StreamFormat.Incremental(isEventStream ? .eventStream : .incremental(format), format)
            }
        }
        return nil
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
