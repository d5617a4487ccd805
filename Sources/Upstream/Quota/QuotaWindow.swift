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

/// What a provider's response tells of one of its limits.
package struct QuotaReading: Hashable, Sendable {
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

/// Whose quota a call spends: the server's own key with a provider, or a user's connection.
package struct QuotaHolder: Hashable, Sendable {
    package let provider: Provider
    /// The connection's id; nil for the server's own key.
    ///
    /// Never a credential.
    package let connection: String?

    package init(_ provider: Provider, connection: String? = nil) {
        self.provider = provider
        self.connection = connection
    }
}
