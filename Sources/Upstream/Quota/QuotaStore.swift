package import Brokerage

/// Stores the counts of the ledger, so that they survive the end of the process.
package protocol QuotaStore: Sendable {
    /// Returns the stored counts that have not ended.
    ///
    /// An entry from before the machine's last start may end by the wall clock later than an entry of its window that is
    /// stored now can end: then the wall clock was wrong when it was stored, or is wrong now. Such an entry
    /// ends its ``StoredQuotaUsage/maximumLifetime`` after `uptime`, also for the next processes until the machine
    /// restarts.
    ///
    /// - Parameters:
    ///   - now: The time by the wall clock.
    ///   - uptime: The same by the machine's uptime.
    /// - Returns: The entries.
    /// - Throws: The error that prevented the read.
    func load(now: Instant, uptime: Duration) throws -> [StoredQuotaUsage]

    /// Adds entries; the counts of entries that are otherwise equal are added.
    ///
    /// When it returns, the entries survive the end of the process, even if it is killed.
    ///
    /// - Parameters:
    ///   - entries: The entries; a negative count reduces an earlier one.
    ///   - now: The time by the wall clock; entries that ended long before may be deleted.
    ///   - uptime: The same by the machine's uptime.
    /// - Throws: The error that prevented the write.
    func add(_ entries: [StoredQuotaUsage], now: Instant, uptime: Duration) async throws
}

/// Slots that are taken in a window, or a window that is closed, until a moment.
package struct StoredQuotaUsage: Hashable, Sendable {
    package let account: QuotaAccount
    /// The ``QuotaWindow/name``.
    package let window: String
    package let kind: Kind
    /// By the wall clock, in whole seconds, rounded up.
    package let until: Instant
    /// The same by the machine's uptime (CLOCK_BOOTTIME), which no step of the wall clock changes; nil for an
    /// entry from before the machine's last start.
    package let untilUptime: Duration?
    /// Calls; 1 for a closure.
    package let count: Int
    /// The longest time until an entry of this window ends, in whole seconds: a closure or the window, and some reserve.
    package let maximumLifetime: Duration

    package enum Kind: Int, Hashable, Sendable {
        case calls = 0
        case closure = 1
    }

    package init(
        account: QuotaAccount, window: String, kind: Kind, until: Instant, untilUptime: Duration? = nil,
        count: Int, maximumLifetime: Duration
    ) {
        self.account = account
        self.window = window
        self.kind = kind
        self.until = until.roundedUpToSecond
        self.untilUptime = untilUptime
        self.count = count
        self.maximumLifetime = maximumLifetime
    }
}

extension Instant {
    fileprivate var roundedUpToSecond: Instant {
        guard nanoseconds > 0 else { return self }
        return Instant(secondsSince1970: secondsSince1970 + 1) ?? .latest
    }
}
