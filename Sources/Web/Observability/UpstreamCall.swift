/// One call to a service behind the server, or what stood in for one.
package struct UpstreamCall: Sendable, Hashable {
    /// Whom it went to: `ALPACA`.
    package let provider: String
    /// What was asked for, by a name that is the same each time: `positions`; never an address.
    package let call: String
    package let outcome: Outcome
    package let start: ContinuousClock.Instant
    /// Zero for what was at hand.
    package let duration: Duration
    /// The HTTP status of the last response; nil without one.
    package let status: Int?
    /// How often it went out; 0 for a call that was spared, or not let out.
    package let attempts: Int

    /// What came of it.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The provider answered.
        case fetched = "FETCHED"
        /// The value was at hand, and fresh.
        case cached = "CACHED"
        /// The call of somebody else, for the same, was waited for.
        case joined = "JOINED"
        /// The value was at hand, and past its time.
        case stale = "STALE"
        case failed = "FAILED"

        /// Whether no call was made.
        package var isSpared: Bool {
            switch self {
            case .cached, .joined, .stale: true
            case .fetched, .failed: false
            }
        }
    }

    package init(
        provider: String, call: String, outcome: Outcome, start: ContinuousClock.Instant,
        duration: Duration = .zero, status: Int? = nil, attempts: Int = 0
    ) {
        self.provider = provider
        self.call = call
        self.outcome = outcome
        self.start = start
        self.duration = duration
        self.status = status
        self.attempts = attempts
    }
}
