package import Brokerage
import Synchronization
import Upstream

/// Lets each user have a bounded number of calculations over all activities of accounts at a time; others wait in their order.
///
/// Such a calculation has up to 100,000 activities in memory, so the memory of the requests of one user would have no bound.
package final class CalculationLimiter: Sendable {
    private struct Entry {
        let limiter: ConcurrencyLimiter
        /// The calculations that are executed, or wait.
        var count = 0
    }

    private let perUser: Int
    private let clock: TimeSource
    // Requests on any thread begin and end calculations; held for a look-up.
    private let entries = Mutex<[OwnerID: Entry]>([:])

    /// - Parameters:
    ///   - perUser: The calculations of one user at a time.
    ///   - clock: The clock of the deadlines.
    package init(perUser: Int = 4, clock: TimeSource) {
        (self.perUser, self.clock) = (perUser, clock)
    }

    /// Whether no calculation is executed or waits.
    package var isEmpty: Bool { entries.withLock(\.isEmpty) }

    /// Executes a calculation of a user; it must not execute another one.
    ///
    /// - Throws: `FieldError` RATE_LIMITED if it cannot begin before the deadline, or the error of the calculation.
    package func run<Value: Sendable>(
        for owner: OwnerID, before deadline: ContinuousClock.Instant, _ body: () async throws -> Value
    ) async throws -> Value {
        let limiter = entries.withLock { entries in
            var entry = entries[owner] ?? Entry(limiter: ConcurrencyLimiter(limit: perUser, clock: clock))
            entry.count += 1
            entries[owner] = entry
            return entry.limiter
        }
        defer { leave(owner) }
        do throws(ConcurrencyLimiter.Failure) {
            try await limiter.acquire(before: deadline)
        } catch {
            throw FieldError(
                .rateLimited,
                "\(perUser) calculations of this user are executed, and others wait. Send fewer requests at a time.",
                retryAt: clock.wallTime() + .seconds(1))
        }
        defer { limiter.release() }
        // Away from the event loop of the request: a calculation would delay the other connections.
        await Task.yield()
        return try await body()
    }

    private func leave(_ owner: OwnerID) {
        entries.withLock { entries in
            guard var entry = entries.removeValue(forKey: owner), entry.count > 1 else { return }
            entry.count -= 1
            entries[owner] = entry
        }
    }
}
