import Brokerage
import Upstream

extension FieldError {
    /// A provider's failure as clients see it.
    ///
    /// The message says what happened and what to do; what the provider
    /// itself said stays inside.
    init(_ failure: ProviderFailure) {
        let name = failure.provider.rawValue
        let (code, message): (ErrorCode, String) =
            switch failure.cause {
            case .unavailable, .circuitOpen:
                (.providerUnavailable, "\(name) could not be reached or is out of order.")
            case .timedOut: (.providerTimeout, "\(name) did not answer in time.")
            case .invalidResponse: (.providerAnswerInvalid, "\(name) gave an answer that cannot be used.")
            case .unauthorized: (.reconnectRequired, "\(name) refused the credential: connect with it again.")
            case .notEntitled:
                (.notEntitled, "\(name) does not allow this to the user or plan of this connection.")
            case .notFound: (.notFound, "\(name) knows no such thing.")
            case .rateLimited, .quotaExhausted: (.quotaExhausted, "\(name) allows no further call for now.")
            case .unsupported: (.unsupported, "\(name) has no such thing.")
            case .overloaded: (.providerUnavailable, "Too many calls to \(name) are waiting; try again soon.")
            case .feedFull(nil):
                (
                    .rateLimited,
                    "The price feed of \(name) is full; Portico tries again."
                )
            case .feedFull(let limit?):
                (
                    .rateLimited,
                    """
                    One client may follow \(limit) symbols of \(name) at a time. End another subscription; Portico \
                    tries again.
                    """
                )
            case .cancelled: (.providerUnavailable, "The call to \(name) was given up.")
            case .notAllowed(.operation(let limit)):
                (
                    .tooManyUpstreamCalls,
                    "The operation needs more than \(limit) calls to providers. Request less in one operation."
                )
            case .notAllowed(.client(let limit, _)):
                (
                    .rateLimited,
                    """
                    A client without a session, or with a guest session, has \(limit) calls to providers a \
                    minute: wait, or sign in.
                    """
                )
            case .notAllowed(.sharedQuota):
                (
                    .quotaExhausted,
                    """
                    All clients without a session, or with a guest session, have used up their part of the quota of \
                    \(name): wait, or sign in.
                    """
                )
            }
        let provider: ProviderID? =
            switch failure.cause {
            // The limit is Portico's own, so no provider is named.
            case .notAllowed(.operation), .notAllowed(.client): nil
            default: failure.provider
            }
        self.init(code, message, provider: provider, retryAt: failure.retryAt)
    }
}

extension ProviderFailure {
    /// The time after which a retry can succeed, if it is known.
    fileprivate var retryAt: Instant? {
        // Portico's own longest pause before it tries the feed again.
        if case .feedFull = cause { return .now + .seconds(30) }
        return cause.retryAt
    }
}
