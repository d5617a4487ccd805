import Brokerage

/// The slots of one window.
///
/// A call has a slot from the time at which it may be sent until both the slot's validity and then the
/// window have passed: the call may be sent until its validity ends. The search for a slot counts all slots
/// that become free later, including those booked for later times. So no interval of the window's length has
/// more calls than the limit, in whatever order slots were booked, counted at the times at which the calls
/// are sent.
struct QuotaWindowCounter {
    /// Slots that are free again at the same time.
    private struct SlotGroup {
        let freeAt: ContinuousClock.Instant
        var count: Int
    }

    var window: QuotaWindow {
        didSet { if window.period != oldValue.period { dayEnd = nil } }
    }
    /// Soonest free first, no two with the same moment.
    private var takenSlots: [SlotGroup] = []
    private var sum = 0
    /// The limit that the provider reported last.
    private var reportedLimit: Int?
    /// No call before this: the provider refused one.
    private var closedUntil: ContinuousClock.Instant?
    /// Consecutive rejections without a time.
    private var untimedRejections = 0
    /// When the day ends that calls count for, once one does.
    private var dayEnd: ContinuousClock.Instant?
    /// The room of the last stored entry, and its end.
    private var storedRoom: (calls: Int, until: ContinuousClock.Instant)?
    /// Whether an entry with room for several calls is being stored.
    private var isStoringRoom = false

    /// If a provider closes a window for a longer time, it is called again after this time.
    static let maximumClosure = Duration.seconds(25 * 3_600)
    /// The time for which the entry of a slot of a rolling window outlasts the slot in memory.
    ///
    /// A call whose connection opens slowly can thus replace the slot without another entry. It is twice the
    /// time in which a connection must open.
    static let retentionMargin = Duration.seconds(10)
    private static let minimumClosure = Duration.seconds(1)
    /// The time for which a stored entry has room for further calls.
    private static let roomDuration = Duration.seconds(60)

    init(_ window: QuotaWindow) {
        self.window = window
    }

    /// The smaller one of the configured and the reported limit.
    var limit: Int { max(min(window.limit, reportedLimit ?? .max), 0) }

    /// Whether no slot is taken and no rejection applies, so that the counter can be removed.
    mutating func isIdle(at now: ContinuousClock.Instant) -> Bool {
        free(at: now)
        return takenSlots.isEmpty && closedUntil == nil
    }

    // MARK: Slots

    /// The first time, `start` or later, at which a call may be sent; nil if there is none.
    ///
    /// Every later time is allowed as well.
    ///
    /// - Parameters:
    ///   - start: The earliest time.
    ///   - isShared: Whether the call belongs to a client without a session or with a guest session:
    ///     ``QuotaWindow/shared(of:)``.
    /// - Returns: The time; nil if the limit is zero.
    func earliest(
        from start: ContinuousClock.Instant, isShared: Bool = false
    ) -> ContinuousClock.Instant? {
        let limit = isShared ? window.shared(of: self.limit) : self.limit
        guard limit > 0 else { return nil }
        var earliest = max(start, closedUntil ?? start)
        var later = 0
        for group in takenSlots.reversed() {
            if group.freeAt <= earliest { break }
            later += group.count
            if later >= limit {
                earliest = group.freeAt
                break
            }
        }
        return earliest
    }

    /// Takes a slot for a call at a time that ``earliest(from:isShared:)`` allows.
    mutating func acquire(
        at start: ContinuousClock.Instant, _ moment: ClockReading
    ) -> QuotaReservation.Slot {
        let sendBefore = start + window.validity
        let freeAt = stepped(end(of: sendBefore, moment))
        add(1, freeAt: freeAt)
        let keptUntil: ContinuousClock.Instant
        switch window.period {
        case .rolling: keptUntil = freeAt + Self.retentionMargin
        // The end of a day does not depend on the time at which the call is sent.
        case .newYorkDay: keptUntil = freeAt
        }
        let (storedUntil, storedCount) = storage(until: keptUntil)
        return QuotaReservation.Slot(
            window: window, sendBefore: sendBefore, freeAt: freeAt, storedUntil: storedUntil,
            storedCount: storedCount, clockReading: moment)
    }

