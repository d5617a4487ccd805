import Brokerage
import Testing
import Upstream

@testable import Gateway

@Suite("The sources of prices")
struct QuoteFallbackStateTests {
    private let apple = Symbol.example

    private func price(_ number: Int, isStale: Bool = false) -> QuoteEvent {
        var quote = Quote(
            symbol: .example,
            provenance: Provenance(source: .alpaca, fetchedAt: .earliest, isStale: isStale))
        quote.price = Decimal(number)
        return .success(quote)
    }

    private func failure(_ cause: ProviderFailure.Cause) -> QuoteEvent {
        .failure(ProviderFailure(.alpaca, cause))
    }

    /// The failures of sources, as a subscriber gets them.
    private func told(_ causes: ProviderFailure.Cause...) -> LiveNews {
        .failure(FieldError(causes.map { ProviderFailure(.alpaca, $0) }, of: "symbol \"AAPL\""))
    }

    /// A state of one symbol at the sources 0, 1 and 2.
    private func state() -> QuoteFallbackState { QuoteFallbackState([apple: [0, 1, 2]]) }

    @Test("begin with the best source of each symbol; a symbol without a source is not followed")
    func begins() throws {
        let pound = try #require(Symbol("TSCO:XLON"))
        let none = try #require(Symbol("X1"))
        var state = QuoteFallbackState([apple: [0, 1], pound: [1], none: []])
        #expect(state.start.follow == [0: [apple], 1: [pound]])
        #expect(state.receive([none: price(1)], from: 0) == QuoteFallbackState.Step())
        #expect(state.drainPending().isEmpty)
    }

    @Test("continue with the next one after a failure, and report no failure before all have failed")
    func falls() {
        var state = state()
        #expect(state.receive([apple: failure(.unavailable)], from: 0).follow == [1: [apple]])
        #expect(state.drainPending().isEmpty)
        #expect(state.receive([apple: failure(.notFound)], from: 1).follow == [2: [apple]])
        #expect(state.drainPending().isEmpty)
        // The same again is nothing new.
        #expect(state.receive([apple: failure(.unavailable)], from: 0) == QuoteFallbackState.Step())
        #expect(state.receive([apple: failure(.notFound)], from: 2) == QuoteFallbackState.Step())
        #expect(state.drainPending() == [apple: told(.unavailable)])
        #expect(state.drainPending().isEmpty)
    }

    @Test("report a failure if the others do not know the symbol")
    func tellingFailure() {
        var state = state()
        for (source, cause) in [ProviderFailure.Cause.notFound, .timedOut, .notEntitled].enumerated() {
            _ = state.receive([apple: failure(cause)], from: source)
        }
        #expect(state.drainPending() == [apple: told(.timedOut)])
        var unknown = self.state()
        for source in 0..<3 { _ = unknown.receive([apple: failure(.notFound)], from: source) }
        #expect(unknown.drainPending() == [apple: told(.notFound, .notFound, .notFound)])
    }

    @Test("stop following a source when a better one works")
    func leaves() {
        var state = state()
        _ = state.receive([apple: failure(.notEntitled)], from: 0)
        _ = state.receive([apple: failure(.unavailable)], from: 1)
        #expect(state.receive([apple: price(3)], from: 2).unfollow == [0: [apple]])
        #expect(state.drainPending() == [apple: .price(price(3))])
        // What is left has no say any more.
        #expect(state.receive([apple: price(9)], from: 0) == QuoteFallbackState.Step())
        #expect(state.drainPending().isEmpty)
        // A better one that is back is told, and the one behind it left.
        #expect(state.receive([apple: price(2)], from: 1).unfollow == [2: [apple]])
        #expect(state.drainPending() == [apple: .price(price(2))])
        #expect(state.receive([apple: price(4)], from: 2) == QuoteFallbackState.Step())
        #expect(state.drainPending().isEmpty)
        // And asked again when that fails.
        #expect(state.receive([apple: failure(.timedOut)], from: 1).follow == [2: [apple]])
        #expect(state.receive([apple: price(5)], from: 2) == QuoteFallbackState.Step())
        #expect(state.drainPending() == [apple: .price(price(5))])
    }

