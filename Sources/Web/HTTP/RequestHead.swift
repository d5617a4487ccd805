package import NIOHTTP1

/// The head of a request, read once into what the front door decides by.
///
/// Each protocol's codec makes it in its own way; nothing behind looks at header fields again.
package struct RequestHead: Sendable {
    package let method: HTTPMethod
    package let target: RequestTarget
    package private(set) var fields: RequestHeaders
    /// Whether the client is ready to use the connection again.
    package let isKeepAlive: Bool
    /// HTTP/1.0 clients must be told that a connection stays open.
    package let isHTTP10: Bool
    /// How long the body is.
    package let framing: Framing
    /// Who asks.
    package var client = ClientAddress.unknown

    /// Where a body ends (RFC 9112, section 6.3).
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
    /// One that asks for another protocol is used for one request: what follows may be the other protocol's.
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

    /// Where the body ends (RFC 9112, section 6.3).
    ///
    /// What leaves a choice is refused, since another reader may have chosen otherwise.
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
