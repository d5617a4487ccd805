package import Brokerage

/// The reason why a WebSocket could not be opened, or has ended.
///
/// It contains no payload.
package enum WebSocketError: Error, Hashable, Sendable {
    case couldNotResolve
    case couldNotConnect
    /// No verified TLS connection could be established.
    case tls
    /// The proxy of the environment opened no tunnel: its status, or nil if it sent none, or if the environment does not
    /// name an HTTP proxy.
    case proxyRejected(status: Int?)
    /// It was not open by the deadline.
    case timedOut
    /// The server returned another status than 101, possibly with a Retry-After.
    case rejected(status: Int, retryAfter: RetryAfter? = nil)
    /// The server ended it in order; RFC 6455, section 7.4, has the codes. Nil without one.
    case closed(code: Int?)
    /// It was closed on this side.
    case closedHere
    /// The connection broke.
    case interrupted
    /// Nothing was received for the timeout, not even a pong.
    case silent
    /// A frame or message is larger than the bound.
    case tooLarge
    /// The server does not keep to RFC 6455.
    case protocolViolation
    /// The Swift task was cancelled.
    case cancelled
}

extension ProviderFailure {
    /// Converts the end of a stream.
    package init(_ provider: ProviderID, webSocket error: WebSocketError, now: Instant) {
        let cause: Cause =
            switch error {
            case .couldNotResolve, .couldNotConnect, .tls, .proxyRejected, .closed, .closedHere, .interrupted,
                .silent:
                .unavailable
            case .timedOut: .timedOut
            case .rejected(429, let retryAfter):
                .rateLimited(retryAt: retryAfter?.instant(from: now))
            case .rejected(let status, _):
                Cause.status(of: HTTPClientResponse(status: status, head: [], body: []), now: now)
                    ?? .invalidResponse(nil)
            case .tooLarge, .protocolViolation: .invalidResponse(nil)
            case .cancelled: .cancelled
            }
        self.init(provider, cause)
    }
}
