package import Brokerage
import Foundation
package import Storage
import Synchronization
package import Upstream

/// The limiter of all processes with one PostgreSQL database, which counts their calls together.
///
/// - Calls that wait at the same time are one statement (``QuotaStatements``), which waits for no lock: a call whose row another
///   process is changing gets a statement of its own. A statement whose connection breaks is executed once more, so that its
///   slots may count twice, but never less than once; the release of slots is not repeated.
/// - The database's clock counts, and a slot ends after its validity and its window. By this process's clock, the validity
///   begins before the statement was sent: a late response, or a process that was stopped, sends nothing that no longer counts.
/// - Without the database no call is made, because its count is unknown.
/// - A slot cannot be replaced at the first byte, which does not wait for the database. The call takes another slot then,
///   which is valid for twice as long: a connection that opens slowly would otherwise never send its call.
/// - The state of windows is that of the last call of this process, or of ``refresh()``.
package final class PostgresQuota: Quotas {
    private let statements: QuotaStatements
    private let clock: TimeSource
    private let maximumWait: Duration
    private let report: @Sendable (StorageError) -> Void
    // Held for a few look-ups, never while a statement is executed.
    private let state = Mutex(State())

    private struct State {
        var accounts: [QuotaAccount: Usage] = [:]
    }

    private struct Usage {
        var windows: [String: Window] = [:]
        /// The factor of the validity of slots: above 1 while connections open slowly.
        var patience = 1
    }

    private struct Window {
        var window: QuotaWindow
        var limit: Int
        var remaining: Int
        /// When all calls are available again; nil if no call is counted.
        var fullAt: ContinuousClock.Instant?
        /// Whether the provider has refused the last call.
        var isRefused = false

        init(_ window: QuotaWindow) {
            (self.window, limit, remaining) = (window, window.limit, window.limit)
        }
    }

    /// Accounts whose state is in memory; calls of others are counted all the same.
    private static let maximumAccounts = 10_000
    /// The longest validity of a slot: a connection must be open by then.
    private static let maximumValidity = Duration.seconds(8)
    /// What a time loses that the database has in whole milliseconds.
    private static let resolution = Duration.milliseconds(1)

    /// - Parameters:
    ///   - file: The database, of PostgreSQL.
    ///   - clock: The clocks of this process.
    ///   - maximumWait: A call waits for its slot so long at most.
    ///   - report: Called if a response's figures, or the release of a slot, could not be stored.
    package init(
        in file: UserDatabase, clock: TimeSource = .system, maximumWait: Duration = .seconds(5),
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) {
        statements = QuotaStatements(file.database)
        (self.clock, self.maximumWait, self.report) = (clock, maximumWait, report)
    }

    // MARK: State

    package func declare(_ windows: [QuotaWindow], of account: QuotaAccount) {
        state.withLock { state in
            guard state.accounts[account] != nil || state.accounts.count < Self.maximumAccounts else {
                return
            }
            for window in windows where state.accounts[account]?.windows[window.name]?.window != window {
                state.accounts[account, default: Usage()].windows[window.name] = Window(window)
            }
        }
    }

    package func status(of account: QuotaAccount) -> [QuotaStatus] {
        let windows = state.withLock { $0.accounts[account]?.windows.values.map(\.self) ?? [] }
        return windows.map(status).sorted { $0.window.name < $1.window.name }
    }

    package func tightest() -> [(provider: ProviderID, status: QuotaStatus)] {
        let accounts = state.withLock(\.accounts)
        return .init(tightestOf: accounts.map { ($0, $1.windows.values.map(status)) })
    }

    private func status(_ window: Window) -> QuotaStatus {
        let now = clock.now()
        guard let fullAt = window.fullAt, fullAt > now else {
            return QuotaStatus(
                window: window.window, limit: window.limit, remaining: window.limit, resetsAt: nil)
        }
        return QuotaStatus(
            window: window.window, limit: window.limit, remaining: window.remaining,
            resetsAt: clock.wallTime() + now.duration(to: fullAt))
    }

    package func retire(_ account: QuotaAccount) {
        guard account.credential != nil else { return }
        state.withLock { _ = $0.accounts.removeValue(forKey: account) }
    }

    /// The database has room for the counts of all credentials that may be tried in their time.
    package func hasCapacity(toTry account: QuotaAccount) -> Bool { true }

    private func apply(
        _ states: [QuotaStatements.WindowState], of account: QuotaAccount, at moment: ContinuousClock.Instant
    ) {
        state.withLock { state in
            for window in states {
                guard var known = state.accounts[account]?.windows[window.name] else { continue }
                (known.limit, known.remaining) = (window.limit, window.remaining)
                known.fullAt = window.resetsIn.map { moment + .milliseconds($0) }
                known.isRefused = window.isRefused
                state.accounts[account]?.windows[window.name] = known
            }
        }
    }

    // MARK: Slots

    package func reserve(
        _ windows: [QuotaWindow], of account: QuotaAccount, before deadline: ContinuousClock.Instant,
        isShared: Bool
    ) async throws(ProviderFailure) -> QuotaReservation {
        guard !windows.isEmpty else {
            return QuotaReservation(account: account, start: clock.now(), slots: [])
        }
        while true {
            let (reservation, isDelayed) = try await take(
                windows, of: account, before: deadline, isShared: isShared)
            guard isDelayed else { return reservation }
            do {
                try await clock.sleep(reservation.start)
            } catch {
                await release(reservation)
                throw ProviderFailure(account.provider, .cancelled)
            }
            // The provider may have closed the window in the meantime. Without a response the slots are not released: they count
            // without a call.
            do throws(StorageError) {
                if try await !statements.isClosed(windows, of: account) { return reservation }
            } catch {
                throw uncounted(account, error)
            }
            await release(reservation)
        }
    }

    /// - Returns: The slots, and whether their time is later.
    private func take(
        _ windows: [QuotaWindow], of account: QuotaAccount, before deadline: ContinuousClock.Instant,
        isShared: Bool
    ) async throws(ProviderFailure) -> (QuotaReservation, isDelayed: Bool) {
        declare(windows, of: account)
        let patience = state.withLock { $0.accounts[account]?.patience ?? 1 }
        let validities = Dictionary(
            windows.map { ($0.name, min($0.validity * patience, Self.maximumValidity)) },
            uniquingKeysWith: { first, _ in first })
        let before = ClockReading(clock)
        let wait = min(before.now.duration(to: deadline), maximumWait)
        let reply: QuotaStatements.Reply
        do throws(StorageError) {
            reply = try await statements.reserve(
                QuotaStatements.Call(
                    windows.map { QuotaStatements.Window($0, validity: validities[$0.name]) }, of: account,
                    wait: wait, isShared: isShared))
        } catch {
            throw uncounted(account, error)
        }
        guard let start = reply.start else {
            let retryAt = reply.retryAt.map { clock.wallTime() + .milliseconds($0 - reply.now) }
            throw ProviderFailure(
                account.provider,
                reply.isOfShare
                    ? .notAllowed(.sharedQuota(retryAt: retryAt)) : .quotaExhausted(retryAt: retryAt))
        }
        let now = clock.now()
        apply(reply.states, of: account, at: now)
        let delay = Duration.milliseconds(start - reply.now)
        // The slot begins by the database's clock between `before` and `now`, so the later one is used for its begin and
        // the earlier one for its end.
        let reservation = QuotaReservation(
            account: account, start: now + delay,
            slots: reply.slots.compactMap { slot in
                guard let window = windows.first(where: { $0.name == slot.name }),
                    let validity = validities[slot.name]
                else { return nil }
                return QuotaReservation.Slot(
                    shared: window, sendBefore: before.now + delay + validity - Self.resolution,
                    end: slot.end, takenAt: before)
            })
        return (reservation, delay > .zero)
    }

    package func confirm(_ reservation: QuotaReservation) -> Bool {
        let now = clock.now()
        let isValid = reservation.renewSlots(at: now) { _ in nil }
        state.withLock { state in
            guard let patience = state.accounts[reservation.account]?.patience else { return }
            if !isValid {
                state.accounts[reservation.account]?.patience = min(patience * 2, 32)
            } else if patience > 1,
                reservation.slots.allSatisfy({ now < reservation.start + $0.window.validity })
            {
                state.accounts[reservation.account]?.patience = patience / 2
            }
        }
        return isValid
    }

    package func release(_ reservation: QuotaReservation) async {
        let slots = reservation.slots.compactMap { slot in
            slot.sharedEnd.map { QuotaStatements.Slot(name: slot.window.name, end: $0) }
        }
        guard !slots.isEmpty else { return }
        do throws(StorageError) {
            try await statements.release(slots, of: reservation.account)
        } catch {
            report(error)
        }
    }

    private func uncounted(_ account: QuotaAccount, _ error: StorageError) -> ProviderFailure {
        let retryAt: Instant =
            if case .unavailable(_, _, let retryAt) = error { retryAt } else { .now + .seconds(1) }
        return ProviderFailure(account.provider, .notAllowed(.uncounted(retryAt: retryAt)))
    }

    // MARK: Corrections

    /// Executes a statement only if the response reports another limit or fewer calls than those that were left at this
    /// process's last statement, if it is a refusal, or if it is the first success after one.
    ///
    /// More calls may be left by now, because slots have ended since that statement. A report between both numbers is not
    /// applied; the response to the next call shows the same.
    package func record(
        _ readings: [ReportedQuota], _ cause: ProviderFailure.Cause?, in windows: [QuotaWindow],
        of account: QuotaAccount
    ) async {
        let moment = ClockReading(clock)
        let refusal = QuotaRefusal(cause, readings, windows)
        let known = state.withLock { $0.accounts[account]?.windows ?? [:] }
        let notes = windows.map { window in
            var note = QuotaStatements.Note(window)
            if let reading = readings.first(where: { $0.name == window.name }) {
                let limit = reading.limit.map { min(window.limit, max($0, 1)) } ?? window.limit
                note.isReported =
                    limit != known[window.name]?.limit
                    || reading.remaining < (known[window.name]?.remaining ?? .max)
                (note.reported, note.remaining) = (reading.limit, reading.remaining)
                note.resetsIn = reading.resetsAt.map {
                    Int64($0.duration(since: moment.wallTime) / .milliseconds(1))
                }
            }
            if let refusal, refusal.window == window.name {
                note.isClosed = true
                note.retryIn = refusal.retryAt.map {
                    max(0, Int64($0.duration(since: moment.wallTime) / .milliseconds(1)))
                }
            }
            note.isAdmitted = refusal == nil && known[window.name]?.isRefused == true
            return note
        }.filter { $0.isReported || $0.isClosed || $0.isAdmitted }
        guard !notes.isEmpty else { return }
        do throws(StorageError) {
            apply(try await statements.record(notes, of: account), of: account, at: clock.now())
        } catch {
            report(error)
        }
    }

    /// Reads the state of the server's own credentials, which other processes use, too.
    package func refresh() async throws(StorageError) {
        let own = state.withLock { $0.accounts.filter { $0.key.credential == nil } }
        for (account, usage) in own {
            let states = try await statements.states(of: usage.windows.values.map(\.window), of: account)
            apply(states, of: account, at: clock.now())
        }
    }

    /// Deletes counts that ended long ago.
    package func deleteOld() async throws(StorageError) {
        try await statements.deleteOld()
    }
}
