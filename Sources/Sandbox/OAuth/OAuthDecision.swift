import Synchronization

/// What users do when an application asks for access.
package enum OAuthDecision: Sendable, Hashable {
    /// The page is shown, and whoever looks at it decides.
    case prompt
    /// The user of that name allows it without a page.
    case approve(user: String)
    /// Refused without a page.
    case deny
}

/// The decision of the moment, for every provider.
///
/// A lock, because it is set by one task and read by many.
package final class OAuthDecisions: Resettable {
    private let state = Mutex(OAuthDecision.prompt)

    package var decision: OAuthDecision {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    package func reset() {
        decision = .prompt
    }
}
