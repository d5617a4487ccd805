import Alpaca
import Brokerage
import Coordination
import Foundation
import Gateway
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The stream of a provider's key, for several processes")
struct LeasedQuoteStreamTests {
    private struct NoClient: Sendable {}

    /// A stream that reports its begin and its end, and runs until it is cancelled.
    private final class EndlessStream: QuoteStream {
        let symbolLimit: Int? = 7
        private let running: Mutex<Int>
        private let begin: @Sendable () -> Void

        init(_ begin: @escaping @Sendable () -> Void) {
            running = Mutex(0)
            self.begin = begin
        }

        var isRunning: Bool { running.withLock { $0 > 0 } }

        func run(
            _ wanted: AsyncStream<Set<Symbol>>,
            deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
        ) async throws(ProviderFailure) {
            running.withLock { $0 += 1 }
            begin()
            for await _ in wanted {}
            running.withLock { $0 -= 1 }
            throw ProviderFailure(.alpaca, .unavailable)
        }
    }

    @Test("is connected by one of them, and by another one after its end")
    func one() async throws {
        let cluster = try PostgresCluster.shared.get()
        let url = try PostgresURL(
            cluster.url(), origin: "the test's URL",
            schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        // Long enough for a machine with many tests.
        var limits = PostgresLimits()
        (limits.lookUp, limits.transaction, limits.start) = (.seconds(60), .seconds(60), .seconds(60))
        let (begins, continuation) = AsyncStream.makeStream(of: Int.self)
        let source = MarketDataSource(
            NoClient(), symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
            for: .everybody)
        var streams: [EndlessStream] = []
        var tasks: [Task<ProviderFailure?, Never>] = []
        var symbols: [AsyncStream<Set<Symbol>>.Continuation] = []
        for index in 0..<2 {
            let (wanted, continuationOfWanted) = AsyncStream.makeStream(of: Set<Symbol>.self)
            symbols.append(continuationOfWanted)
            let stream = EndlessStream { continuation.yield(index) }
            streams.append(stream)
            let leased = LeasedQuoteStream(
                stream, of: source, under: LeaseStore(in: try UserDatabase(at: url, limits)), clock: .system)
            #expect(leased.symbolLimit == 7)
            tasks.append(
                Task {
                    do throws(ProviderFailure) {
                        try await leased.run(wanted) { _ in }
                        return nil
                    } catch {
                        return error
                    }
                })
        }
        var iterator = begins.makeAsyncIterator()
        let first = try #require(await iterator.next(isolation: #isolation))
        #expect(!streams[1 - first].isRunning)
        tasks[first].cancel()
        let second = try #require(await iterator.next(isolation: #isolation))
        #expect(second == 1 - first)
        #expect(!streams[first].isRunning)
        // The end of the connection is reported with its reason, so that the feed connects again.
        symbols[second].finish()
        #expect(await tasks[second].value == ProviderFailure(.alpaca, .unavailable))
        _ = await tasks[first].value
    }
}