    @Test("return an old price while the next source is called, and then a fresh one")
    func stale() {
        var state = state()
        _ = state.receive([apple: price(1)], from: 0)
        #expect(state.drainPending() == [apple: .price(price(1))])
        #expect(state.receive([apple: price(1, isStale: true)], from: 0).follow == [1: [apple]])
        #expect(state.drainPending() == [apple: .price(price(1, isStale: true))])
        _ = state.receive([apple: failure(.unavailable)], from: 1)
        #expect(state.drainPending().isEmpty)
        _ = state.receive([apple: price(2)], from: 2)
        #expect(state.drainPending() == [apple: .price(price(2))])
    }

    @Test("returns a failure after a fresh price of the only remaining source")
    func failsAgain() {
        var state = QuoteFallbackState([apple: [0, 1]])
        _ = state.receive([apple: failure(.notEntitled)], from: 0)
        _ = state.receive([apple: price(1)], from: 1)
        #expect(state.drainPending() == [apple: .price(price(1))])
        _ = state.receive([apple: failure(.unavailable)], from: 1)
        #expect(state.drainPending() == [apple: told(.unavailable)])
        _ = state.receive([apple: failure(.unavailable)], from: 1)
        #expect(state.drainPending().isEmpty)
        _ = state.receive([apple: price(1)], from: 1)
        #expect(state.drainPending() == [apple: .price(price(1))])
    }

    private static let later = Instant("2026-11-20T16:05:00Z")

    /// Two failures, one after the other, and whether the second one is news.
    static let repeated: [(ProviderFailure.Cause, ProviderFailure.Cause, isNew: Bool)] = [
        (
            .notAllowed(.client(limit: 3, retryAt: .earliest)),
            .notAllowed(.client(limit: 3, retryAt: .latest)), false
        ),
        (.notAllowed(.sharedQuota(retryAt: later)), .notAllowed(.sharedQuota(retryAt: .latest)), false),
        (.quotaExhausted(retryAt: later), .quotaExhausted(retryAt: .latest), false),
        (.rateLimited(retryAt: nil), .quotaExhausted(retryAt: later), false),
        (.unavailable, .circuitOpen(retryAt: .latest), false),
        (.feedFull(symbolsPerClient: 9), .feedFull(symbolsPerClient: 9), false),
        (.feedFull(symbolsPerClient: nil), .feedFull(symbolsPerClient: 9), true),
        (.quotaExhausted(retryAt: later), .notAllowed(.sharedQuota(retryAt: later)), true),
        (.unavailable, .timedOut, true), (.timedOut, .unauthorized, true),
    ]

    @Test("returns a failure again if its code or message changes, and after a price", arguments: repeated)
    func repeats(first: ProviderFailure.Cause, second: ProviderFailure.Cause, isNew: Bool) {
        var state = QuoteFallbackState([apple: [0]])
        /// What is returned of a cause, without the time to try again.
        func returned(_ cause: ProviderFailure.Cause) -> FieldError? {
            _ = state.receive([apple: failure(cause)], from: 0)
            guard case .failure(var error) = state.drainPending()[apple] else { return nil }
            error.retryAt = nil
            return error
        }
        func error(_ cause: ProviderFailure.Cause) -> FieldError {
            var error = FieldError(ProviderFailure(.alpaca, cause))
            error.retryAt = nil
            return error
        }
        #expect(returned(first) == error(first))
        #expect(returned(second) == (isNew ? error(second) : nil))
        #expect(returned(second) == nil)
        _ = state.receive([apple: price(1)], from: 0)
        #expect(state.drainPending() == [apple: .price(price(1))])
        #expect(returned(second) == error(second))
    }

    @Test("are all named for an unknown symbol")
    func unknown() {
        var state = state()
        for (source, provider) in [ProviderID.alpaca, .yahoo, .polygon].enumerated() {
            let news = QuoteEvent.failure(ProviderFailure(provider, .notFound))
            _ = state.receive([apple: news], ended: [apple], from: source)
        }
        let error = FieldError(.notFound, "None of alpaca, yahoo, polygon knows any symbol \"AAPL\".")
        #expect(state.drainPending() == [apple: .failure(error)])
        #expect(state.isOver)
    }

    @Test("report a slow source last")
    func latest() {
        var state = state()
        for number in 1...5 { _ = state.receive([apple: price(number)], from: 0) }
        #expect(state.drainPending() == [apple: .price(price(5))])
    }
}
