/// The clocks of provider calls; tests replace them by manual ones.
@usableFromInline
package struct TimeSource: Sendable {
    /// For deadlines and times to live: it is never set back.
    @usableFromInline package let now: @Sendable () -> ContinuousClock.Instant
    /// The wall clock, for dates in responses of providers.
    package let wallTime: @Sendable () -> Instant
    /// For times that depend on timers of the kernel (CLOCK_MONOTONIC): it stops while the machine sleeps,
    /// as these timers do; ``now`` does not stop.
    package let runningTime: @Sendable () -> SuspendingClock.Instant
    /// Returns then, or throws `CancellationError` when its task is cancelled before.
    package let sleep: @Sendable (_ until: ContinuousClock.Instant) async throws -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        wallTime: @escaping @Sendable () -> Instant,
        runningTime: @escaping @Sendable () -> SuspendingClock.Instant = { .now },
        sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void
    ) {
        self.now = now
        self.wallTime = wallTime
        self.runningTime = runningTime
        self.sleep = sleep
    }

    package static let system = TimeSource(
        now: { .now }, wallTime: { .now }, sleep: { try await ContinuousClock().sleep(until: $0) })
}
