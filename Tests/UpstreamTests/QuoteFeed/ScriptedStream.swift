import Brokerage
import Synchronization
import Upstream

/// A stream that says what a test tells it to.
///
/// The hub's own part is looked at here; Alpaca's and Saxo's tests run it over sockets.
final class ScriptedStream: QuoteStream {
    /// One connection, from its beginning.
    struct Connection: Sendable {
        let wanted: AsyncStream<Set<Symbol>>
        let deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void
        fileprivate let ending: AsyncStream<ProviderFailure.Cause>.Continuation

        func fail(_ cause: ProviderFailure.Cause) {
            ending.yield(cause)
        }

        func tell(
            _ symbol: Symbol, price: Decimal, previousClose: Decimal? = nil, asOf: Instant? = nil
        ) {
            var change = QuoteUpdate(symbol: symbol)
            change.price = price
            change.previousClose = previousClose
            change.asOf = asOf
            deliver(.value(change))
        }
    }

    let symbolLimit: Int?
    /// Each connection as it is made.
    let connections: AsyncStream<Connection>
    private let connect: AsyncStream<Connection>.Continuation
    /// What has ended, and how: nil where nobody wanted it any more.
    let endings: AsyncStream<ProviderFailure.Cause?>
    private let end: AsyncStream<ProviderFailure.Cause?>.Continuation

    init(symbolLimit: Int? = nil) {
        self.symbolLimit = symbolLimit
        (connections, connect) = AsyncStream.makeStream()
        (endings, end) = AsyncStream.makeStream()
    }

    func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        let (causes, ending) = AsyncStream.makeStream(of: ProviderFailure.Cause.self)
        connect.yield(Connection(wanted: wanted, deliver: deliver, ending: ending))
        var iterator = causes.makeAsyncIterator()
        let cause = await iterator.next()
        end.yield(cause)
        throw ProviderFailure(.alpaca, cause ?? .cancelled)
    }
}

/// Snapshots as a test gives them, and what was asked for.
final class ScriptedSnapshots: Sendable {
    private struct State {
        var prices: [Symbol: Decimal] = [:]
        var previousCloses: [Symbol: Decimal] = [:]
        var times: [Symbol: Instant] = [:]
        var failure: ProviderFailure.Cause?
        var isStale = false
        var asked: [Set<Symbol>] = []
    }

    private let state = Mutex(State())
    /// Each call after it was answered.
    let calls: AsyncStream<Set<Symbol>>
    private let call: AsyncStream<Set<Symbol>>.Continuation

    init(_ prices: [Symbol: Decimal]) {
        (calls, call) = AsyncStream.makeStream()
        state.withLock { $0.prices = prices }
    }

    func set(_ symbol: Symbol, _ price: Decimal) {
        state.withLock { $0.prices[symbol] = price }
    }

    func set(_ symbol: Symbol, _ price: Decimal, previousClose: Decimal, asOf: Instant?) {
        state.withLock { state in
            state.prices[symbol] = price
            state.previousCloses[symbol] = previousClose
            state.times[symbol] = asOf
        }
    }

    func fail(_ cause: ProviderFailure.Cause?) {
        state.withLock { $0.failure = cause }
    }

    /// Responds with the values of a cache, as after a failed read.
    func setStale() {
        state.withLock { $0.isStale = true }
    }

    /// How often a symbol was asked for.
    func count(of symbol: Symbol) -> Int {
        state.withLock { $0.asked.count { $0.contains(symbol) } }
    }

    var read: QuoteFeed.Snapshot {
        { symbols, _ in
            defer { self.call.yield(Set(symbols)) }
            return self.state.withLock { state in
                state.asked.append(Set(symbols))
                // Each reading is of a moment of its own.
                let moment = Instant(secondsSince1970: Int64(state.asked.count)) ?? .earliest
                var results: [Symbol: QuoteEvent] = [:]
                for symbol in symbols {
                    if let cause = state.failure {
                        results[symbol] = .failure(ProviderFailure(.alpaca, cause))
                    } else if let price = state.prices[symbol] {
                        var quote = Quote(
                            symbol: symbol,
                            provenance: Provenance(
                                source: .alpaca, fetchedAt: moment, asOf: state.times[symbol],
                                isStale: state.isStale))
                        quote.price = price
                        quote.previousClose = state.previousCloses[symbol] ?? 1
                        results[symbol] = .success(quote)
                    } else {
                        results[symbol] = .failure(ProviderFailure(.alpaca, .notFound))
                    }
                }
                return results
            }
        }
    }
}
