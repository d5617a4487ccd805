package import NIOCore

/// The header fields that the server uses, as ranges of the bytes of a head.
///
/// A value becomes a string when it is read, so that an unused field costs nothing.
package struct RequestHeaders: Sendable {
    private var bytes: ByteBuffer
    /// The length of all fields of a request, in bytes, for ``ServerLimits/headers``.
    private let limit: Int
    /// The number of bytes that were added for joined values.
    private var added = 0
    /// One range for each name.
    private var ranges = InlineArray<34, ByteRange>(repeating: ByteRange())
    /// One bit for each name.
    private var present: UInt64 = 0

    /// The range of a value, counted from the first readable byte.
    private struct ByteRange {
        var start: UInt32 = 0
        var length: UInt32 = 0
    }

    /// Creates fields whose values will be ranges of the bytes.
    package init(_ bytes: ByteBuffer = ByteBuffer(), limits: ServerLimits = ServerLimits()) {
        self.bytes = bytes
        limit = limits.headers
    }

    /// The bytes that the fields retain, with those of values that were joined.
    package var size: Int { bytes.readableBytes }

    /// Copies the bytes out of the buffer that they were read into.
    mutating func releaseReadBuffer() {
        bytes.releaseReadBuffer()
    }

    func has(_ name: Name) -> Bool { present & name.bit != 0 }

    /// The value of a field, with the members of a list joined by commas; nil if there is none.
    package subscript(name: Name) -> String? {
        guard has(name) else { return nil }
        let place = ranges[name.index]
        return bytes.getString(at: bytes.readerIndex + Int(place.start), length: Int(place.length))
    }

    /// Whether Host, if it is present, names a valid host.
    var hasValidHost: Bool { hasHost(where: HostName.isValid) }

    /// Whether Host is missing, or its value meets a condition.
    func hasHost(where condition: (Span<UInt8>) -> Bool) -> Bool {
        guard has(.host) else { return true }
        let place = ranges[Name.host.index]
        let start = Int(place.start)
        return condition(bytes.readableBytesUInt8Span.extracting(start..<(start + Int(place.length))))
    }

    /// Whether a field shows that a proxy has forwarded the request.
    var isFromProxy: Bool { has(.forwardedFor) || has(.forwarded) || has(.realIP) || has(.proxy) }

    /// Adds a field whose value is in the bytes already.
    ///
    /// - Throws: `.malformed` for a second field of a name that allows one value only (RFC 9110, section
    ///   5.3). Lists are joined. `.headersTooLarge` if the joined values have more than twice the bytes that the fields of
    ///   a request may have.
    mutating func add(_ name: Name, at value: Range<Int>) throws(HTTPError) {
        try checkCharacters(bytes.readableBytesUInt8Span.extracting(value))
        guard has(name) else { return set(name, at: value) }
        let more = bytes.getString(at: bytes.readerIndex + value.lowerBound, length: value.count) ?? ""
        try join(name, more)
    }

    /// Adds a field.
    ///
    /// - Throws: as above.
    package mutating func add(_ name: Name, _ value: String) throws(HTTPError) {
        try checkCharacters(value.utf8Span.span)
        guard has(name) else { return try append(name, value) }
        try join(name, value)
    }

    /// Refuses a long value with other characters than ASCII, which no known field needs.
    ///
    /// Values are compared as Swift's strings, which takes quadratic time for a character with many combining marks.
    private func checkCharacters(_ value: Span<UInt8>) throws(HTTPError) {
        guard value.count > 256 else { return }
        for index in value.indices where value[index] >= 0x80 {
            throw .malformed(.syntax("a header field has a character that it may not have"))
        }
    }

    private mutating func join(_ name: Name, _ more: String) throws(HTTPError) {
        if let malformation = name.repetition { throw .malformed(malformation) }
        let start = Int(ranges[name.index].start)
        let end = start + Int(ranges[name.index].length)
        // A copy for each line would take quadratic memory.
        guard end == bytes.readableBytes else { return try append(name, "\(self[name] ?? ""), \(more)") }
        try write(", ")
        try write(more)
        set(name, at: start..<bytes.readableBytes)
    }

    private mutating func append(_ name: Name, _ value: String) throws(HTTPError) {
        let start = bytes.readableBytes
        try write(value)
        set(name, at: start..<bytes.readableBytes)
    }

    /// Lines with two names in turn need a copy for each line, so the limit is for all copies together.
    private mutating func write(_ text: String) throws(HTTPError) {
        added += text.utf8.count
        guard added <= 2 * limit else { throw .headersTooLarge(limit: limit) }
        bytes.writeString(text)
    }

    private mutating func set(_ name: Name, at value: Range<Int>) {
        // A buffer's indices are of 32 bits themselves.
        ranges[name.index] = ByteRange(
            start: UInt32(clamping: value.lowerBound), length: UInt32(clamping: value.count))
        present |= name.bit
    }
}

