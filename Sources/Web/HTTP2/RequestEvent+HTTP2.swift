import NIOHTTP1

extension RequestEvent {
    /// What NIO's codec has decoded of a stream.
    init(_ part: HTTPServerRequestPart, limits: ServerLimits) {
        switch part {
        case .head(let head):
            do throws(HTTPError) {
                self = .head(try RequestHead(head, limits: limits))
            } catch {
                self = .malformed(error, head.method)
            }
        case .body(let bytes): self = .body(bytes)
        case .end: self = .end
        }
    }
}

extension RequestHead {
    /// - Throws: what is wrong with the message, before anybody asks what it wants.
    fileprivate init(_ head: HTTPRequestHead, limits: ServerLimits) throws(HTTPError) {
        guard head.uri.utf8.count <= limits.uri else { throw .uriTooLong(limit: limits.uri) }
        guard head.headers.size <= limits.headers else { throw .headersTooLarge(limit: limits.headers) }
        guard let target = RequestTarget(head.uri) else { throw .malformed(.target) }
        try self.init(
            method: head.method, target: target, fields: RequestHeaders(head.headers), isHTTP10: false)
    }
}

extension RequestHeaders {
    /// Picks the known ones, in one pass.
    fileprivate init(_ headers: HTTPHeaders) throws(HTTPError) {
        self.init()
        for (name, value) in headers {
            if let name = Name(name.utf8.span) { try add(name, value) }
        }
    }
}

extension HTTPHeaders {
    /// In bytes, with the four that separate name, value and line in HTTP/1.1.
    fileprivate var size: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}
