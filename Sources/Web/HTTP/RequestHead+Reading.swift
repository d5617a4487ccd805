import NIOHTTP1

extension RequestHead {
    /// Reads what NIO's codec has decoded, and refuses what two readers could understand differently.
    ///
    /// - Throws: what is wrong with the message, before anybody asks what it wants.
    init(_ head: HTTPRequestHead, limits: ServerLimits) throws(HTTPProblem) {
        guard head.version.major == 1 || head.version == .http2 else { throw .unsupportedVersion }
        guard head.uri.utf8.count <= limits.uri else { throw .uriTooLong(limit: limits.uri) }
        guard head.headers.size <= limits.headers else { throw .headersTooLarge(limit: limits.headers) }
        guard let target = RequestTarget(head.uri) else { throw .malformed(.target) }
        let fields = try RequestFields(head.headers)
        let isHTTP10 = head.version == .http1_0
        // RFC 9112, section 3.2: one Host; HTTP/1.0 may leave it out.
        guard fields.hosts == 1 || (isHTTP10 && fields.hosts == 0) else { throw .malformed(.host) }
        self.init(
            method: head.method, target: target, fields: fields,
            isKeepAlive: fields.allowsReuse(isHTTP10: isHTTP10), isHTTP10: isHTTP10,
            framing: try fields.framing(isHTTP10: isHTTP10))
    }
}

extension RequestFields {
    /// Whether the connection may be used again (RFC 9112, section 9.3).
    ///
    /// One that asks for another protocol is used for one request: the codec reads nothing behind such a request.
    fileprivate func allowsReuse(isHTTP10: Bool) -> Bool {
        guard upgrade == nil else { return false }
        guard let connection else { return !isHTTP10 }
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
    fileprivate func framing(isHTTP10: Bool) throws(HTTPProblem) -> RequestHead.Framing {
        if let transferEncoding {
            guard contentLength == nil, !isHTTP10 else { throw .malformed(.framing) }
            guard transferEncoding.matches("chunked") else { throw .unsupportedTransferEncoding }
            return .chunked
        }
        guard let contentLength else { return .length(0) }
        let isNumber = contentLength.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        guard isNumber, let length = Int(contentLength) else { throw .malformed(.framing) }
        return .length(length)
    }
}

extension HTTPHeaders {
    /// In bytes, with the four that separate name, value and line.
    fileprivate var size: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}
