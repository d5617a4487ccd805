package import Brokerage
import GraphQL
import Synchronization
package import Upstream

/// The hubs of all sources of prices, each made when it is first followed, and dropped when nobody has followed it for a
/// while.
///
/// One for each source and audience, by the scope of its values: what a user's own credential tells is
/// theirs, and cannot be reached by anybody else's key.
package final class QuoteFeedRegistry: Sendable {
    fileprivate struct Entry {
        let feed: QuoteFeed
        /// When it was last asked for.
        var lastRequestedAt: ContinuousClock.Instant
    }

    private struct State {
        var feeds: [CacheScope: Entry] = [:]
        /// When those that are over are dropped next, rather than at each look-up.
        var sweepAt: ContinuousClock.Instant
    }

    private let quotes: ReadCache<Symbol, Quote>
    private let clock: TimeSource
    private let symbolsPerClient: Int
    // Looked up by many requests at once.
    private let state: Mutex<State>

    /// A hub that nobody follows keeps nothing but its place, and is gone after so long.
    package static let idleTimeout = Duration.seconds(60)

    /// - Parameters:
    ///   - quotes: The store from which snapshots are taken, so that a price that was read a moment ago is
    ///     not requested again.
    ///   - clock: The clock for polls and pauses.
    ///   - symbolsPerClient: How many symbols of a shared feed are followed for one client.
    package init(
        quotes: ReadCache<Symbol, Quote>, clock: TimeSource,
        symbolsPerClient: Int = QuoteFeedPolicy().symbolsPerClient
    ) {
        self.symbolsPerClient = symbolsPerClient
        self.quotes = quotes
        self.clock = clock
        state = Mutex(State(sweepAt: clock.now() + Self.idleTimeout))
    }

    /// How many there are.
    package var count: Int { state.withLock(\.feeds.count) }

    package func feed(for source: MarketDataSource) -> QuoteFeed {
        let now = clock.now()
        return state.withLock { state in
            if state.sweepAt <= now {
                state.feeds = state.feeds.filter { !$0.value.isOver(at: now) }
                state.sweepAt = now + Self.idleTimeout
            }
            let key = source.scope
            if let hub = state.feeds[key]?.feed {
                state.feeds[key]?.lastRequestedAt = now
                return hub
            }
            let hub = make(source)
            state.feeds[key] = Entry(feed: hub, lastRequestedAt: now)
            return hub
        }
    }

    /// Ends the hub of a connection that is no more, or has another credential from now on: who followed there does so
    /// elsewhere, or at the hub of the new one.
    func closeFeed(of connection: ProviderConnection) {
        guard let key = connection.market?.scope else { return }
        state.withLock { $0.feeds.removeValue(forKey: key) }?.feed.close()
    }

    private func make(_ source: MarketDataSource) -> QuoteFeed {
        var policy = QuoteFeedPolicy()
        switch source.audience {
        case .everybody: policy.symbolsPerClient = symbolsPerClient
        // Only the owner follows there.
        case .owner: policy.symbolsPerClient = policy.symbols
        }
        policy.symbolsPerCall = source.quotes?.symbolsPerCall ?? 1
        // A provider with a few calls a day has nothing to tell more often.
        if source.provider.traits.hasLowQuota { policy.pollInterval = .seconds(3_600) }
        let walk = RoutedRead.quotes(from: [source], in: quotes)
        return QuoteFeed(source.provider, stream: source.quoteStream, policy: policy, clock: clock) {
            symbols, call in
            let outcomes = await walk.read(symbols, for: call)
            return Dictionary(
                zip(symbols, outcomes.map { $0.quoteEvent(from: source.provider) }),
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension QuoteFeedRegistry.Entry {
    /// Whether nobody has followed it for a while, nor is about to: who has just asked for it follows it next.
    fileprivate func isOver(at now: ContinuousClock.Instant) -> Bool {
        guard let idleSince = feed.idleSince else { return false }
        return max(idleSince, lastRequestedAt) + QuoteFeedRegistry.idleTimeout <= now
    }
}

extension Result<Quote, RouteError> {
    /// As those who follow are told it.
    fileprivate func quoteEvent(from provider: ProviderID) -> QuoteEvent {
        switch self {
        case .success(let quote): .success(quote)
        case .failure(let error): .failure(error.failures.first ?? ProviderFailure(provider, .notFound))
        }
    }
}