extension RequestHeaders {
    package var accept: String? { self[.accept] }
    package var acceptEncoding: String? { self[.acceptEncoding] }
    package var authorization: String? { self[.authorization] }
    package var contentEncoding: String? { self[.contentEncoding] }
    package var contentType: String? { self[.contentType] }
    package var expect: String? { self[.expect] }
    /// The token of an event stream (GraphQL over Server-Sent Events, "Making reservations").
    var eventStreamToken: String? { self[.eventStreamToken] }
    /// The clients of proxies.
    package var forwardedFor: String? { self[.forwardedFor] }
    /// The entity tags that the client has stored.
    package var ifNoneMatch: String? { self[.ifNoneMatch] }
    /// The site whose page a browser sends the request for.
    package var origin: String? { self[.origin] }
    /// The method of the request that follows a CORS preflight.
    package var requestedMethod: String? { self[.requestedMethod] }
    /// The parent span of the request.
    package var traceparent: String? { self[.traceparent] }
    /// The data of tracing systems (W3C Trace Context).
    package var tracestate: String? { self[.tracestate] }
    package var webSocketKey: String? { self[.webSocketKey] }
    package var webSocketProtocol: String? { self[.webSocketProtocol] }
    package var webSocketVersion: String? { self[.webSocketVersion] }

    /// Whether the client requests another protocol, given in lower case (RFC 9110, section 7.8).
    package func requestsUpgrade(to name: StaticString) -> Bool {
        guard let upgrade = self[.upgrade], let connection = self[.connection] else { return false }
        return upgrade.listMembers.contains { $0.matches(name) }
            && connection.listMembers.contains { $0.matches("upgrade") }
    }

    /// Whether the client requests the list of its upstream calls: `Portico-Upstream: true`.
    var requestsUpstreamReport: Bool { self[.porticoUpstream]?.matches("true") ?? false }

    /// Whether the client accepts no value that was read before its request (RFC 9111, section 5.2.1.4).
    var bypassesCache: Bool {
        self[.cacheControl]?.listMembers.contains { $0.matches("no-cache") } ?? false
    }
}

extension ByteBuffer {
    /// Copies the readable bytes if their storage is much longer: a read fills a buffer of up to 64 KiB.
    mutating func releaseReadBuffer() {
        guard storageCapacity > 2 * readableBytes + 1_024 else { return }
        self = ByteBuffer(bytes: readableBytesView)
    }
}

