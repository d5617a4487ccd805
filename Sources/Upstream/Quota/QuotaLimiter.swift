package import Brokerage

/// Counts every call against the limits of its credential, so that no call is sent that would exceed a limit.
///
/// A call takes a slot in all its windows at once, or in none, before it is sent. A slot is valid for a short time
/// (``QuotaWindow/validity``), which ``confirm(_:)`` checks when the call is sent: a process that was stopped in this time
/// sends no call that no longer counts. Without a slot the call fails at once, unless a slot will be free so soon that
/// waiting is better: that slot is then booked, and the call waits for its time.
package protocol QuotaLimiter: Sendable {
    /// Makes windows known before their first call, for ``status(of:)``.
    func declare(_ windows: [QuotaWindow], of holder: QuotaAccount)

    /// The state of an account's windows, by name.
    func status(of holder: QuotaAccount) -> [QuotaStatus]

    /// The state of the windows of all providers, by provider and name; of several credentials the one with
    /// the fewest calls left.
    func tightest() -> [(provider: ProviderID, status: QuotaStatus)]

    /// Marks a credential as unused: its connection was not stored, was removed, or has another credential.
    ///
    /// Its counts continue for its next call, by whichever connection.
    func retire(_ holder: QuotaAccount)

    /// Whether a credential may be tried: its counts are known, or there is room for unused credentials.
    func hasCapacity(toTry holder: QuotaAccount) -> Bool

    /// Takes a slot in each window for one call, and waits for its time if that is near.
    ///
    /// - Parameters:
    ///   - windows: The limits that the call counts against.
    ///   - holder: The owner of the quota.
    ///   - deadline: The latest time at which the call may be sent.
    ///   - isShared: Whether the call belongs to a client without a session or with a guest session. All such clients
    ///     together take at most half of a window of a minute or longer, rounded up.
    /// - Returns: The slots, valid from their `start`.
    /// - Throws: `quotaExhausted` with the time of the next slot, or `notAllowed` if a call that is not shared
    ///   would have a slot sooner, or if calls cannot be counted at present; `cancelled` with the task; `overloaded` if
    ///   there are more credentials than the limit.
    func reserve(
        _ windows: [QuotaWindow], of holder: QuotaAccount, before deadline: ContinuousClock.Instant,
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
    ///   - holder: The account of the call.
    func record(
        _ readings: [ReportedQuota], _ cause: ProviderFailure.Cause?, in windows: [QuotaWindow],
        of holder: QuotaAccount
    ) async
}
