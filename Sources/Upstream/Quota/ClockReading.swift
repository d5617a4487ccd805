package import Brokerage

/// One moment by both clocks.
///
/// The ledger counts by the monotonic clock. The wall clock is for times from providers, and for counts that are
/// restored after the next start of the machine; if it is wrong or is set, no other count changes.
package struct ClockReading {
    package let now: ContinuousClock.Instant
    package let wallTime: Instant

    package init(_ clock: TimeSource) {
        now = clock.now()
        wallTime = clock.wallTime()
    }

    func wallTime(of instant: ContinuousClock.Instant) -> Instant {
        wallTime + now.duration(to: instant)
    }

    func instant(of wallTime: Instant) -> ContinuousClock.Instant {
        now + wallTime.duration(since: self.wallTime)
    }

    /// When an entry ends: by the machine's uptime if it has not restarted since, else by the wall clock.
    func end(of entry: StoredQuotaUsage) -> ContinuousClock.Instant {
        entry.untilUptime.map { ContinuousClock().systemEpoch + $0 } ?? instant(of: entry.until)
    }

    package var uptime: Duration { ContinuousClock().systemEpoch.duration(to: now) }

    /// An entry that ends at an instant.
    func entry(
        of account: QuotaAccount, _ window: QuotaWindow, _ kind: StoredQuotaUsage.Kind = .calls,
        until end: ContinuousClock.Instant, count: Int = 1
    ) -> StoredQuotaUsage {
        StoredQuotaUsage(
            account: account, window: window.name, kind: kind, until: wallTime(of: end),
            untilUptime: ContinuousClock().systemEpoch.duration(to: end), count: count,
            maximumLifetime: max(window.period.maximumDuration, QuotaWindowCounter.maximumClosure)
                + .seconds(3_600))
    }

    /// The first midnight in New York after an instant.
    func newYorkDayEnd(after instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let day = wallTime(of: instant).inNewYork.date
        guard let next = day.adding(days: 1) else {
            // After the year 9999.
            return instant + QuotaWindow.Period.newYorkDay.maximumDuration
        }
        return self.instant(of: Instant(newYorkMidnight: next))
    }
}
