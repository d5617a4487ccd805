package import Brokerage

/// One limit of a provider: so many calls in a stretch of time.
package struct QuotaWindow: Hashable, Sendable {
    /// What is counted: `requests`, `orders`, `port`.
    package let name: String
    /// Calls in a stretch.
    package let limit: Int
    package let period: Period

    package init(_ name: String, limit: Int, per period: Period) {
        self.name = name
        self.limit = limit
        self.period = period
    }

    /// How the provider counts.
    package enum Period: Hashable, Sendable {
        /// The calls of the last so many seconds, whenever one looks.
        case rolling(seconds: Int)
        /// A calendar day in New York, where the provider says or is thought to count so.
        case newYorkDay
    }
}

extension QuotaWindow.Period {
    /// How long a call takes its place at most; a day is 25 hours long where autumn repeats one.
    package var maximumDuration: Duration {
        switch self {
        case .rolling(let seconds): .seconds(max(seconds, 0))
        case .newYorkDay: .seconds(25 * 3_600)
        }
    }

    /// What the schema calls `windowSeconds`.
    package var seconds: Int {
        switch self {
        case .rolling(let seconds): max(seconds, 0)
        case .newYorkDay: 86_400
        }
    }
}

extension QuotaWindow {
    /// How long after a slot's time its call may be sent: a thirtieth of the window, 250 ms to 2 s.
    ///
    /// The slot counts for this much longer than the window, because the provider counts from the arrival of
    /// the call.
    var validity: Duration { min(max(period.maximumDuration / 30, .milliseconds(250)), .seconds(2)) }

    /// Whether its count must outlive the process.
    ///
    /// A window of seconds is over before another process could have started.
    package var isPersistent: Bool { period.maximumDuration >= .seconds(60) }
}

/// What a provider's response tells of one of its limits.
package struct ReportedQuota: Hashable, Sendable {
    /// The ``QuotaWindow/name`` that it is about.
    package let name: String
    /// Nil where the response does not say.
    package let limit: Int?
    /// Calls that are left.
    package let remaining: Int
    /// When all are there again; nil where the response does not say.
    package let resetsAt: Instant?

    package init(name: String, limit: Int?, remaining: Int, resetsAt: Instant?) {
        self.name = name
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}

/// The credential whose quota a call spends: the server's own key with a provider, or that of a connection.
package struct QuotaAccount: Hashable, Sendable {
    package let provider: ProviderID
    /// Identifies the credential; nil for the server's own key.
    ///
    /// Never the credential itself: a keyed hash of it, or the id of a connection whose credential is renewed
    /// or named by the settings.
    package let credential: String?

    package init(_ provider: ProviderID, credential: String? = nil) {
        self.provider = provider
        self.credential = credential
    }
}

/// How one window of a holder stands.
package struct QuotaStatus: Hashable, Sendable {
    package let window: QuotaWindow
    /// Calls in a stretch: what was configured, or less where the provider says so.
    package let limit: Int
    /// Calls that can go out now.
    package let remaining: Int
    /// When all are there again; nil where none is taken, or nobody knows.
    package let resetsAt: Instant?
}
