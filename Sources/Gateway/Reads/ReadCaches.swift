package import Brokerage
import PorticoCore
import Storage
package import Upstream

/// The caches of reads from providers, one for each kind of value.
///
/// Many services refer to them, and they do not change, so they are a class.
package final class ReadCaches: Sendable {
    let accounts: ReadCache<AccountsQuery, [Account]>
    /// The lists of accounts, for brokers that list them without figures.
    let knownAccounts: ReadCache<SingleValueQuery, [StoredAccount]>
    let positions: ReadCache<AccountsQuery, PositionList>
    /// By the broker's ids of the accounts.
    let closedPositions: ReadCache<ExactText, ReadableList<ClosedPosition>>
    let histories: ReadCache<HistoryQuery, EquityHistory>
    /// Reads of the activities of accounts, by the broker's ids of the accounts; the activities are stored.
    ///
    /// A failure of the store is not kept.
    let activities: ReadCache<ExactText, Result<ActivityCoverage?, StorageError>>
    /// Pages of a connection's orders.
    let orders: ReadCache<OrderQuery, OrderPage>
    /// Single orders, by the ids of their brokers.
    let order: ReadCache<ExactText, Order>
    let watchlists: ReadCache<SingleValueQuery, BrokerWatchlists>
    package let quotes: ReadCache<Symbol, Quote>
    let depths: ReadCache<Symbol, MarketDepth>
    let charts: ReadCache<ChartQuery, CandleSeries>
    let instruments: ReadCache<Symbol, Instrument>
    let permissions: ReadCache<Symbol, TradingPermissions>
    let searches: ReadCache<SearchQuery, SearchHits>
    let fundamentals: ReadCache<Symbol, Fundamentals>
    let dividends: ReadCache<Symbol, DividendHistory>
    let splits: ReadCache<Symbol, SplitHistory>
    let spinOffs: ReadCache<Symbol, SpinOffHistory>
    let articles: ReadCache<NewsQuery, ProviderArticlePage>
    /// Articles that were requested by their ids.
    let singleArticles: ReadCache<ArticleMark, Article>
    let clocks: ReadCache<SingleValueQuery, MarketClock>
    /// The clock of the lifetimes.
    let clock: TimeSource
    /// The memory of users' own values in all of these caches, with the use of each.
    package let memory: CacheMemory

    /// Forgets all that was read for an owner at a provider.
    func invalidate(privateTo owner: OwnerID, at provider: ProviderID) {
        invalidateHoldings(of: owner, at: provider)
        knownAccounts.invalidate(privateTo: owner, at: provider)
        watchlists.invalidate(privateTo: owner, at: provider)
        quotes.invalidate(privateTo: owner, at: provider)
        depths.invalidate(privateTo: owner, at: provider)
        charts.invalidate(privateTo: owner, at: provider)
        instruments.invalidate(privateTo: owner, at: provider)
        permissions.invalidate(privateTo: owner, at: provider)
        searches.invalidate(privateTo: owner, at: provider)
        fundamentals.invalidate(privateTo: owner, at: provider)
        dividends.invalidate(privateTo: owner, at: provider)
        splits.invalidate(privateTo: owner, at: provider)
        spinOffs.invalidate(privateTo: owner, at: provider)
        articles.invalidate(privateTo: owner, at: provider)
        singleArticles.invalidate(privateTo: owner, at: provider)
        clocks.invalidate(privateTo: owner, at: provider)
    }

    /// Invalidates the values that a write may have changed: orders, balances and positions.
    func invalidateHoldings(of owner: OwnerID, at provider: ProviderID) {
        accounts.invalidate(privateTo: owner, at: provider)
        positions.invalidate(privateTo: owner, at: provider)
        closedPositions.invalidate(privateTo: owner, at: provider)
        histories.invalidate(privateTo: owner, at: provider)
        activities.invalidate(privateTo: owner, at: provider)
        orders.invalidate(privateTo: owner, at: provider)
        order.invalidate(privateTo: owner, at: provider)
    }

    /// The most memory of the public values of each kind, and of the values of one connection, in bytes.
    ///
    /// The caches share the memory of all users' own values in proportion to these numbers, if it is full.
    private enum Bytes {
        static let accounts = 2 << 20
        static let knownAccounts = 1 << 20
        static let positions = 3 << 20
        static let closedPositions = 512 << 10
        static let histories = 3 << 20
        static let activities = 512 << 10
        static let orders = 3 << 20
        static let order = 1 << 20
        static let watchlists = 2 << 20
        static let quotes = 3 << 20
        static let depths = 512 << 10
        static let charts = 10 << 20
        static let instruments = (4 << 20) - permissions
        static let permissions = 256 << 10
        static let searches = 1 << 20
        static let fundamentals = 2 << 20
        static let dividends = 2 << 20
        static let splits = 256 << 10
        static let spinOffs = 128 << 10
        static let articles = 4 << 20
        static let singleArticles = 512 << 10
        static let clocks = 128 << 10

        static let all =
            accounts + knownAccounts + positions + closedPositions + histories + activities + orders + order
            + watchlists + quotes + depths + charts + instruments + permissions + searches + fundamentals
            + dividends + splits + spinOffs + articles + singleArticles + clocks
    }

    /// The most memory of the public values of all kinds together, in bytes.
    package static let weightLimit = Bytes.all

    /// Creates reads without values in memory.
    ///
    /// - Parameters:
    ///   - clock: The clock for times.
    ///   - limit: The memory of users' own values, in bytes.
    ///   - persistentCache: The cache in which public values of providers with few calls outlive the process; nil for
    ///     none.
    package init(
        clock: TimeSource = .system, memory limit: Int = CacheMemory.standardLimit,
        persistentCache: (any PersistentCache)? = nil
    ) {
        let memory = CacheMemory(limit: limit)
        (self.clock, self.memory) = (clock, memory)
        // No negative caching of a connection's values: a missing account means that the broker failed.
        accounts = ReadCache(
            "accounts", CacheBounds(bytes: Bytes.accounts),
            freshness: .init(each: \.provenance, .ownMoney, negativeTTL: .zero), weight: \.weight,
            memory: memory, time: clock
        )
        // Known accounts are also in the registry of connections, where they do not expire.
        knownAccounts = ReadCache(
            "accounts", CacheBounds(bytes: Bytes.knownAccounts), name: "knownAccounts",
            freshness: .fixed(.seconds(60)),
            weight: \.weight, memory: memory, time: clock)
        positions = ReadCache(
            "positions", CacheBounds(bytes: Bytes.positions),
            freshness: FreshnessPolicy(negativeTTL: .zero, markStale: \.markedStale) { _, _ in .ownMoney },
            weight: \.weight, memory: memory, time: clock)
        closedPositions = ReadCache(
            "closedPositions", CacheBounds(bytes: Bytes.closedPositions),
            freshness: FreshnessPolicy(negativeTTL: .zero, markStale: \.markedStale) { _, _ in .ownMoney },
            weight: \.weight, memory: memory, time: clock)
        histories = ReadCache(
            "history", CacheBounds(bytes: Bytes.histories),
            freshness: .init(\.provenance, .ownHistory, negativeTTL: .zero), weight: \.weight, memory: memory,
            time: clock)
        activities = ReadCache(
            "activities", CacheBounds(bytes: Bytes.activities),
            freshness: FreshnessPolicy(negativeTTL: .zero, markStale: { $0 }) { read, _ in
                if case .success = read { .activities } else { CacheLifetime(fresh: .zero) }
            }, memory: memory, time: clock)
        // A list can also be changed at the broker, and cannot be marked as stale.
        watchlists = ReadCache(
            "watchlists", CacheBounds(bytes: Bytes.watchlists), freshness: .fixed(.seconds(10)),
            weight: \.weight, memory: memory, time: clock)
        orders = ReadCache(
            "orders", CacheBounds(bytes: Bytes.orders), freshness: .orderPages,
            weight: { page in
                page.orders.reduce(page.unreadable.textWeight) {
                    $0 + (1 + $1.legs.count) * MemoryLayout<Order>.stride
                }
            }, memory: memory, time: clock)
        order = ReadCache(
            "order", CacheBounds(bytes: Bytes.order),
            freshness: .init(\.provenance, .ownMoney, negativeTTL: .zero),
            weight: { (1 + $0.legs.count) * MemoryLayout<Order>.stride }, memory: memory, time: clock)
        quotes = ReadCache(
            "quotes", CacheBounds(bytes: Bytes.quotes),
            freshness: FreshnessPolicy(\.provenance) { quote, _ in .quote(quote) }, weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        // As short as a price of a broker; the order book is read by one user only.
        depths = ReadCache(
            "marketDepth", CacheBounds(bytes: Bytes.depths),
            freshness: .init(\.provenance, .ownMoney, negativeTTL: .zero), weight: \.weight, memory: memory,
            time: clock)
        charts = ReadCache(
            "charts", CacheBounds(bytes: Bytes.charts),
            freshness: FreshnessPolicy(\.provenance, lifetime: CacheLifetime.chart), weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        instruments = ReadCache(
            "instruments", CacheBounds(bytes: Bytes.instruments),
            freshness: .init(\.provenance, .reference), weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        permissions = ReadCache(
            "permissions", CacheBounds(bytes: Bytes.permissions), freshness: .fixed(.seconds(86_400)),
            weight: \.weight, memory: memory, time: clock)
        searches = ReadCache(
            "search", CacheBounds(bytes: Bytes.searches),
            freshness: FreshnessPolicy(markStale: \.markedStale) { _, _ in .search }, weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        fundamentals = ReadCache(
            "fundamentals", CacheBounds(bytes: Bytes.fundamentals),
            freshness: .init(\.provenance, .reference), weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        dividends = ReadCache(
            "dividends", CacheBounds(bytes: Bytes.dividends), freshness: .init(\.provenance, .reference),
            weight: \.weight, persistence: persistentCache.map { .init($0, ofAllProviders: true) },
            memory: memory, time: clock)
        splits = ReadCache(
            "splits", CacheBounds(bytes: Bytes.splits), freshness: .init(\.provenance, .reference),
            weight: \.weight, persistence: persistentCache.map { .init($0, ofAllProviders: true) },
            memory: memory, time: clock)
        spinOffs = ReadCache(
            "spinOffs", CacheBounds(bytes: Bytes.spinOffs), freshness: .init(\.provenance, .reference),
            weight: \.weight, memory: memory, time: clock)
        // Articles are not marked as stale: each has its time of publication.
        articles = ReadCache(
            "news", CacheBounds(bytes: Bytes.articles),
            freshness: FreshnessPolicy(markStale: { $0 }) { _, _ in .news }, weight: \.weight,
            persistence: persistentCache.map { .init($0) }, memory: memory, time: clock)
        singleArticles = ReadCache(
            "article", CacheBounds(bytes: Bytes.singleArticles),
            freshness: FreshnessPolicy(markStale: { $0 }) { _, _ in .news }, weight: \.weight, memory: memory,
            time: clock)
        // The state of a market cannot be marked as stale.
        clocks = ReadCache(
            "clock", CacheBounds(bytes: Bytes.clocks), freshness: .fixed(.seconds(10)), memory: memory,
            time: clock)
    }
}

extension FreshnessPolicy {
    /// Of values with the same lifetime.
    fileprivate init(
        _ provenance: any WritableKeyPath<Value, Provenance> & Sendable, _ lifetime: CacheLifetime,
        negativeTTL: Duration? = nil
    ) {
        self.init(provenance, negativeTTL: negativeTTL) { _, _ in lifetime }
    }

    fileprivate init<Element>(
        each provenance: any WritableKeyPath<Element, Provenance> & Sendable, _ lifetime: CacheLifetime,
        negativeTTL: Duration? = nil
    ) where Value == [Element] {
        self.init(each: provenance, negativeTTL: negativeTTL) { _, _ in lifetime }
    }
}

extension FreshnessPolicy<OrderPage> {
    fileprivate static var orderPages: FreshnessPolicy<OrderPage> {
        FreshnessPolicy(negativeTTL: .zero) { page in
            var page = page
            page.orders = page.orders.map { order in
                var order = order
                order.provenance = order.provenance.markedStale
                return order
            }
            return page
        } lifetime: { _, _ in
            .ownMoney
        }
    }
}

extension CacheLifetime {
    /// The lifetime of balances and positions: served after their expiry only if the broker fails.
    fileprivate static let ownMoney = CacheLifetime(fresh: .seconds(2), ifError: .seconds(3_600))
    /// The time for which activities that were read are not read again; the store has them after that.
    fileprivate static let activities = CacheLifetime(fresh: .seconds(10))
    fileprivate static let ownHistory = CacheLifetime(fresh: .seconds(30), ifError: .seconds(3_600))
    /// Of what hardly changes: names, sectors, yearly figures.
    fileprivate static let reference = CacheLifetime(fresh: day, whileRevalidating: day, ifError: day * 30)
    fileprivate static let search = CacheLifetime(
        fresh: .seconds(3_600), whileRevalidating: day, ifError: day * 7)
    fileprivate static let news = CacheLifetime(
        fresh: .seconds(300), whileRevalidating: .seconds(300), ifError: day)

    private static let day = Duration.seconds(86_400)
}
