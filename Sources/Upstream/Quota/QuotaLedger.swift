package import Brokerage
import Synchronization

/// Counts every call against the limits of who makes it, so that none goes out that is known to fail.
///
/// - A call takes a place in all its windows at once, or in none, before it goes out. Places are counted by a clock that is
///   never set back and that runs while the machine sleeps. The places of windows of a minute and longer are kept before the
///   call goes out: a process that is killed leaves no call uncounted.
/// - A place is valid for a short time (``QuotaWindow/validity``), which ``confirm(_:)`` checks when the call is sent: a
///   process that was stopped in between sends no call that does not count any more.
/// - Without a place the call fails at once, unless there will be one so soon that waiting for it is better: then that place
///   is booked, and the call waits for its moment. So a limit by the second sets the pace.
/// - What responses say corrects the count towards the stricter; a refusal closes a window.
package final class QuotaLedger: Sendable {
    private struct State {
        var counts: [QuotaHolder: [String: QuotaCount]] = [:]
        /// Read at the start, until their windows are known.
        var restored: [QuotaHolder: [KeptQuota]] = [:]
        /// Before this moment idle holders are not searched again.
        var nextSweep: ContinuousClock.Instant?
    }

    let clock: CallClock
    private let keeper: (any QuotaKeeper)?
    private let limits: Limits
    private let report: @Sendable (any Error) -> Void
    // Held for arithmetic on a few windows, never while anything is awaited.
    private let state: Mutex<State>

    /// The bounds of a ledger.
    package struct Limits: Sendable {
        /// A call waits for its place so long at most.
        package var longestWait = Duration.seconds(5)
        /// Credentials whose counts are in memory.
        package var holders = 10_000

        package init() {}
    }

    /// A ledger that goes on from what is kept.
    ///
    /// - Parameters:
    ///   - clock: What time is counted by.
    ///   - keeper: What outlives the process; nil for a ledger in memory only.
    ///   - limits: Bounds.
    ///   - report: Told when something could not be kept. The call goes out all the same: it counts in memory, and a full
    ///     disk is no reason to serve nothing.
    /// - Throws: what `keeper` throws when it cannot be read.
    package init(
        clock: CallClock = .system, keeper: (any QuotaKeeper)?, limits: Limits = Limits(),
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws {
        self.clock = clock
        self.keeper = keeper
        self.limits = limits
        self.report = report
        let kept = try keeper?.load() ?? []
        state = Mutex(State(restored: Dictionary(grouping: kept, by: \.holder)))
    }

    /// A ledger in memory only, whose counts end with the process.
    package init(clock: CallClock = .system, limits: Limits = Limits()) {
        self.clock = clock
        self.limits = limits
        keeper = nil
        report = { _ in }
        state = Mutex(State())
    }

    /// Makes windows known before their first call, for ``status(of:)``.
    package func declare(_ windows: [QuotaWindow], of holder: QuotaHolder) {
        let moment = QuotaMoment(clock)
        state.withLock { state in
            guard makeRoom(for: holder, in: &state, moment) else { return }
            for window in windows { Self.know(window, of: holder, in: &state, moment) }
        }
    }

    /// How a holder's windows stand, by name.
    package func status(of holder: QuotaHolder) -> [QuotaStatus] {
        let moment = QuotaMoment(clock)
        let counts = state.withLock { $0.counts[holder]?.values.map(\.self) ?? [] }
        return counts.map { $0.status(moment) }.sorted { $0.window.name < $1.window.name }
    }

    /// How the windows of all providers stand, by provider and name; of several credentials the one that has the fewest
    /// calls left in a window.
    package func tightest() -> [(provider: Provider, status: QuotaStatus)] {
        let moment = QuotaMoment(clock)
        let counts = state.withLock { $0.counts }
        var tightest: [Provider: [String: QuotaStatus]] = [:]
        for (holder, windows) in counts {
            for (name, count) in windows {
                let status = count.status(moment)
                let known = tightest[holder.provider]?[name]
                if let known, known.remaining <= status.remaining { continue }
                tightest[holder.provider, default: [:]][name] = status
            }
        }
        return tightest.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { provider, windows in
            windows.sorted { $0.key < $1.key }.map { (provider, $0.value) }
        }
    }

    /// The number of holders whose counts are in memory.
    package var holderCount: Int { state.withLock { $0.counts.count } }

    /// Removes all counts of a connection that was not stored, or that was deleted, in memory and in the keeper.
    ///
    /// A call of the holder that is still in flight can add a count again; it is dropped when it is idle and its room is
    /// needed. The counts of the server's own key are never removed.
    package func remove(_ holder: QuotaHolder) async {
        guard holder.connection != nil else { return }
        state.withLock { state in
            state.counts[holder] = nil
            state.restored[holder] = nil
        }
        guard let keeper else { return }
        do {
            try await keeper.remove(holder)
        } catch {
            report(error)
        }
    }

    // MARK: Places

    /// Takes a place in each window for one call, and waits for its moment where that is near.
    ///
    /// - Parameters:
    ///   - windows: The limits that the call counts against.
    ///   - holder: Whose quota it spends.
    ///   - deadline: The latest moment at which the call may be sent.
    ///   - isShared: whether the call is one of an anonymous client: see ``QuotaCount/earliest(from:isShared:)``.
    /// - Returns: the places, valid from their `start`.
    /// - Throws: `quotaExhausted` with the moment of the next place; `cancelled` with the task; `overloaded` when there are
    ///   more credentials than the bound.
    func reserve(
        _ windows: [QuotaWindow], of holder: QuotaHolder, before deadline: ContinuousClock.Instant,
        isShared: Bool = false
    ) async throws(ProviderFailure) -> QuotaReservation {
        guard !windows.isEmpty else {
            return QuotaReservation(holder: holder, start: clock.now(), places: [])
        }
        while true {
            let reservation = try book(windows, of: holder, before: deadline, isShared: isShared)
            await keep(reservation.kept)
            if reservation.start > clock.now() {
                do {
                    try await clock.sleep(reservation.start)
                } catch {
                    await release(reservation)
                    throw ProviderFailure(holder.provider, .cancelled)
                }
                // Meanwhile the provider may have refused somebody else.
                if isClosed(windows, of: holder) {
                    await release(reservation)
                    continue
                }
            }
            return reservation
        }
    }

    /// Gives the places back of a call that the provider cannot have seen.
    func release(_ reservation: QuotaReservation) async {
        state.withLock { state in
            for place in reservation.places {
                state.counts[reservation.holder]?[place.window.name]?.giveBack(freeAt: place.freeAt)
            }
        }
        await keep(reservation.kept.map(\.takenBack))
    }

    /// Whether a call may be sent now on its reservation, asked immediately before its first byte.
    ///
    /// Slots that are too old, because the process was stopped or the connection took its time, are exchanged where that
    /// can be done at once. Otherwise the call is not sent: the ledger does not count it any more.
    func confirm(_ reservation: QuotaReservation) -> Bool {
        let moment = QuotaMoment(clock)
        return state.withLock { state in
            reservation.renewPlaces(at: moment.now) { place in
                state.counts[reservation.holder]?[place.window.name]?.renew(place, moment)
            }
        }
    }

    private func book(
        _ windows: [QuotaWindow], of holder: QuotaHolder, before deadline: ContinuousClock.Instant,
        isShared: Bool
    ) throws(ProviderFailure) -> QuotaReservation {
        let moment = QuotaMoment(clock)
        let result: Result<QuotaReservation, ProviderFailure> = state.withLock { state in
            guard makeRoom(for: holder, in: &state, moment) else {
                return .failure(ProviderFailure(holder.provider, .overloaded))
            }
            var start: ContinuousClock.Instant? = moment.now
            for window in windows {
                Self.know(window, of: holder, in: &state, moment)
                state.counts[holder]?[window.name]?.free(at: moment.now)
                // A moment that is good for one window stays good when another puts it off.
                start = start.flatMap {
                    state.counts[holder]?[window.name]?.earliest(from: $0, isShared: isShared)
                }
            }
            guard let start else {
                return .failure(ProviderFailure(holder.provider, .quotaExhausted(retryAt: nil)))
            }
            let latest = min(deadline, moment.now + limits.longestWait)
            guard start <= moment.now || start < latest else {
                let retryAt = moment.wallTime(of: start)
                return .failure(ProviderFailure(holder.provider, .quotaExhausted(retryAt: retryAt)))
            }
            var places: [QuotaReservation.Place] = []
            for window in windows {
                guard let place = state.counts[holder]?[window.name]?.take(at: start, moment) else {
                    continue
                }
                places.append(place)
            }
            return .success(QuotaReservation(holder: holder, start: start, places: places))
        }
        return try result.get()
    }

    private func isClosed(_ windows: [QuotaWindow], of holder: QuotaHolder) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            windows.contains { state.counts[holder]?[$0.name]?.isClosed(at: now) ?? false }
        }
    }

    // MARK: Corrections

    /// Takes in what a response says.
    ///
    /// - Parameters:
    ///   - readings: What it says of windows; those of windows that the call was not counted in are left out.
    ///   - cause: Why it is a failure; nil for a good one.
    ///   - windows: Those of the call.
    ///   - holder: Who called.
    func note(
        _ readings: [QuotaReading], _ cause: ProviderFailure.Cause?, in windows: [QuotaWindow],
        of holder: QuotaHolder
    ) async {
        let moment = QuotaMoment(clock)
        let closed = QuotaRefusal(cause, readings, windows)
        let kept: [KeptQuota] = state.withLock { state in
            var kept: [KeptQuota] = []
            for window in windows {
                guard var count = state.counts[holder]?[window.name] else { continue }
                if let reading = readings.first(where: { $0.name == window.name }),
                    let added = count.correct(reading, moment), window.isKept
                {
                    kept.append(
                        KeptQuota(
                            holder: holder, window: window.name, kind: .calls,
                            until: moment.wallTime(of: added.freeAt), count: added.count))
                }
                if let closed, closed.window == window.name {
                    let until = count.close(until: closed.retryAt, moment)
                    if moment.now.duration(to: until) >= .seconds(60) {
                        kept.append(
                            KeptQuota(
                                holder: holder, window: window.name, kind: .closure,
                                until: moment.wallTime(of: until), count: 1))
                    }
                } else if closed == nil {
                    count.wasAdmitted()
                }
                state.counts[holder]?[window.name] = count
            }
            return kept
        }
        await keep(kept)
    }

    // MARK: Steps

    private func keep(_ entries: [KeptQuota]) async {
        guard let keeper, !entries.isEmpty else { return }
        do {
            try await keeper.add(entries, now: clock.wallTime())
        } catch {
            report(error)
        }
    }

    /// Whether there is room for a holder's counts, after those that count nothing have gone.
    ///
    /// Idle holders are searched once a second at most: the search reads all holders under the lock, and callers that
    /// are refused would otherwise repeat it with each call.
    private func makeRoom(for holder: QuotaHolder, in state: inout State, _ moment: QuotaMoment) -> Bool {
        if state.counts[holder] != nil || state.counts.count < limits.holders { return true }
        if let next = state.nextSweep, moment.now < next { return false }
        state.nextSweep = moment.now + .seconds(1)
        for other in state.counts.keys.map(\.self) {
            var isIdle = true
            for name in state.counts[other]?.keys.map(\.self) ?? [] {
                isIdle = state.counts[other]?[name]?.isIdle(at: moment.now) ?? true && isIdle
            }
            if isIdle { state.counts[other] = nil }
        }
        return state.counts.count < limits.holders
    }

    private static func know(
        _ window: QuotaWindow, of holder: QuotaHolder, in state: inout State, _ moment: QuotaMoment
    ) {
        if let known = state.counts[holder]?[window.name]?.window {
            if known != window { state.counts[holder]?[window.name]?.window = window }
            return
        }
        var count = QuotaCount(window)
        for kept in state.restored[holder] ?? [] where kept.window == window.name {
            count.restore(kept, moment)
        }
        state.restored[holder]?.removeAll { $0.window == window.name }
        if state.restored[holder]?.isEmpty == true { state.restored[holder] = nil }
        state.counts[holder, default: [:]][window.name] = count
    }
}
