package import NIOHTTP1
import PorticoCore

/// The head of a request, parsed once.
///
/// The codec of each protocol creates it; later code does not parse headers.
package struct RequestHead: Sendable {
    package let method: HTTPMethod
    package let target: RequestTarget
    package private(set) var fields: RequestHeaders
    /// Whether the client is ready to use the connection again.
    package let isKeepAlive: Bool
    /// An HTTP/1.0 client needs a header that the connection stays open.
    package let isHTTP10: Bool
    /// The length of the body.
    package let framing: Framing
    /// The address of the client.
    package var client = ClientAddress.unknown

    /// The end of a body (RFC 9112, section 6.3).
    package enum Framing: Sendable, Hashable {
        case length(Int)
        case chunked
    }

    /// - Throws: `.malformed` where two readers could understand the message differently.
    init(
        method: HTTPMethod, target: RequestTarget, fields: RequestHeaders, isHTTP10: Bool
    ) throws(HTTPError) {
        // RFC 9112, section 3.2: one Host; HTTP/1.0 may leave it out.
        guard isHTTP10 || fields.has(.host) else { throw .malformed(.host) }
        guard fields.hasValidHost else { throw .malformed(.hostName) }
        var fields = fields
        if let url = target.authority {
            // RFC 9112, section 3.2.2: the host of a URL replaces that of the field, which a proxy may have checked.
            if let host = fields[.host], !url.isSame(as: host) { throw .malformed(.severalHosts) }
            if !fields.has(.host) { try fields.add(.host, url.host) }
        }
        self.method = method
        self.target = target
        self.fields = fields
        isKeepAlive = fields.allowsReuse(isHTTP10: isHTTP10)
        self.isHTTP10 = isHTTP10
        framing = try fields.framing(isHTTP10: isHTTP10)
    }

    /// Copies the fields out of the buffer that they were read into, because the body may take long to arrive.
    mutating func releaseReadBuffer() {
        fields.releaseReadBuffer()
    }
}

extension RequestHeaders {
    /// Whether the connection may be used again (RFC 9112, section 9.3).
    ///
    /// A request for another protocol is the last one: the bytes after it may belong to that protocol.
    fileprivate func allowsReuse(isHTTP10: Bool) -> Bool {
        guard !has(.upgrade) else { return false }
        guard let connection = self[.connection] else { return !isHTTP10 }
        var asksToKeep = false
        for option in connection.listMembers {
            if option.matches("close") { return false }
            if option.matches("keep-alive") { asksToKeep = true }
        }
        return isHTTP10 ? asksToKeep : true
    }

    /// The end of the body (RFC 9112, section 6.3).
    ///
    /// Ambiguous messages are rejected, because an intermediary may have interpreted them differently.
    fileprivate func framing(isHTTP10: Bool) throws(HTTPError) -> RequestHead.Framing {
        if let transferEncoding = self[.transferEncoding] {
            guard !has(.contentLength), !isHTTP10 else { throw .malformed(.framing) }
            guard transferEncoding.matches("chunked") else { throw .unsupportedTransferEncoding }
            return .chunked
        }
        guard let contentLength = self[.contentLength] else { return .length(0) }
        let isNumber = contentLength.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        guard isNumber, let length = Int(contentLength) else { throw .malformed(.framing) }
        return .length(length)
    }
}

/// The target of a request: path and query as sent (RFC 9112, section 3.2).
package struct RequestTarget: Sendable, Hashable {
    package let path: Substring
    /// The text after the first question mark; nil if there is none.
    package let query: Substring?
    /// The host of a URL; nil for a path.
    let authority: Authority?

    /// Takes a path, or a URL as proxies send it; nil for anything else.
    package init?(_ text: String) {
        guard let (authority, origin) = RequestTarget.parts(of: text) else { return nil }
        self.authority = authority
        let mark = origin.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = origin[..<(mark ?? origin.endIndex)]
        // A URL without a path means that of the root (RFC 9110, section 4.2.3).
        self.path = path.isEmpty ? "/" : path
        query = mark.map { origin[origin.utf8.index(after: $0)...] }
    }

    /// The authority, and the target from its path on; the scheme is in any case (RFC 9110, section 4.2.3).
    private static func parts(of text: String) -> (Authority?, origin: Substring)? {
        if text.utf8.first == UInt8(ascii: "/") { return (nil, text[...]) }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (scheme, rest) = (text[..<mark], text[mark...])
        guard let defaultPort = Authority.defaultPort(of: scheme), rest.hasPrefix("://") else { return nil }
        let authority = rest.dropFirst(3)
        let end = authority.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let host = String(authority[..<(end ?? authority.endIndex)])
        guard HostName.isValid(host.utf8Span.span) else { return nil }
        return (Authority(host: host, defaultPort: defaultPort), authority[(end ?? authority.endIndex)...])
    }

    /// The host and the port of a URL (RFC 3986, section 3.2).
    struct Authority: Sendable, Hashable {
        /// A name or an address, with a port or without one.
        let host: String
        let defaultPort: Int

        /// The default port of a scheme in any case; nil for other schemes than `http` and `https`.
        static func defaultPort(of scheme: some StringProtocol) -> Int? {
            scheme.matches("https") ? 443 : scheme.matches("http") ? 80 : nil
        }

        /// Whether a Host field names the same host and port, by their normal forms (RFC 3986, section 6.2).
        func isSame(as field: String) -> Bool { normal(host) == normal(field) }

        private func normal(_ text: String) -> Substring {
            let text = HostName.normalized(text) ?? text.lowercased()
            let port = [":\(defaultPort)", ":"].first { text.hasSuffix($0) }
            return text.dropLast(port?.count ?? 0)
        }
    }
}

/// The parameters of a URL's query, decoded as forms are: `%41` is a letter, `+` is a space.
struct QueryParameters {
    private(set) var pairs: [(name: String, value: String)] = []

    /// - Throws: `.invalidParameter` where an escape is incomplete or the bytes are no UTF-8.
    init(_ query: Substring?) throws(HTTPError) {
        guard let query else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true) else {
                throw .invalidParameter("\(parts[0])", reason: "has an escape that is no UTF-8 character")
            }
            guard let value = parts.count > 1 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
            else {
                throw .invalidParameter(name, reason: "has an escape that is no UTF-8 character")
            }
            pairs.append((name, value))
        }
    }

    /// The value of a parameter; nil if it is missing.
    ///
    /// - Throws: `.invalidParameter` if it occurs twice.
    func value(of name: String) throws(HTTPError) -> String? {
        let given = pairs.filter { $0.name == name }
        guard given.count <= 1 else { throw .invalidParameter(name, reason: "is given \(given.count) times") }
        return given.first?.value
    }
}
