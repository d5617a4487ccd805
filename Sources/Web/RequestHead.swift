package import NIOHTTP1

/// The head of a request, read once into what the front door decides by.
///
/// The codec makes it from its own kind of head; nothing behind it looks at header fields again.
package struct RequestHead: Sendable {
    package var method: HTTPMethod
    package var target: RequestTarget
    package var fields: RequestFields
    /// Whether the client is ready to use the connection again.
    package var isKeepAlive: Bool
    /// HTTP/1.0 clients must be told that a connection stays open.
    package var isHTTP10: Bool
    /// How long the body is.
    package var framing: Framing

    /// Where a body ends (RFC 9112, section 6.3).
    package enum Framing: Sendable, Hashable {
        case length(Int)
        case chunked
    }
}

/// The header fields that the front door knows.
package struct RequestFields: Sendable, Hashable {
    package var accept: String?
    package var authorization: String?
    package var cacheControl: String?
    package var contentEncoding: String?
    package var contentType: String?
    package var expect: String?
    var connection: String?
    var contentLength: String?
    var transferEncoding: String?
    var hosts = 0
    var asksForUpgrade = false
}
