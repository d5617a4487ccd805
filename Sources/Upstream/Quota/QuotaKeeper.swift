package import Brokerage

/// Keeps what the ledger must not forget when the process ends, however it ends.
package protocol QuotaKeeper: Sendable {
    /// All that was kept.
    func load() throws -> [KeptQuota]

    /// Adds to what is kept: the counts of entries that are alike but for them are added up.
    ///
    /// When it returns, the entries outlive the process, even if it is killed.
    ///
    /// - Parameters:
    ///   - entries: a negative count takes back what was added before.
    ///   - now: what ended long before may be forgotten.
    /// - Throws: what keeps it from being kept.
    func add(_ entries: [KeptQuota], now: Instant) async throws

    /// Removes all entries of a holder.
    ///
    /// - Throws: The error of the store; the entries may then still be there.
    func remove(_ holder: QuotaHolder) async throws
}

/// Places that are taken in a window, or a window that is closed, until a moment.
package struct KeptQuota: Hashable, Sendable {
    package let holder: QuotaHolder
    /// The ``QuotaWindow/name``.
    package let window: String
    package let kind: Kind
    /// By the wall clock, in whole seconds, rounded up.
    package let until: Instant
    /// Calls; 1 for a closure.
    package let count: Int

    package enum Kind: Int, Hashable, Sendable {
        case calls = 0
        case closure = 1
    }

    package init(holder: QuotaHolder, window: String, kind: Kind, until: Instant, count: Int) {
        self.holder = holder
        self.window = window
        self.kind = kind
        self.until = until.roundedUpToSecond
        self.count = count
    }
}

extension Instant {
    fileprivate var roundedUpToSecond: Instant {
        guard nanoseconds > 0 else { return self }
        return Instant(secondsSince1970: secondsSince1970 + 1) ?? .latest
    }
}
