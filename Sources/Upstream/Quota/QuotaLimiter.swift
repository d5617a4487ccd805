package import Brokerage
import Synchronization

/// Counts every call against the limits of its credential, so that no call is sent that would exceed a limit.
///
/// A call takes a slot in all its windows at once, or in none, before it is sent. A slot is valid for a short time
/// (``QuotaWindow/validity``), which ``confirm(_:)`` checks when the call is sent: a process that was stopped in this time
/// sends no call that no longer counts. Without a slot the call fails at once, unless a slot will be free so soon that
/// waiting is better: that slot is then booked, and the call waits for its time.
///
/// `QuotaLedger` counts in the memory of one process, and `PostgresQuota` for several; `Coordination` has one of them.
///
/// - In each interval of a window's length, or each day in New York, all processes together send at most as many calls as the
///   window allows, also if one is stopped or killed.
/// - The count of a call is stored before it is sent: by the ledger as an entry with its end in the cache file, and by
///   PostgreSQL as a slot of the window's row. The count of a call that was not sent because its process was killed remains
///   until its end, and nothing else has to be repaired.
/// - Both follow the same rules, which `PostgresQuotaTests` compares over random calls; the arithmetic of windows is in
///   ``QuotaWindowCounter`` and in the functions `quota_*` of PostgreSQL (`UserDatabaseMigration+Quotas.swift`).
/// - Without the database, no call is made, because its count is unknown. A process alone whose cache file cannot be written
///   counts in memory.
package protocol QuotaLimiter: Sendable {
    /// Makes windows known before their first call, for ``status(of:)``.
    func declare(_ windows: [QuotaWindow], of account: QuotaAccount)

    /// The state of an account's windows, by name.
    func status(of account: QuotaAccount) -> [QuotaStatus]

    /// The state of the windows of all providers, by provider and name; of several credentials the one with
    /// the fewest calls left.
    func tightest() -> [(provider: ProviderID, status: QuotaStatus)]

    /// Marks a credential as unused: its connection was not stored, was removed, or has another credential.
    ///
    /// Its counts continue for its next call, by whichever connection.
    func retire(_ account: QuotaAccount)

    /// Whether a credential may be tried: its counts are known, or there is room for unused credentials.
    func hasCapacity(toTry account: QuotaAccount) -> Bool

    /// Takes a slot in each window for one call, and waits for its time if that is near.
    ///
    /// - Parameters:
    ///   - windows: The limits that the call counts against.
    ///   - account: The owner of the quota.
    ///   - deadline: The latest time at which the call may be sent.
    ///   - isShared: Whether the call belongs to a client without a session or with a guest session: it gets a slot only
    ///     while less than half of the window is taken (``QuotaWindow/shared(of:)``).
    /// - Returns: The slots, valid from their `start`.
    /// - Throws: `quotaExhausted` with the time of the next slot, or `notAllowed` if a call that is not shared
    ///   would have a slot sooner, or if calls cannot be counted at present; `cancelled` with the task; `overloaded` if
    ///   there are more credentials than the limit.
    func reserve(
        _ windows: [QuotaWindow], of account: QuotaAccount, before deadline: ContinuousClock.Instant,
        isShared: Bool
    ) async throws(ProviderFailure) -> QuotaReservation

    /// Whether a call may be sent now on its reservation; called immediately before its first byte, so it does not wait.
    func confirm(_ reservation: QuotaReservation) -> Bool

    /// Gives the slots back of a call that the provider cannot have seen.
    func release(_ reservation: QuotaReservation) async

    /// Records the limits that a response reports.
    ///
    /// - Parameters:
    ///   - readings: The reported limits; those of windows in which the call was not counted are ignored.
    ///   - cause: The cause of the failure; nil for a success.
    ///   - windows: The windows of the call.
    ///   - account: The account of the call.
    func record(
        _ readings: [ReportedQuota], _ cause: ProviderFailure.Cause?, in windows: [QuotaWindow],
        of account: QuotaAccount
    ) async
}

