import Brokerage
import GraphQL
import Synchronization
import Upstream

/// The hubs of all sources of prices, each made when it is first followed.
///
/// One for each source and audience, by the key that values of it are kept under: what a user's own credential tells is
/// theirs, and cannot be reached by anybody else's key.
final class QuoteHubs: Sendable {
    private let quotes: Reads<Quote>
    // Looked up by many requests at once.
    private let hubs = Mutex<[CacheKey: QuoteHub]>([:])

    /// - Parameter quotes: What snapshots are taken from: a price that somebody has read a moment ago is not asked for again.
    init(quotes: Reads<Quote>) {
        self.quotes = quotes
    }

    func hub(of source: MarketSource) -> QuoteHub {
        hubs.withLock { hubs in
            let key = source.key(Self.subject)
            if let hub = hubs[key] { return hub }
            let hub = make(source)
            hubs[key] = hub
            return hub
        }
    }

    /// Drops the hub of a connection that is no more: who follows from now on does so elsewhere.
    func forget(_ connection: Connection) {
        guard let key = connection.market?.key(Self.subject) else { return }
        hubs.withLock { $0[key] = nil }
    }

    private static let subject = "live quotes"

    private func make(_ source: MarketSource) -> QuoteHub {
        var policy = QuoteHubPolicy()
        // A provider with a few calls a day has nothing to tell more often.
        if source.provider.isScarce { policy.pollInterval = .seconds(3_600) }
        let walk = RouteWalk.quotes(from: [source], keptIn: quotes)
        return QuoteHub(source.provider, stream: source.quoteStream, policy: policy) { symbols, call in
            let outcomes = (try? await walk.outcomes(for: symbols, in: call).value()) ?? []
            return Dictionary(
                zip(symbols, outcomes.map { $0.news(of: source.provider) }),
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension RouteWalk.Outcome where Value == Quote {
    /// As those who follow are told it.
    fileprivate func news(of provider: Provider) -> QuoteNews {
        switch self {
        case .found(let quote): .success(quote)
        case .failed(let failures): .failure(failures.first ?? ProviderFailure(provider, .notFound))
        }
    }
}
