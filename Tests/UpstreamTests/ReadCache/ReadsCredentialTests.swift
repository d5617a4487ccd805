import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Reads of callers with a credential of their own")
struct ReadsCredentialTests {
    private typealias Base = ReadsAgeingTests

    private static func read(
        _ reads: ReadCache<ExactText, Int>, _ clock: ManualClock, notBefore: ContinuousClock.Instant? = nil,
        _ load: @escaping @Sendable () async throws(ProviderFailure) -> Int
    ) -> Task<Int, any Error> {
        let context = Base.context(clock, notBefore: notBefore)
        return Task {
            try await reads.read(Base.aapl, in: Base.scope, for: context) { _ throws(ProviderFailure) in
                try await load()
            }
        }
    }

    private static func waiters(in reads: ReadCache<ExactText, Int>) -> Int {
        reads.state.withLock { $0.inFlightReads.waiterCount(of: CacheKey(Base.aapl, in: Base.scope)) }
    }

    @Test(
        "are repeated by a caller that waited for another one, after a failure of its credential or its limits",
        arguments: [
            (.unauthorized, true), (.notEntitled, true), (.rateLimited(retryAt: nil), true),
            (.quotaExhausted(retryAt: nil), true), (.unavailable, false), (.invalidResponse(nil), false),
            (.notFound, false), (.unsupported, false),
        ] as [(ProviderFailure.Cause, Bool)])
    func failures(_ cause: ProviderFailure.Cause, isRepeated: Bool) async throws {
        // With one credential for all callers no failure is repeated.
        for hasOwnCredential in [true, false] {
            let clock = ManualClock()
            let reads = ReadCache<ExactText, Int>(
                "listing", CacheBounds(), freshness: .fixed(.seconds(9)),
                loadsWithCallersCredential: hasOwnCredential, time: clock.clock)
            let (gate, failure) = (Gate(), ProviderFailure(.alpaca, cause))
            let first = Self.read(reads, clock) { () throws(ProviderFailure) in
                await gate.pass()
                throw failure
            }
            await gate.arrived(1)
            let second = Self.read(reads, clock) { () throws(ProviderFailure) in 42 }
            try await waitUntil { Self.waiters(in: reads) == 2 }
            gate.open()
            await #expect(throws: failure) { try await first.value }
            if isRepeated, hasOwnCredential {
                #expect(try await second.value == 42)
            } else {
                await #expect(throws: failure) { try await second.value }
            }
        }
    }

    @Test(
        "are one call for all that waited, and each has its own after a second failure",
        arguments: [false, true])
    func several(isSecondRefused: Bool) async throws {
        let clock = ManualClock()
        let reads = ReadCache<ExactText, Int>(
            "listing", CacheBounds(), freshness: .fixed(.seconds(9)), loadsWithCallersCredential: true,
            time: clock.clock)
        let (gate, nextGate) = (Gate(), Gate())
        let count = Atomic(0)
        let refused = ProviderFailure(.alpaca, .unauthorized)
        let first = Self.read(reads, clock) { () throws(ProviderFailure) in
            await gate.pass()
            throw refused
        }
        await gate.arrived(1)
        let others = (0..<5).map { _ in
            Self.read(reads, clock) { () throws(ProviderFailure) in
                let number = count.add(1, ordering: .relaxed).newValue
                if number == 1 { await nextGate.pass() }
                if number == 1, isSecondRefused { throw refused }
                return number
            }
        }
        try await waitUntil { Self.waiters(in: reads) == 6 }
        gate.open()
        await #expect(throws: refused) { try await first.value }
        try await waitUntil { Self.waiters(in: reads) == 5 }
        nextGate.open()
        var values: [Int?] = []
        for other in others { values.append(try? await other.value) }
        if isSecondRefused {
            #expect(values.count { $0 == nil } == 1, "\(values)")
            // One that looks late finds the value of another one in memory.
            #expect(values.allSatisfy { $0 ?? 2 >= 2 }, "\(values)")
        } else {
            #expect(values == [1, 1, 1, 1, 1])
        }
    }

    @Test("do not wait for the next call of a third caller, whose credential may fail too")
    func thirdCaller() async throws {
        let clock = ManualClock()
        // With a policy that lets a caller demand a new value.
        let reads = ReadCache<ExactText, Int>(
            "listing", CacheBounds(),
            freshness: FreshnessPolicy(markStale: { -$0 }, lifetime: { _, _ in Base.lifetime }),
            loadsWithCallersCredential: true, time: clock.clock)
        let (gate, nextGate) = (Gate(), Gate())
        let refused = ProviderFailure(.alpaca, .unauthorized)
        let first = Self.read(reads, clock) { () throws(ProviderFailure) in
            await gate.pass()
            throw refused
        }
        await gate.arrived(1)
        let second = Self.read(reads, clock) { () throws(ProviderFailure) in 42 }
        try await waitUntil { Self.waiters(in: reads) == 2 }
        clock.advance(by: .milliseconds(1))
        // It cannot join the first call, and is the one that others join.
        let third = Self.read(reads, clock, notBefore: clock.now) { () throws(ProviderFailure) in
            await nextGate.pass()
            throw refused
        }
        await nextGate.arrived(1)
        gate.open()
        await #expect(throws: refused) { try await first.value }
        #expect(try await second.value == 42)
        nextGate.open()
        await #expect(throws: refused) { try await third.value }
    }
}
