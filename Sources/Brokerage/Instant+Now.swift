import Glibc

extension Instant {
    /// What the machine's clock says now.
    ///
    /// It may be set back between two calls: deadlines are for `ContinuousClock`.
    package static var now: Instant {
        var time = timespec()
        // The kernel fills the structure that it is given and keeps no pointer to it.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let now = Instant(secondsSince1970: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
        return now ?? .earliest
    }
}