/// The slots that one call has in its windows.
///
/// It is a class, because the transport's thread may renew slots while the caller's task holds the
/// reservation.
package final class QuotaReservation: Sendable {
    package struct Slot: Sendable {
        package let window: QuotaWindow
        /// The call may be sent before this moment, by the ledger's clock.
        package let sendBefore: ContinuousClock.Instant
        /// When the slot is free again: it ends after its validity and its window; by the ledger's clock.
        ///
        /// In a slot that a database counts, this and `storedUntil` are `sendBefore`, and nothing reads them.
        let freeAt: ContinuousClock.Instant
        /// The time until which the store keeps the slot, for the next process: see ``QuotaWindowCounter/retentionMargin``.
        let storedUntil: ContinuousClock.Instant
        /// The calls of the entry that must be stored before the call is sent; 0 if a stored entry has room for it.
        let storedCount: Int
        /// When it was taken: it determines the wall time of the entry.
        package let clockReading: ClockReading
        /// When it is free again by the clock of a database, in milliseconds since 1970; nil for a slot of one process.
        package let sharedEnd: Int64?

        init(
            window: QuotaWindow, sendBefore: ContinuousClock.Instant, freeAt: ContinuousClock.Instant,
            storedUntil: ContinuousClock.Instant, storedCount: Int, clockReading: ClockReading
        ) {
            (self.window, self.sendBefore, self.freeAt) = (window, sendBefore, freeAt)
            (self.storedUntil, self.storedCount, self.clockReading) = (storedUntil, storedCount, clockReading)
            sharedEnd = nil
        }

        /// Creates a slot that a database counts.
        package init(
            shared window: QuotaWindow, sendBefore: ContinuousClock.Instant, end: Int64, takenAt: ClockReading
        ) {
            (self.window, self.sendBefore, clockReading, sharedEnd) = (window, sendBefore, takenAt, end)
            (freeAt, storedUntil, storedCount) = (sendBefore, sendBefore, 0)
        }
    }

    package let account: QuotaAccount
    /// When the call may go out.
    package let start: ContinuousClock.Instant
    // Held for arithmetic on a few slots; taken inside of the ledger's lock, never around it.
    private let state: Mutex<[Slot]>
    private let hasFailedToStore = Atomic(false)

    package init(account: QuotaAccount, start: ContinuousClock.Instant, slots: [Slot]) {
        self.account = account
        self.start = start
        state = Mutex(slots)
    }

    package var slots: [Slot] { state.withLock(\.self) }

    /// Whether ``storedUsage`` is stored, or is being stored.
    var isStored: Bool { !hasFailedToStore.load(ordering: .relaxed) }

    func couldNotBeStored() { hasFailedToStore.store(true, ordering: .relaxed) }

    /// Replaces each slot that is too old at a given time.
    ///
    /// - Returns: Whether all slots are valid at that time. If one cannot be replaced, those before it are replaced all the
    ///   same.
    package func renewSlots(
        at now: ContinuousClock.Instant, _ renew: (Slot) -> Slot?
    ) -> Bool {
        state.withLock { slots in
            for index in slots.indices where slots[index].sendBefore <= now {
                guard let renewed = renew(slots[index]) else { return false }
                slots[index] = renewed
            }
            return true
        }
    }

    /// The counts that must be stored before the call is sent, so that they survive a restart.
    var storedUsage: [StoredQuotaUsage] {
        slots.compactMap { slot in
            guard slot.storedCount > 0 else { return nil }
            return slot.clockReading.entry(
                of: account, slot.window, until: slot.storedUntil, count: slot.storedCount)
        }
    }
}

/// A provider's rejection of a call, and the window to which it applies.
package struct QuotaRefusal {
    package let window: String
    package let retryAt: Instant?

    /// Returns nil for a response that closes no window.
    ///
    /// If no reading shows an exhausted window, a rate limit refers to the shortest window, and an exhausted
    /// quota to the longest.
    package init?(_ cause: ProviderFailure.Cause?, _ readings: [ReportedQuota], _ windows: [QuotaWindow]) {
        guard let cause, cause.traits.contains(.providerLimit) else { return nil }
        retryAt = cause.retryAt
        let byLength = windows.sorted { $0.period.maximumDuration < $1.period.maximumDuration }
        let guess = if case .rateLimited = cause { byLength.first } else { byLength.last }
        let named = readings.first { $0.remaining <= 0 }?.name
        guard let window = byLength.first(where: { $0.name == named }) ?? guess else { return nil }
        self.window = window.name
    }
}
