package import Brokerage
import Synchronization

/// The slots that one call has in its windows.
///
/// It is a class, because the transport's thread may renew slots while the caller's task holds the
/// reservation.
package final class QuotaReservation: Sendable {
    package struct Slot: Sendable {
        package let window: QuotaWindow
        /// The call may be sent before this moment, by the ledger's clock.
        package let sendBefore: ContinuousClock.Instant
        /// By the ledger's clock.
        let freeAt: ContinuousClock.Instant
        /// The time until which the store keeps the slot, if it outlives the process: see
        /// ``QuotaWindowCounter/retentionMargin``.
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

    package init(account: QuotaAccount, start: ContinuousClock.Instant, slots: [Slot]) {
        self.account = account
        self.start = start
        state = Mutex(slots)
    }

    package var slots: [Slot] { state.withLock(\.self) }

    /// Replaces each slot that is too old at a given time.
    ///
    /// - Returns: Whether all slots are valid at that time. If one cannot be replaced, the others are
    ///   unchanged.
    package func renewSlots(
        at now: ContinuousClock.Instant, _ renew: (Slot) -> Slot?
    ) -> Bool {
        state.withLock { places in
            for index in places.indices where places[index].sendBefore <= now {
                guard let renewed = renew(places[index]) else { return false }
                places[index] = renewed
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
