import Brokerage
import Synchronization

/// How many guests and new users may come from one address: so many at once, and then one after the other.
final class ArrivalAllowance: Sendable {
    // A lock, because requests come on any thread.
    private let credits = Mutex<[RequestOrigin: Credit]>([:])
    private let burst: Int
    private let interval: Duration
    private let capacity: Int

    private struct Credit {
        /// When all of it is there again.
        var fullAt: Instant
    }

    /// - Parameters:
    ///   - burst: how many may come at once.
    ///   - interval: after how long one more may come.
    ///   - capacity: how many addresses are remembered.
    init(burst: Int = 50, every interval: Duration = .seconds(60), capacity: Int = 20_000) {
        (self.burst, self.interval, self.capacity) = (max(1, burst), interval, max(1, capacity))
    }

    /// Takes one arrival.
    ///
    /// - Returns: nil where there is one; else when there will be.
    func take(_ address: RequestOrigin, now: Instant) -> Instant? {
        credits.withLock { credits in
            let fullAt = max(credits[address]?.fullAt ?? now, now)
            // An arrival puts off by one interval when all is there again; past `burst` of them there is none.
            let earliest = fullAt + interval * (1 - burst)
            if earliest > now { return earliest }
            credits[address] = Credit(fullAt: fullAt + interval)
            if credits.count > capacity { credits = credits.filter { $0.value.fullAt > now } }
            if credits.count > capacity { credits.removeAll() }
            return nil
        }
    }
}
