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
    /// Who asks.
    package var client = ClientAddress.unknown

    /// Where a body ends (RFC 9112, section 6.3).
    package enum Framing: Sendable, Hashable {
        case length(Int)
        case chunked
    }
}

/// The header fields that the front door knows.
///
/// Those that are lists have all their members, joined by commas.
package struct RequestFields: Sendable, Hashable {
    package var accept: String?
    package var acceptEncoding: String?
    package var authorization: String?
    package var cacheControl: String?
    package var contentEncoding: String?
    package var contentType: String?
    package var expect: String?
    /// For whom proxies ask.
    package var forwardedFor: String?
    /// What the client has already, by the names of its contents.
    package var ifNoneMatch: String?
    /// The last event that a client of server-sent events has seen.
    package var lastEventID: String?
    /// The site whose page a browser sends the request for.
    package var origin: String?
    /// The method that the page of a site wants to use.
    package var requestedMethod: String?
    package var webSocketKey: String?
    package var webSocketProtocol: String?
    package var webSocketVersion: String?
    /// Whether the client wants to be told of upstream calls: `true`.
    package var porticoUpstream: String?
    /// Where the request stands in a trace.
    package var traceparent: String?
    /// What tracing systems on the way have to say.
    package var tracestate: String?
    var connection: String?
    var contentLength: String?
    var transferEncoding: String?
    var upgrade: String?
    var hosts = 0
}
