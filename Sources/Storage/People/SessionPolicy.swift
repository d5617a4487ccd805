import Brokerage

/// How long sessions last, and how many there may be.
package struct SessionPolicy: Sendable {
    /// Unused for so long, a session ends.
    package var idle: Duration = .seconds(30 * 86_400)
    /// So long after sign-in or renewal a session ends, however much it is used.
    package var lifetime: Duration = .seconds(90 * 86_400)
    /// How many one user has at most; one more ends the one that was unused for longest.
    package var perUser = 50
    /// How many guests there are at most.
    package var guests = 10_000

    package init() {}

    /// When a session ends that begins now.
    func expiry(from now: Instant) -> Instant { now + lifetime }
}
