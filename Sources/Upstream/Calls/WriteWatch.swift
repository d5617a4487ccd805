/// Told by a call that changes something at a provider, around the moment at which it goes out.
///
/// Calls that only read tell nothing.
package struct WriteWatch: Sendable {
    /// The request goes out next, for the only time; where this throws, it does not go out.
    ///
    /// Once it has returned the request counts as sent, whatever happens to the process.
    package let willSend: @Sendable () async throws -> Void
    /// The provider cannot have acted on the request after all: it was not reached, or turned the request away unread, for
    /// who asks (401, 403) or how often (429).
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
            .cancelled:
            false
        }
    }
}
