import Brokerage
import Synchronization
import Testing
import Upstream

@testable import Gateway

@Suite("The health of a connection")
struct ConnectionHealthTests {
    private static let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    private static func status(_ causes: [ProviderFailure.Cause?], endsAt end: Instant? = nil)
        -> ConnectionStatus
    {
        let health = ConnectionHealth()
        for cause in causes {
            if let cause {
                health.recordFailure(ProviderFailure(.saxo, cause))
            } else {
                health.recordSuccess()
            }
        }
        return ConnectionStatus(health.facts, endsAt: end, now: now)
    }

    @Test(
        "is determined by its last call",
        arguments: [
            ([], .active), ([nil], .active), ([.unavailable], .unreachable), ([.timedOut], .unreachable),
            ([.circuitOpen(retryAt: .latest)], .unreachable), ([.invalidResponse(nil)], .degraded),
            ([.quotaExhausted(retryAt: nil)], .degraded), ([.unavailable, nil], .active),
            ([.unauthorized], .revoked), ([.unauthorized, .unavailable], .revoked),
            ([.unauthorized, nil], .active), ([.unavailable, .unauthorized], .revoked),
            // What says nothing of the link.
            ([.notFound], .active), ([.unsupported], .active), ([.notEntitled], .active),
            ([.cancelled], .active),
        ] as [([ProviderFailure.Cause?], ConnectionStatus)])
    func told(_ causes: [ProviderFailure.Cause?], _ status: ConnectionStatus) {
        #expect(Self.status(causes) == status)
    }

    @Test("is expired after its end, whatever its last call was")
    func expired() {
        #expect(Self.status([nil], endsAt: Self.now) == .expired)
        #expect(Self.status([.unauthorized], endsAt: Self.now - .seconds(1)) == .expired)
        #expect(Self.status([nil], endsAt: Self.now + .seconds(1)) == .active)
    }

    @Test("reports a rejection once, and its end once")
    func refusals() {
        let told = Mutex<[Bool]>([])
        let health = ConnectionHealth { health in
            told.withLock { $0.append(health.facts.rejectedSince != nil) }
        }
        for _ in 0..<3 { health.recordFailure(ProviderFailure(.alpaca, .unauthorized)) }
        #expect(told.withLock(\.self) == [true])
        for _ in 0..<3 { health.recordSuccess() }
        #expect(told.withLock(\.self) == [true, false])
        health.recordFailure(ProviderFailure(.alpaca, .timedOut))
        #expect(told.withLock(\.self) == [true, false])
    }

    @Test("has failures in a row since the first one")
    func since() {
        let clock = Mutex(Self.now)
        let calls = TimeSource(
            now: TimeSource.system.now, wallTime: { clock.withLock(\.self) }, sleep: TimeSource.system.sleep)
        let health = ConnectionHealth(clock: calls)
        health.recordFailure(ProviderFailure(.alpaca, .timedOut))
        clock.withLock { $0 = $0 + .seconds(60) }
        health.recordFailure(ProviderFailure(.alpaca, .unavailable))
        #expect(health.facts.failure == .init(cause: .unavailable, since: Self.now))
        health.recordFailure(ProviderFailure(.alpaca, .unauthorized))
        #expect(health.facts.failure == .init(cause: .unauthorized, since: Self.now + .seconds(60)))
        health.recordSuccess()
        #expect(health.facts == .init(lastSuccessAt: Self.now + .seconds(60)))
    }
}
