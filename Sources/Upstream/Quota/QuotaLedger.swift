package import Brokerage
import Synchronization

/// The limiter of one process, which counts calls in its memory.
///
/// - Slots are counted by a clock that is never set back and that runs while the machine sleeps. They are stored before the
///   call is sent, several with one write (``QuotaWindow/callsPerEntry``): a process that is killed leaves no call uncounted.
/// - The figures in responses never make the count smaller, nor the limit larger than the configured one; a refusal closes a
///   window.
///
/// The file is longer than 350 lines, because all methods change the state behind one lock.
package final class QuotaLedger: QuotaLimiter {
    /// The counters of an account.
    ///
    /// A class, because a change of a value in two dictionaries allocates memory for each of them. It does not leave the lock.
    private final class Usage {
        /// A few, so that a search takes less time than a dictionary.
        var counters: [QuotaWindowCounter] = []

        func index(of name: String) -> Int? { counters.firstIndex { $0.window.name == name } }

        func isIdle(at now: ContinuousClock.Instant) -> Bool {
            counters.indices.allSatisfy { counters[$0].isIdle(at: now) }
        }
    }

    private struct State {
        var accounts: [QuotaAccount: Usage] = [:]
        /// Read at the start, until their windows are known.
        var restored: [QuotaAccount: [StoredQuotaUsage]] = [:]
        /// The accounts without a connection, whose calls the provider still counts.
        var retired: Set<QuotaAccount> = []
        /// The time before which the idle ones of them are not searched again.
        var nextSweepOfRetired: ContinuousClock.Instant?
        /// Before this moment idle accounts are not searched again.
        var nextSweep: ContinuousClock.Instant?

        /// The number of accounts that are not retired.
        var used: Int { accounts.count - retired.count }

        /// Changes the counter of a window; nil if it is not known.
        func update<Result>(
            _ window: QuotaWindow, of account: QuotaAccount, _ change: (inout QuotaWindowCounter) -> Result
        ) -> Result? {
            guard let usage = accounts[account], let index = usage.index(of: window.name) else {
                return nil
            }
            return change(&usage.counters[index])
        }
    }

    package let clock: TimeSource
    private let store: (any QuotaStore)?
    private let limits: Limits
    private let report: @Sendable (any Error) -> Void
    // Never held while anything is awaited; usually for arithmetic on a few windows. Only the lists of all accounts, and the
    // searches for idle ones, at most one a second, read all accounts.
    private let state: Mutex<State>

    /// The bounds of a ledger.
    package struct Limits: Sendable {
        /// A call waits for its slot so long at most.
        package var maximumWait = Duration.seconds(5)
        /// Credentials whose counts are in memory; as many without a connection are beside them.
        package var accounts = 10_000

        package init() {}
    }

    /// Creates a ledger with the stored counts.
    ///
    /// - Parameters:
    ///   - clock: The clocks.
    ///   - store: Stores the counts across restarts; nil for a ledger in memory only.
    ///   - limits: The limits of the ledger.
    ///   - report: Called if a count could not be stored. The call is sent nevertheless: it counts in
    ///     memory, and a full disk must not stop the service.
    /// - Throws: The error of `store` if it cannot be read.
    package init(
        clock: TimeSource = .system, store: (any QuotaStore)?, limits: Limits = Limits(),
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws {
        self.clock = clock
        self.store = store
        self.limits = limits
        self.report = report
        let moment = ClockReading(clock)
        let stored = try store?.load(now: moment.wallTime, uptime: moment.uptime) ?? []
        state = Mutex(State(restored: Dictionary(grouping: stored, by: \.account)))
    }

    /// A ledger in memory only, whose counts end with the process.
    package init(clock: TimeSource = .system, limits: Limits = Limits()) {
        self.clock = clock
        self.limits = limits
        store = nil
        report = { _ in }
        state = Mutex(State())
    }

    package func declare(_ windows: [QuotaWindow], of account: QuotaAccount) {
        let moment = ClockReading(clock)
        state.withLock { state in
            guard !windows.isEmpty, ensureCapacity(for: account, in: &state, moment) else { return }
            _ = Self.usage(of: account, with: windows, in: &state, moment)
        }
    }

    package func status(of account: QuotaAccount) -> [QuotaStatus] {
        let moment = ClockReading(clock)
        let counters = state.withLock { $0.accounts[account]?.counters ?? [] }
        return counters.map { $0.status(moment) }.sorted { $0.window.name < $1.window.name }
    }

    package func tightest() -> [(provider: ProviderID, status: QuotaStatus)] {
        let moment = ClockReading(clock)
        let used = state.withLock { state in
            state.accounts.filter { !state.retired.contains($0.key) }.map { ($0.key, $0.value.counters) }
        }
        return .init(tightestOf: used.map { ($0, $1.map { $0.status(moment) }) })
    }

    /// The number of accounts whose counts are in memory, without the unused ones.
    package var accountCount: Int { state.withLock(\.used) }

    /// The counts are in memory until they are idle.
    package func retire(_ account: QuotaAccount) {
        guard account.credential != nil else { return }
        let moment = ClockReading(clock)
        state.withLock { state in
            guard state.accounts[account] != nil else { return }
            state.retired.insert(account)
            Self.removeIdleRetired(in: &state, moment)
        }
    }

    /// As many unused credentials are in memory as used ones.
    ///
    /// None is removed whose calls still count: others
    /// are not tried meanwhile, because each may become another unused one.
    package func hasCapacity(toTry account: QuotaAccount) -> Bool {
        let moment = ClockReading(clock)
        return state.withLock { state in
            if state.accounts[account] != nil || state.retired.count < limits.accounts { return true }
            Self.removeIdleRetired(in: &state, moment)
            return state.retired.count < limits.accounts
        }
    }

    /// Removes the unused credentials whose counts have no effect; searches for them once a second at most.
    private static func removeIdleRetired(in state: inout State, _ moment: ClockReading) {
        guard moment.now >= state.nextSweepOfRetired ?? moment.now else { return }
        state.nextSweepOfRetired = moment.now + .seconds(1)
        for account in state.retired where state.accounts[account]?.isIdle(at: moment.now) ?? true {
            state.retired.remove(account)
            state.accounts[account] = nil
        }
    }

    // MARK: Slots

    package func reserve(
        _ windows: [QuotaWindow], of account: QuotaAccount, before deadline: ContinuousClock.Instant,
        isShared: Bool = false
    ) async throws(ProviderFailure) -> QuotaReservation {
        guard !windows.isEmpty else {
            return QuotaReservation(account: account, start: clock.now(), slots: [])
        }
        while true {
            let reservation = try book(windows, of: account, before: deadline, isShared: isShared)
            await store(reservation)
            if reservation.start > clock.now() {
                do {
                    try await clock.sleep(reservation.start)
                } catch {
                    await release(reservation)
                    throw ProviderFailure(account.provider, .cancelled)
                }
                // The provider may have closed the window in the meantime.
                if isClosed(windows, of: account) {
                    await release(reservation)
                    continue
                }
            }
            return reservation
        }
    }

    package func release(_ reservation: QuotaReservation) async {
        let reverted = state.withLock { state in
            reservation.slots.filter { slot in
                // What could not be stored is not subtracted: the entry may contain the counts of other calls.
                let isStored = slot.storedCount == 0 || reservation.isStored
                return state.update(slot.window, of: reservation.account) {
                    $0.release(slot, isStored: isStored)
                } ?? false
            }
        }
        _ = await persist(
            reverted.map {
                $0.clockReading.entry(of: reservation.account, $0.window, until: $0.storedUntil, count: -1)
            })
    }

    /// Stores the counts of a call before it is sent.
    private func store(_ reservation: QuotaReservation) async {
        let entries = reservation.storedUsage
        guard !entries.isEmpty else { return }
        let isStored = await persist(entries)
        if !isStored { reservation.couldNotBeStored() }
        state.withLock { state in
            for slot in reservation.slots {
                _ = state.update(slot.window, of: reservation.account) {
                    $0.didStore(slot, isStored: isStored)
                }
            }
        }
    }

    /// Slots that are too old, because the process was stopped or the connection took long, are replaced if
    /// that is possible at once.
    ///
    /// Otherwise the call is not sent, because the ledger no longer counts it.
    package func confirm(_ reservation: QuotaReservation) -> Bool {
        let moment = ClockReading(clock)
        return state.withLock { state in
            reservation.renewSlots(at: moment.now) { slot in
                state.update(slot.window, of: reservation.account) { $0.renew(slot, moment) } ?? nil
            }
        }
    }

    private func book(
        _ windows: [QuotaWindow], of account: QuotaAccount, before deadline: ContinuousClock.Instant,
        isShared: Bool
    ) throws(ProviderFailure) -> QuotaReservation {
        let moment = ClockReading(clock)
        let result: Result<QuotaReservation, ProviderFailure> = state.withLock { state in
            guard ensureCapacity(for: account, in: &state, moment) else {
                return .failure(ProviderFailure(account.provider, .overloaded))
            }
            let usage = Self.usage(of: account, with: windows, in: &state, moment)
            let indices = windows.compactMap { usage.index(of: $0.name) }
            for index in indices { usage.counters[index].free(at: moment.now) }
            func earliest(isShared: Bool) -> ContinuousClock.Instant? {
                // A time at which one window has a slot remains possible if another window requires a later
                // one.
                indices.reduce(Optional(moment.now)) { start, index in
                    start.flatMap { usage.counters[index].earliest(from: $0, isShared: isShared) }
                }
            }
            let latest = min(deadline, moment.now + limits.maximumWait)
            func isSoon(_ start: ContinuousClock.Instant) -> Bool { start <= moment.now || start < latest }
            let start = earliest(isShared: isShared)
            let startOfOthers = isShared ? earliest(isShared: false) : start
            // Others may join a shared call: it does not wait while they have a slot sooner, because they would wait with it.
            guard let start, isSoon(start), start == startOfOthers else {
                let retryAt = start.map(moment.wallTime)
                let isOfShare = isShared && startOfOthers.map(isSoon) ?? false
                return .failure(
                    ProviderFailure(
                        account.provider,
                        isOfShare
                            ? .notAllowed(.sharedQuota(retryAt: retryAt)) : .quotaExhausted(retryAt: retryAt))
                )
            }
            let slots = indices.map { usage.counters[$0].acquire(at: start, moment) }
            return .success(QuotaReservation(account: account, start: start, slots: slots))
        }
        return try result.get()
    }

    private func isClosed(_ windows: [QuotaWindow], of account: QuotaAccount) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            windows.contains { state.update($0, of: account) { $0.isClosed(at: now) } ?? false }
        }
    }

    // MARK: Corrections

    package func record(
        _ readings: [ReportedQuota], _ cause: ProviderFailure.Cause?, in windows: [QuotaWindow],
        of account: QuotaAccount
    ) async {
        let moment = ClockReading(clock)
        let closed = QuotaRefusal(cause, readings, windows)
        let stored: [StoredQuotaUsage] = state.withLock { state in
            var stored: [StoredQuotaUsage] = []
            for window in windows {
                _ = state.update(window, of: account) { counter in
                    if let reading = readings.first(where: { $0.name == window.name }),
                        let added = counter.correct(reading, moment)
                    {
                        stored.append(
                            moment.entry(of: account, window, until: added.freeAt, count: added.count))
                    }
                    if let closed, closed.window == window.name {
                        let until = counter.close(until: closed.retryAt, moment)
                        stored.append(moment.entry(of: account, window, .closure, until: until))
                    } else if closed == nil {
                        counter.wasAdmitted()
                    }
                }
            }
            return stored
        }
        _ = await persist(stored)
    }

    // MARK: Steps

    /// Stores entries; returns whether they are stored.
    private func persist(_ entries: [StoredQuotaUsage]) async -> Bool {
        guard let store, !entries.isEmpty else { return true }
        do {
            let moment = ClockReading(clock)
            try await store.add(entries, now: moment.wallTime, uptime: moment.uptime)
            return true
        } catch {
            report(error)
            return false
        }
    }

    /// Whether there is room for the counts of an account, after counts without effect have been removed.
    ///
    /// Idle accounts are searched once a second at most: the search reads all accounts under the lock, and
    /// refused callers would otherwise repeat it with each call.
    private func ensureCapacity(for account: QuotaAccount, in state: inout State, _ moment: ClockReading)
        -> Bool
    {
        if state.accounts[account] != nil, !state.retired.contains(account) { return true }
        if state.used >= limits.accounts {
            if let next = state.nextSweep, moment.now < next { return false }
            state.nextSweep = moment.now + .seconds(1)
            state.accounts = state.accounts.filter { !$0.value.isIdle(at: moment.now) }
            state.retired.formIntersection(state.accounts.keys)
            guard state.used < limits.accounts else { return false }
        }
        state.retired.remove(account)
        return true
    }

    /// The counters of an account, with those of these windows.
    private static func usage(
        of account: QuotaAccount, with windows: [QuotaWindow], in state: inout State, _ moment: ClockReading
    ) -> Usage {
        let usage = state.accounts[account] ?? Usage()
        if usage.counters.isEmpty { state.accounts[account] = usage }
        for window in windows {
            if let index = usage.index(of: window.name) {
                if usage.counters[index].window != window { usage.counters[index].window = window }
                continue
            }
            var counter = QuotaWindowCounter(window)
            for stored in state.restored[account] ?? [] where stored.window == window.name {
                counter.restore(stored, moment)
            }
            state.restored[account]?.removeAll { $0.window == window.name }
            if state.restored[account]?.isEmpty == true { state.restored[account] = nil }
            usage.counters.append(counter)
        }
        return usage
    }
}
