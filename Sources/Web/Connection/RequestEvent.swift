import NIOCore
import NIOHTTP1

/// What the bytes of a connection, or of a stream of HTTP/2, are read into.
enum RequestEvent {
    /// A request begins.
    case head(RequestHead)
    /// Some of its body: at least one byte.
    case body(ByteBuffer)
    /// A request ends.
    case end
    /// Nobody can tell what follows. The method is that of the request, where it is known: an answer to HEAD has no
    /// body.
    case malformed(HTTPError, HTTPMethod)
}
