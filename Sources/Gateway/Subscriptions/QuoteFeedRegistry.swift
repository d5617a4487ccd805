package import Brokerage
package import Coordination
import GraphQL
import Storage
import Synchronization
package import Upstream

/// The quote feeds of all sources, each created at the first subscription, and removed when it has had no
/// subscriber for some time.
///
/// There is one for each source and audience, by the scope of its values: data of a user's own credential is
/// private, and no other key reaches it.
package final class QuoteFeedRegistry: Sendable {
    fileprivate struct Entry {
        let feed: QuoteFeed
        /// The time of the last request.
        var lastRequestedAt: ContinuousClock.Instant
    }

    private struct State {
        var feeds: [CacheScope: Entry] = [:]
        /// The time of the next removal of ended feeds.
        var sweepAt: ContinuousClock.Instant
    }

    private let quotes: ReadCache<Symbol, Quote>
    private let clock: TimeSource
    private let symbolsPerClient: Int
    /// The leases of all processes; nil if there is one process.
    private let leases: (any Leases)?
    // Looked up by many requests at once.
    private let state: Mutex<State>

    /// The time after which a feed without subscribers is removed.
    package static let idleTimeout = Duration.seconds(60)

    /// - Parameters:
    ///   - quotes: The cache of snapshots, so that a price that was read recently is not requested again.
    ///   - clock: The clock for polls and pauses.
    ///   - symbolsPerClient: The maximum of symbols of a shared feed for one client.
    ///   - leases: The leases that decide which process connects a stream; nil if there is one process.
    package init(
        quotes: ReadCache<Symbol, Quote>, clock: TimeSource,
        symbolsPerClient: Int = QuoteFeedPolicy().symbolsPerClient, leases: (any Leases)? = nil
    ) {
        self.leases = leases
        self.symbolsPerClient = symbolsPerClient
        self.quotes = quotes
        self.clock = clock
        state = Mutex(State(sweepAt: clock.now() + Self.idleTimeout))
    }

    /// The number of feeds.
    package var count: Int { state.withLock(\.feeds.count) }

    package func feed(for source: MarketDataSource) -> QuoteFeed {
        let now = clock.now()
        return state.withLock { state in
            if state.sweepAt <= now {
                state.feeds = state.feeds.filter { !$0.value.isOver(at: now) }
                state.sweepAt = now + Self.idleTimeout
            }
            let key = source.scope
            if let feed = state.feeds[key]?.feed {
                state.feeds[key]?.lastRequestedAt = now
                return feed
            }
            let feed = make(source)
            state.feeds[key] = Entry(feed: feed, lastRequestedAt: now)
            return feed
        }
    }

    /// Closes the feed of a connection that is removed, or has another credential: its subscribers use
    /// another source, or the feed of the new credential.
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
        // A provider with few calls a day is polled hourly.
        if source.provider.traits.hasLowQuota { policy.pollInterval = .seconds(3_600) }
        let routedRead = RoutedRead.quotes(from: [source], in: quotes)
        var stream = source.quoteStream
        if let leases, leases.isShared {
            // A shared stream takes the lease itself.
            stream = stream.map {
                $0.isShared ? $0 : LeasedQuoteStream($0, of: source, under: leases, clock: clock)
            }
        }
        return QuoteFeed(source.provider, stream: stream, policy: policy, clock: clock) {
            symbols, call in
            let outcomes = await routedRead.read(symbols, for: call)
            return Dictionary(
                zip(symbols, outcomes.map { $0.quoteEvent(from: source.provider) }),
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension QuoteFeedRegistry.Entry {
    /// Whether the feed had no subscriber for some time, and no request for it is in progress.
    fileprivate func isOver(at now: ContinuousClock.Instant) -> Bool {
        guard let idleSince = feed.idleSince else { return false }
        return max(idleSince, lastRequestedAt) + QuoteFeedRegistry.idleTimeout <= now
    }
}

extension Result<Quote, RouteError> {
    /// The failure as an event for subscribers.
    fileprivate func quoteEvent(from provider: ProviderID) -> QuoteEvent {
        switch self {
        case .success(let quote): .success(quote)
        case .failure(let error): .failure(error.failures.first ?? ProviderFailure(provider, .notFound))
        }
    }
}
