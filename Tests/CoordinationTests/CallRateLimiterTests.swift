import Coordination
import PorticoCore
import Testing

@Suite("Limits of calls")
struct CallRateLimiterTests {
    private let start = ContinuousClock.now
    private static let rate = CallRate(burst: 3, every: .seconds(60))

    /// The time after which the next call is allowed; nil if this one was allowed.
    private func take<Client>(
        _ limiter: CallRateLimiter<Client>, _ client: Client, after delay: Duration = .zero
    ) -> CallRateLimiter<Client>.Refusal? {
        do {
            try limiter.consume(client, now: start + delay)
            return nil
        } catch {
            return error
        }
    }

    @Test("of one client: a burst, then one in each interval; a refused call does not count")
    func perClient() {
        let limiter = CallRateLimiter<Int>(perClient: Self.rate)
        for _ in 0..<3 { #expect(take(limiter, 1) == nil) }
        for _ in 0..<9 { #expect(take(limiter, 1) == .client(retryAfter: .seconds(60))) }
        #expect(take(limiter, 2) == nil)
        #expect(take(limiter, 1, after: .seconds(60)) == nil)
        #expect(take(limiter, 1, after: .seconds(60)) == .client(retryAfter: .seconds(60)))
        for _ in 0..<3 { #expect(take(limiter, 1, after: .seconds(86_400)) == nil) }
        #expect(take(limiter, 1, after: .seconds(86_400)) != nil)
    }

    @Test("of all clients together; a client that this limit refuses keeps its own share")
    func total() {
        let total = CallRate(burst: 5, every: .seconds(1))
        let limiter = CallRateLimiter<Int>(perClient: Self.rate, total: total)
        for client in 0..<5 { #expect(take(limiter, client) == nil) }
        for _ in 0..<9 { #expect(take(limiter, 9) == .total(retryAfter: .seconds(1))) }
        for second in 1...3 { #expect(take(limiter, 9, after: .seconds(second)) == nil) }
        #expect(take(limiter, 9, after: .seconds(4)) == .client(retryAfter: .seconds(57)))
    }

    @Test("do not count a call that is given back")
    func givesBack() {
        let total = CallRate(burst: 3, every: .seconds(1))
        let limiter = CallRateLimiter<Int>(perClient: Self.rate, total: total)
        for _ in 0..<3 { #expect(take(limiter, 1) == nil) }
        limiter.refund(1)
        #expect(take(limiter, 1) == nil)
        #expect(take(limiter, 1) != nil)
    }

    @Test("count clients above the table's capacity as one")
    func bounded() {
        let limiter = CallRateLimiter<Int>(perClient: Self.rate, capacity: 2)
        #expect(take(limiter, 1) == nil)
        #expect(take(limiter, 2) == nil)
        for client in 3...5 { #expect(take(limiter, client) == nil) }
        #expect(take(limiter, 6) == .client(retryAfter: .seconds(60)))
        #expect(take(limiter, 1) == nil)
        // Both buckets are full again, and their entries removed.
        #expect(take(limiter, 6, after: .seconds(600)) == nil)
    }
}
