/// Why a call brought no response.
///
/// It contains nothing of the request. Except for ``notSent``, it does not show whether the request was sent:
/// see ``HTTPClientRequest/maySend``.
package enum HTTPClientError: Error, Hashable, Sendable {
    case couldNotResolve
    /// No connection could be made. The request may have been sent on a kept connection before that
    /// connection broke.
    case couldNotConnect
    case timedOut
    /// No trusted, encrypted connection came about.
    case tls
    /// The body or the head is larger than the bound.
    case responseTooLarge
    /// The connection broke after it was made.
    case interrupted
    /// What came back is no HTTP.
    case malformedResponse
    /// The Swift task was cancelled.
    case cancelled
    case badURL
    /// More calls wait than the transport takes.
    case overloaded
    /// The transport has been shut down.
    case shutDown
    /// The deadline had passed, or ``HTTPClientRequest/maySend`` returned false, before the first byte: nothing was
    /// sent.
    case notSent
    /// Another failure of libcurl, by its number (`CURLcode`).
    case other(code: Int32)
}
