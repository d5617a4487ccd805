import Brokerage

/// One moment by both clocks.
///
/// The ledger counts by the clock that is never set back. The wall clock serves to understand what providers say, and to
/// pass counts on to the next process; when it is wrong or set, no count of this process changes.
struct QuotaMoment {
    let now: ContinuousClock.Instant
    let wallTime: Instant

    init(_ clock: CallClock) {
        now = clock.now()
        wallTime = clock.wallTime()
    }

    func wallTime(of instant: ContinuousClock.Instant) -> Instant {
        wallTime + now.duration(to: instant)
    }

    func instant(of wallTime: Instant) -> ContinuousClock.Instant {
        now + wallTime.duration(since: self.wallTime)
    }

    /// The first midnight in New York after an instant.
    func newYorkDayEnd(after instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let day = wallTime(of: instant).inNewYork.date
        guard let next = day.adding(days: 1), let midnight = LocalTime(date: next, hour: 0) else {
            // The year 9999 is over.
            return instant + QuotaWindow.Period.newYorkDay.longest
        }
        return self.instant(of: Instant(newYork: midnight))
    }
}
