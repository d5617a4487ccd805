package import Brokerage

/// A rate limit of a provider: a number of calls in a period.
package struct QuotaWindow: Hashable, Sendable {
    /// The name of the limit: `requests`, `orders`, `port`.
    package let name: String
    /// The calls in a period.
    package let limit: Int
    package let period: Period

    package init(_ name: String, limit: Int, per period: Period) {
        self.name = name
        self.limit = limit
        self.period = period
    }

    /// The method by which the provider counts.
    package enum Period: Hashable, Sendable {
        /// The calls of the last seconds, at any time.
        case rolling(seconds: Int)
        /// A calendar day in New York, which ends at midnight there, for a provider that documents or appears to count so.
        case newYorkDay
    }
}

extension QuotaWindow.Period {
    /// The maximum time for which a call counts; a day with the end of daylight saving time has 25 hours.
    package var maximumDuration: Duration {
        switch self {
        case .rolling(let seconds): .seconds(max(seconds, 0))
        case .newYorkDay: .seconds(25 * 3_600)
        }
    }

    /// `windowSeconds` of the schema.
    package var seconds: Int {
        switch self {
        case .rolling(let seconds): max(seconds, 0)
        case .newYorkDay: 86_400
        }
    }
}

extension QuotaWindow {
    /// How long after a slot's time its call may be sent: a thirtieth of the window, 250 ms to 2 s, in whole milliseconds.
    ///
    /// The slot counts for this much longer than the window, because the provider counts from the arrival of
    /// the call. Of several replicas, one whose connections open slowly has a longer one, up to 8 s.
    package var validity: Duration {
        let part = Int64(period.maximumDuration / 30 / .milliseconds(1))
        return .milliseconds(min(max(part, 250), 2_000))
    }

    /// The calls that one stored entry of a window has room for: a twenty-fifth of the limit, up to 16, in a rolling window of
    /// a minute at most; otherwise one.
    ///
    /// The first of them is sent after the entry is stored, and the others without a write. If the process is killed, the next
    /// one counts all of them: no call is uncounted, but those of each entry that were not sent count, too.
    var callsPerEntry: Int {
        switch period {
        case .rolling(seconds: ...60): min(max(limit / 25, 1), 16)
        // Room that is not used counts until the window ends: in a longer one, calls that are minutes apart would fill the window.
        case .rolling, .newYorkDay: 1
        }
    }

    /// The most calls of a window whose slots are counted with exact times.
    package static let exactCalls = 512

    /// The time to whose next multiple the end of a slot is rounded up, so that the slots of a window of many calls have at
    /// most ``exactCalls`` different ends; nil for exact ends, as in a day, whose slots all end at once.
    ///
    /// The counter of a process (``QuotaWindowCounter``) and the functions of PostgreSQL
    /// (`UserDatabaseMigration+Quotas.swift`) take it from here; multiples are those of their own clocks.
    package var step: Duration? {
        guard case .rolling = period, limit > Self.exactCalls else { return nil }
        let step = Int64(period.maximumDuration / .milliseconds(1)) / Int64(Self.exactCalls)
        return step > 0 ? .milliseconds(step) : nil
    }

    /// The number of taken slots from which on clients without a session of a user get none: half of the limit, rounded up,
    /// in a window of a minute or longer.
    ///
    /// No part of a shorter window is reserved for users, because its slots are free again within a minute.
    func shared(of limit: Int) -> Int {
        period.maximumDuration >= .seconds(60) ? limit / 2 + limit % 2 : limit
    }
}

/// A rate limit that a provider's response reports.
package struct ReportedQuota: Hashable, Sendable {
    /// The ``QuotaWindow/name`` that it is about.
    package let name: String
    /// Nil if the response does not report it.
    package let limit: Int?
    /// Calls that are left.
    package let remaining: Int
    /// When the window ends; nil if the response does not report it.
    package let resetsAt: Instant?

    package init(name: String, limit: Int?, remaining: Int, resetsAt: Instant?) {
        self.name = name
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}