    /// The end of the entry that keeps a call, and the calls that must be stored for it: 0 if a stored entry has room.
    private mutating func storage(
        until end: ContinuousClock.Instant
    ) -> (until: ContinuousClock.Instant, count: Int) {
        if let room = storedRoom, room.calls > 0, room.until >= end {
            storedRoom?.calls -= 1
            return (room.until, 0)
        }
        // Calls that begin while the entry is being stored cannot use its room: they would be sent before it is stored.
        guard window.callsPerEntry > 1, !isStoringRoom else { return (end, 1) }
        isStoringRoom = true
        return (end + Self.roomDuration, window.callsPerEntry)
    }

    /// The entry of a slot with room for several calls is stored, or could not be stored.
    mutating func didStore(_ slot: QuotaReservation.Slot, isStored: Bool) {
        guard slot.storedCount > 1 else { return }
        isStoringRoom = false
        if isStored { storedRoom = (slot.storedCount - 1, slot.storedUntil) }
    }

    /// Replaces a slot that is too old by a slot from now on; returns nil if none is free now.
    ///
    /// The stored entry of a slot does not change: the slot is not replaced if the entry would end before the
    /// new slot. The number of slots does not grow, so the share of calls without a session is not checked again.
    mutating func renew(
        _ slot: QuotaReservation.Slot, _ moment: ClockReading
    ) -> QuotaReservation.Slot? {
        var renewed = self
        renewed.free(at: moment.now)
        renewed.release(freeAt: slot.freeAt)
        guard renewed.earliest(from: moment.now) == moment.now else { return nil }
        let taken = renewed.acquire(at: moment.now, moment)
        guard taken.freeAt <= slot.storedUntil else { return nil }
        // The new slot has the entry of the old one.
        (renewed.storedRoom, renewed.isStoringRoom) = (storedRoom, isStoringRoom)
        self = renewed
        return QuotaReservation.Slot(
            window: window, sendBefore: taken.sendBefore, freeAt: taken.freeAt,
            storedUntil: slot.storedUntil, storedCount: slot.storedCount,
            clockReading: slot.clockReading)
    }

    /// Gives a slot back that no call has used.
    ///
    /// - Parameters:
    ///   - slot: The slot.
    ///   - isStored: Whether its count was stored, by this call or by an earlier one.
    /// - Returns: Whether the stored count must be reverted: it is not if another call can use its part of an entry.
    mutating func release(_ slot: QuotaReservation.Slot, isStored: Bool) -> Bool {
        release(freeAt: slot.freeAt)
        guard isStored else { return false }
        guard let room = storedRoom, room.until == slot.storedUntil else { return true }
        storedRoom?.calls = room.calls + 1
        return false
    }

    private mutating func release(freeAt: ContinuousClock.Instant) {
        guard let index = takenSlots.firstIndex(where: { $0.freeAt == freeAt }) else { return }
        takenSlots[index].count -= 1
        sum -= 1
        if takenSlots[index].count <= 0 { takenSlots.remove(at: index) }
    }

    /// Forgets what does not count any more.
    mutating func free(at now: ContinuousClock.Instant) {
        if let closedUntil, closedUntil <= now { self.closedUntil = nil }
        let count = takenSlots.prefix { $0.freeAt <= now }.count
        guard count > 0 else { return }
        sum -= takenSlots.prefix(count).reduce(0) { $0 + $1.count }
        takenSlots.removeFirst(count)
    }

    /// Restores the usage that an earlier process stored.
    ///
    /// It ends at the latest one window from now, because the wall clock may have been set back in the
    /// meantime.
    mutating func restore(_ usage: StoredQuotaUsage, _ moment: ClockReading) {
        let until = moment.end(of: usage)
        guard usage.count > 0, until > moment.now else { return }
        switch usage.kind {
        case .calls:
            let start = moment.now + window.validity
            // An end by the uptime does not depend on the wall clock, which may be wrong now.
            let latest =
                usage.untilUptime == nil ? end(of: start, moment) : start + window.period.maximumDuration
            add(min(usage.count, limit), freeAt: stepped(min(until, latest)))
        case .closure:
            closedUntil = max(min(until, moment.now + Self.maximumClosure), closedUntil ?? moment.now)
        }
    }

