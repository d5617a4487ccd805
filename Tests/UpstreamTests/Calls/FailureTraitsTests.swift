import Brokerage
import Testing
import Upstream

@Suite("The traits of a provider's failure")
struct FailureTraitsTests {
    static let causes: [ProviderFailure.Cause] = [
        .unavailable, .circuitOpen(retryAt: .now), .timedOut, .invalidResponse(nil), .unauthorized,
        .notEntitled,
        .notFound, .rateLimited(retryAt: nil), .quotaExhausted(retryAt: nil), .unsupported, .overloaded,
        .tooMany(.watchlists, limit: 100),
        .feedFull(symbolsPerClient: nil), .cancelled, .notAllowed(.operation(limit: 1)),
    ]

    @Test("do not contradict each other", arguments: causes)
    func consistent(_ cause: ProviderFailure.Cause) {
        let traits = cause.traits
        #expect(traits.isDisjoint(with: .transient) || traits.isDisjoint(with: .final))
        #expect(
            traits.isDisjoint(with: .responded) || traits.isDisjoint(with: [.opensCircuit, .unreachable]))
        #expect(traits.isDisjoint(with: .opensCircuit) || traits.contains(.unreachable))
        // A final failure says that the value does not exist or may not be read.
        #expect(traits.isDisjoint(with: .allowsStaleValue) || traits.isDisjoint(with: .final))
        #expect(traits.isDisjoint(with: .withdrawsValues) || traits.contains(.final))
        // A write that may have been executed is never one that the provider has not processed.
        #expect(traits.isDisjoint(with: .notProcessed) || traits.contains(.responded))
    }
}
