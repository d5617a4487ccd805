package import Brokerage

/// The reason why a provider call failed.
///
/// A closed set without secrets and payloads: it may be logged, and determines the error that a client gets.
public struct ProviderFailure: Error, Hashable, Sendable {
    package let provider: ProviderID
    package let cause: Cause

    package init(_ provider: ProviderID, _ cause: Cause) {
        self.provider = provider
        self.cause = cause
    }

    /// The cause of a failure, by its consequence for the caller.
    package enum Cause: Hashable, Sendable {
        /// The provider cannot be reached, or returned a server error.
        case unavailable
        /// The circuit breaker is open: recent calls failed, and the next one is sent at this time or later.
        case circuitOpen(retryAt: Instant)
        /// The deadline has passed.
        case timedOut
        /// The response is malformed; the location of the error if it is JSON.
        case invalidResponse(JSONError?)
        /// The credential was rejected: the user must connect again.
        case unauthorized
        /// The credential is valid, but does not permit the request.
        case notEntitled
        case notFound
        /// The provider's rate limit was exceeded; the time of the next attempt, if the response has it.
        case rateLimited(retryAt: Instant?)
        /// The plan's quota is exhausted until this time.
        case quotaExhausted(retryAt: Instant?)
        /// The provider does not support the request.
        case unsupported
        /// Portico's own limit of calls is reached, a call could not be sent in time, or Portico is shutting
        /// down.
        case overloaded
        /// The provider has more of something than Portico reads, so that a part would be missing: the same request fails
        /// again.
        case tooMany(Excess, limit: Int)
        /// Portico's price feed of the provider is full: for one client if a number is given, otherwise for
        /// all clients together.
        case feedFull(symbolsPerClient: Int?)
        /// The caller has cancelled the call.
        case cancelled
        /// A limit of this operation, of this client, or of all clients without a session prevents the call.
        case notAllowed(CallRefusal)
    }

    /// What a provider has more of than Portico reads.
    package enum Excess: String, Hashable, Sendable {
        case watchlists
        case pagesOfCharts = "pages of charts"
        case pagesOfCorporateActions = "pages of corporate actions"
    }
}

extension ProviderFailure {
    /// Converts an error of the HTTP client, which received no response.
    package init(_ provider: ProviderID, transport error: HTTPClientError) {
        let cause: Cause =
            switch error {
            case .couldNotResolve, .couldNotConnect, .tls, .interrupted, .badURL, .other: .unavailable
            case .timedOut: .timedOut
            case .responseTooLarge, .malformedResponse: .invalidResponse(nil)
            case .overloaded, .shutDown, .notSent: .overloaded
            case .cancelled: .cancelled
            }
        self.init(provider, cause)
    }
}

extension ProviderFailure.Cause {
    /// The failure for a status by RFC 9110; nil for success.
    ///
    /// Providers with their own error codes check those first.
    package static func status(of response: HTTPClientResponse, now: Instant) -> Self? {
        switch response.status {
        case 200..<300: nil
        case 401: .unauthorized
        case 402, 403: .notEntitled
        case 404, 410: .notFound
        case 408, 504: .timedOut
        case 429: .rateLimited(retryAt: RetryAfter.instant(in: response, now: now))
        case 500...: .unavailable
        default: .invalidResponse(nil)
        }
    }
}

extension ProviderFailure {
    /// Whether a message of a stream is valid JSON with other content than required, so that the connection is in order.
    package var isUnreadableContent: Bool {
        guard case .invalidResponse(let error?) = cause else { return false }
        return error.isOfContent
    }
}

extension ProviderFailure: CustomStringConvertible {
    /// The provider and the cause, for logs.
    public var description: String { "\(provider.name.text): \(cause)" }
}

extension ProviderFailure.Cause: CustomStringConvertible {
    /// The cause, for logs.
    public var description: String {
        switch self {
        case .unavailable: "unavailable"
        case .circuitOpen(let retryAt): "unavailable, not called again" + Self.until(retryAt)
        case .timedOut: "no response in time"
        case .invalidResponse(nil): "an invalid response"
        case .invalidResponse(let error?): "an invalid response: \(error)"
        case .unauthorized: "the credential was refused"
        case .notEntitled: "not allowed for this credential"
        case .notFound: "not found"
        case .rateLimited(let retryAt): "rate limit exceeded" + Self.until(retryAt)
        case .quotaExhausted(let retryAt): "the quota is used up" + Self.until(retryAt)
        case .unsupported: "not supported"
        case .overloaded: "too many calls at once"
        case .tooMany(let items, let limit): "more than \(limit) \(items.rawValue)"
        case .feedFull(nil): "the price feed is full"
        case .feedFull(let limit?): "the client follows \(limit) symbols already"
        case .cancelled: "cancelled"
        case .notAllowed(.operation(let limit)): "more than the \(limit) calls of an operation"
        case .notAllowed(.client(let limit, let retryAt)):
            "more than the \(limit) calls a minute of a client without a session, or with a guest session"
                + Self.until(retryAt)
        case .notAllowed(.sharedQuota(let retryAt)):
            "the part of the quota for clients without a session, or with a guest session, is used up"
                + Self.until(retryAt)
        case .notAllowed(.uncounted(let retryAt)):
            "the database that counts calls is not available" + Self.until(retryAt)
        }
    }

    private static func until(_ retryAt: Instant?) -> String {
        retryAt.map { " until \($0)" } ?? ""
    }
}
