/// Told by a call that changes something at a provider, around the moment at which it goes out.
///
/// Calls that only read tell nothing.
package struct WriteObserver: Sendable {
    /// The time after the call of ``willSend`` within which the first byte may be sent.
    ///
    /// A write that is not found at the provider later than that will not arrive.
    package static let validity = Duration.seconds(5)

    /// Called before the request is sent once, within ``validity`` or not at all; if it throws, the request
    /// is not sent.
    ///
    /// Once it has returned, the request counts as sent, even if the process ends.
    package let willSend: @Sendable () async throws -> Void
    /// Called if the provider cannot have acted on the request.
    ///
    /// It was not sent in time, the provider was not reached, or it refused the request unread, by its
    /// authorization (401, 403) or its rate (429).
    ///
    /// Called on any thread; it must be quick.
    package let wasRejected: @Sendable () -> Void

    package init(
        willSend: @escaping @Sendable () async throws -> Void, wasRejected: @escaping @Sendable () -> Void
    ) {
        self.willSend = willSend
        self.wasRejected = wasRejected
    }
}

extension ProviderFailure.Cause {
    /// Whether a provider that says so has not looked at what it was to do.
    var isTurnedAway: Bool {
        switch self {
        case .unauthorized, .notEntitled, .rateLimited, .quotaExhausted: true
        case .unavailable, .circuitOpen, .timedOut, .invalidResponse, .notFound, .unsupported, .overloaded,
            .feedFull,
            .cancelled, .notAllowed:
            false
        }
    }
}
