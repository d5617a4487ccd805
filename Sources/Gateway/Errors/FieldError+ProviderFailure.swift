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
            case .answerInvalid: (.providerAnswerInvalid, "\(name) gave an answer that cannot be used.")
            case .unauthorized: (.reconnectRequired, "\(name) refused the credential: connect with it again.")
            case .notEntitled:
                (.notEntitled, "\(name) does not allow this to the user or plan of this connection.")
            case .notFound: (.notFound, "\(name) knows no such thing.")
            case .rateLimited, .quotaExhausted: (.quotaExhausted, "\(name) allows no further call for now.")
            case .unsupported: (.unsupported, "\(name) has no such thing.")
            case .overloaded: (.providerUnavailable, "Too many calls to \(name) are waiting; try again soon.")
            case .cancelled: (.providerUnavailable, "The call to \(name) was given up.")
            }
        self.init(code, message, provider: failure.provider, retryAt: failure.cause.retryAt)
    }
}