    // MARK: What the provider says

    /// Applies a reported count that is larger than the own count: another program may use the same
    /// credential.
    ///
    /// - Returns: The added slots, and when they become free.
    mutating func correct(
        _ reading: ReportedQuota, _ moment: ClockReading
    ) -> (count: Int, freeAt: ContinuousClock.Instant)? {
        free(at: moment.now)
        // With a limit of zero no call would be sent, so no later response could end it.
        reportedLimit = reading.limit.map { max($0, 1) }
        let latest = moment.now + window.period.maximumDuration
        let freeAt =
            reading.resetsAt.map { min(moment.instant(of: $0), latest) } ?? end(of: moment.now, moment)
        let missing = limit - sum - min(max(reading.remaining, 0), limit)
        guard missing > 0, freeAt > moment.now else { return nil }
        add(missing, freeAt: stepped(freeAt))
        return (missing, stepped(freeAt))
    }

    /// Lets no call out until the provider's moment.
    ///
    /// A refusal without one closes for a second, the next for two, up to the window's length.
    ///
    /// - Returns: until when.
    mutating func close(until retryAt: Instant?, _ moment: ClockReading) -> ContinuousClock.Instant {
        let pause: Duration
        if let retryAt {
            pause = min(retryAt.duration(since: moment.wallTime), Self.maximumClosure)
        } else {
            let doubled = Self.minimumClosure * (1 << min(untimedRejections, 16))
            pause = min(doubled, max(window.period.maximumDuration, Self.minimumClosure))
            untimedRejections += 1
        }
        let until = max(moment.now + pause, closedUntil ?? moment.now)
        closedUntil = until
        return until
    }

    func isClosed(at now: ContinuousClock.Instant) -> Bool {
        closedUntil.map { $0 > now } ?? false
    }

    /// The provider let a call through.
    mutating func wasAdmitted() { untimedRejections = 0 }

    func status(_ moment: ClockReading) -> QuotaStatus {
        var count = self
        count.free(at: moment.now)
        let remaining = count.closedUntil == nil ? max(limit - count.sum, 0) : 0
        let allFree = [count.takenSlots.last?.freeAt, count.closedUntil].compactMap(\.self).max()
        return QuotaStatus(
            window: window, limit: limit, remaining: remaining,
            resetsAt: allFree.map { moment.wallTime(of: $0) })
    }

    // MARK: Steps

    /// The end of a call's slot.
    private mutating func end(
        of start: ContinuousClock.Instant, _ moment: ClockReading
    ) -> ContinuousClock.Instant {
        switch window.period {
        case .rolling: return start + window.period.maximumDuration
        case .newYorkDay:
            // Once a call counts for a day, that day ends when it was going to: setting the wall clock changes nothing.
            if let dayEnd, dayEnd > start { return dayEnd }
            let end = moment.newYorkDayEnd(after: start)
            dayEnd = end
            return end
        }
    }

    /// The moment, or the next multiple of ``QuotaWindow/step``: later and so stricter.
    private func stepped(_ instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let step = window.step?.attoseconds else { return instant }
        let rest = Self.origin.duration(to: instant).attoseconds % step
        if rest == 0 { return instant }
        return instant + Duration(attoseconds: rest < 0 ? -rest : step - rest)
    }

    private static let origin = ContinuousClock().systemEpoch

    private mutating func add(_ count: Int, freeAt: ContinuousClock.Instant) {
        sum += count
        let index = (takenSlots.lastIndex { $0.freeAt <= freeAt }).map { $0 + 1 } ?? 0
        if index > 0, takenSlots[index - 1].freeAt == freeAt {
            takenSlots[index - 1].count += count
        } else {
            takenSlots.insert(SlotGroup(freeAt: freeAt, count: count), at: index)
        }
    }
}
