import Brokerage
import Foundation
import Gateway
import GraphQL
import TestSupport
import Testing
import Upstream

@Suite("Calculations over all activities")
struct CalculationLimiterTests {
    @Test("of one user are executed a few at a time, and do not delay those of others")
    func bound() async throws {
        let (ann, bob) = (try #require(OwnerID("ann")), try #require(OwnerID("bob")))
        let limiter = CalculationLimiter(perUser: 2, clock: .system)
        let later = ContinuousClock.now + .seconds(3_600)
        try await limiter.run(for: ann, before: later) {
            try await limiter.run(for: ann, before: later) {
                let error = await #expect(throws: FieldError.self) {
                    try await limiter.run(for: ann, before: .now) { Issue.record("It was executed.") }
                }
                #expect(error?.code == .rateLimited && error?.retryAt != nil)
                #expect(
                    error?.message
                        == "2 calculations of this user are executed, and others wait. Send fewer requests at a time."
                )
                let other = try await limiter.run(for: bob, before: .now) { "bob" }
                #expect(other == "bob")
            }
            let own = try await limiter.run(for: ann, before: .now) { "ann" }
            #expect(own == "ann")
        }
        #expect(limiter.isEmpty)
    }

    @Test("are executed on another thread than the one that begins them, such as an event loop")
    func thread() async throws {
        let ann = try #require(OwnerID("ann"))
        let limiter = CalculationLimiter(perUser: 1, clock: .system)
        let (beginning, calculation) = await CallingThread.begin {
            try? await limiter.run(for: ann, before: .now + .seconds(3_600)) { CallingThread.current() }
        }
        #expect(calculation != nil && calculation != beginning)
    }

    @Test("that fail or are cancelled leave their places to others")
    func failures() async throws {
        struct Failure: Error {}
        let ann = try #require(OwnerID("ann"))
        let limiter = CalculationLimiter(perUser: 1, clock: .system)
        let later = ContinuousClock.now + .seconds(3_600)
        await #expect(throws: Failure.self) {
            try await limiter.run(for: ann, before: later) { throw Failure() }
        }
        try await limiter.run(for: ann, before: later) {
            let waiting = Task { try await limiter.run(for: ann, before: later) {} }
            waiting.cancel()
            await #expect(throws: FieldError.self) { try await waiting.value }
        }
        let next = try await limiter.run(for: ann, before: .now) { "next" }
        #expect(next == "next")
        #expect(limiter.isEmpty)
    }
}
