/// Told by a call that changes something at a provider, around the moment at which it goes out.
///
/// Calls that only read tell nothing.
package struct WriteWatch: Sendable {
    /// How long after the call of ``willSend`` the first byte may be sent.
    ///
    /// Whoever looks for the write at the provider later than that, and does not find it, need not expect it to arrive.
    package static let validity = Duration.seconds(5)

    /// The request is sent next, once, within ``validity`` or not at all; where this throws, it is not sent.
    ///
    /// Once it has returned the request counts as sent, whatever happens to the process.
    package let willSend: @Sendable () async throws -> Void
    /// The provider cannot have acted on the request after all: it was not sent in time, the provider was not reached, or
    /// it turned the request away unread, for who asks (401, 403) or how often (429).
    ///
    /// Called on any thread; it must be quick.
    package let wasNotTaken: @Sendable () -> Void

    package init(
        willSend: @escaping @Sendable () async throws -> Void, wasNotTaken: @escaping @Sendable () -> Void
    ) {
        self.willSend = willSend
        self.wasNotTaken = wasNotTaken
    }
}

extension ProviderFailure.Cause {
    /// Whether a provider that says so has not looked at what it was to do.
    var isTurnedAway: Bool {
        switch self {
        case .unauthorized, .notEntitled, .rateLimited, .quotaExhausted: true
        case .unavailable, .circuitOpen, .timedOut, .answerInvalid, .notFound, .unsupported, .overloaded,
            .feedFull,
            .cancelled, .notAllowed:
            false
        }
    }
}