extension RequestHeaders {
    /// The names of the fields that are known.
    package enum Name: UInt8, CaseIterable {
        case accept
        case acceptEncoding
        case authorization
        case cacheControl
        /// `apollographql-client-name` or `graphql-client-name`.
        case clientName
        case clientVersion
        case connection
        case contentEncoding
        case contentLength
        case contentType
        case eventStreamToken
        case expect
        case fetchMode
        case fetchSite
        case forwarded
        case forwardedFor
        case host
        case ifNoneMatch
        case lastEventID
        case mcpMethod
        case mcpName
        case mcpVersion
        case origin
        case porticoUpstream
        /// One of the fields that proxies add, without the client's address.
        case proxy
        case realIP
        case requestedMethod
        case traceparent
        case tracestate
        case transferEncoding
        case upgrade
        case webSocketKey
        case webSocketProtocol
        case webSocketVersion

        var index: Int { Int(rawValue) }

        var bit: UInt64 { 1 << UInt64(rawValue) }

        /// The defect if the field occurs twice; nil if it may, because its value is a list (RFC 9110,
        /// section 5.3).
        var repetition: HTTPError.MalformedMessage? {
            switch self {
            case .accept, .acceptEncoding, .cacheControl, .clientName, .clientVersion, .connection,
                .contentEncoding, .expect,
                .fetchMode, .fetchSite, .forwarded, .forwardedFor, .ifNoneMatch, .porticoUpstream, .proxy,
                .realIP, .requestedMethod, .tracestate, .upgrade, .webSocketProtocol:
                nil
            // Two of them, joined, are no context, and a new trace begins (W3C Trace Context, section 3.2).
            case .traceparent: nil
            case .host: .host
            case .contentLength, .transferEncoding: .framing
            case .authorization: .repeatedField("Authorization")
            case .eventStreamToken: .repeatedField("X-GraphQL-Event-Stream-Token")
            case .contentType: .repeatedField("Content-Type")
            case .lastEventID: .repeatedField("Last-Event-ID")
            case .mcpMethod: .repeatedField("Mcp-Method")
            case .mcpName: .repeatedField("Mcp-Name")
            case .mcpVersion: .repeatedField("MCP-Protocol-Version")
            case .origin: .repeatedField("Origin")
            case .webSocketKey: .repeatedField("Sec-WebSocket-Key")
            case .webSocketVersion: .repeatedField("Sec-WebSocket-Version")
            }
        }

        /// A known name, in any mix of ASCII cases; nil for others.
        init?(_ name: Span<UInt8>) {
            // Most names differ in length.
            switch name.count {
            case 3 where name.matches("via"): self = .proxy
            case 4 where name.matches("host"): self = .host
            case 6 where name.matches("accept"): self = .accept
            case 6 where name.matches("expect"): self = .expect
            case 6 where name.matches("origin"): self = .origin
            case 7 where name.matches("upgrade"): self = .upgrade
            case 9 where name.matches("forwarded"): self = .forwarded
            case 9 where name.matches("x-real-ip"): self = .realIP
            case 8 where name.matches("mcp-name"): self = .mcpName
            case 10 where name.matches("mcp-method"): self = .mcpMethod
            case 10 where name.matches("connection"): self = .connection
            case 10 where name.matches("tracestate"): self = .tracestate
            case 11 where name.matches("traceparent"): self = .traceparent
            case 12 where name.matches("content-type"): self = .contentType
            case 13 where name.matches("authorization"): self = .authorization
            case 13 where name.matches("cache-control"): self = .cacheControl
            case 13 where name.matches("if-none-match"): self = .ifNoneMatch
            case 13 where name.matches("last-event-id"): self = .lastEventID
            case 14 where name.matches("content-length"): self = .contentLength
            case 14 where name.matches("sec-fetch-mode"): self = .fetchMode
            case 14 where name.matches("sec-fetch-site"): self = .fetchSite
            case 15 where name.matches("accept-encoding"): self = .acceptEncoding
            case 15 where name.matches("x-forwarded-for"): self = .forwardedFor
            case 16 where name.matches("content-encoding"): self = .contentEncoding
            case 16 where name.matches("x-forwarded-host"): self = .proxy
            case 16 where name.matches("portico-upstream"): self = .porticoUpstream
            case 17 where name.matches("transfer-encoding"): self = .transferEncoding
            case 17 where name.matches("x-forwarded-proto"): self = .proxy
            case 17 where name.matches("sec-websocket-key"): self = .webSocketKey
            case 19 where name.matches("graphql-client-name"): self = .clientName
            case 20 where name.matches("mcp-protocol-version"): self = .mcpVersion
            case 21 where name.matches("sec-websocket-version"): self = .webSocketVersion
            case 22 where name.matches("sec-websocket-protocol"): self = .webSocketProtocol
            case 22 where name.matches("graphql-client-version"): self = .clientVersion
            case 25 where name.matches("apollographql-client-name"): self = .clientName
            case 28 where name.matches("apollographql-client-version"): self = .clientVersion
            case 28 where name.matches("x-graphql-event-stream-token"): self = .eventStreamToken
            case 29 where name.matches("access-control-request-method"): self = .requestedMethod
            default: return nil
            }
        }
    }
}
