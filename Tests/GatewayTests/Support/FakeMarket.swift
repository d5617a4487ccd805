import Brokerage
import Gateway
import Synchronization
import Upstream

/// A source of instruments, charts and news in memory, which counts its calls.
final class FakeMarket: InstrumentSource, ChartSource, NewsSource {
    let provider: ProviderID
    /// The names of the known instruments.
    private let names: [Symbol: String]
    /// The headlines, newest first; a page has two.
    private let headlines: [String]
    private let callCounts = Mutex<[String: Int]>([:])

    init(_ provider: ProviderID = .alpaca, _ names: [Symbol: String] = [:], headlines: [String] = []) {
        (self.provider, self.names, self.headlines) = (provider, names, headlines)
    }

    /// How often each method was called.
    var calls: [String: Int] { callCounts.withLock(\.self) }

    private var provenance: Provenance { Provenance(source: provider, fetchedAt: .now) }

    private func count(_ method: String = #function) {
        callCounts.withLock { $0[String(method.prefix { $0 != "(" }), default: 0] += 1 }
    }

    /// The source of the server, for everybody.
    var source: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: SameSymbols(), provider: provider, environment: .sandbox, for: .everybody)
    }

    // MARK: Instruments

    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> SearchHits
    {
        SearchHits([])
    }

    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument {
        count()
        guard let name = names[symbol] else { throw ProviderFailure(provider, .notFound) }
        var instrument = Instrument(symbol: symbol, assetClass: .equity, provenance: provenance)
        instrument.name = name
        return instrument
    }

    // MARK: Charts

    var chartCapabilities: ChartCapabilities {
        ChartCapabilities(intervals: [.oneDay], adjustments: [.raw], symbolsPerCall: 50)
    }

    /// Empty series.
    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        count()
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols where names[symbol] != nil {
            charts[symbol] = CandleSeries(symbol: symbol, interval: window.interval, provenance: provenance)
        }
        return charts
    }

    // MARK: News

    func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in call: CallContext
    ) async throws(ProviderFailure) -> ArticlePage {
        count()
        let start = next.flatMap { Int($0) } ?? 0
        let articles = headlines.dropFirst(start).prefix(2).map {
            Article(
                id: $0, headline: $0, url: "https://example.com/\($0)", publisher: "Test", provider: provider,
                symbols: [], publishedAt: .now)
        }
        return ArticlePage(
            articles: articles, next: start + 2 < headlines.count ? String(start + 2) : nil)
    }

    func news(from time: Instant, in call: CallContext) async throws(ProviderFailure) -> [Article] { [] }
}

/// A broker's watchlists in memory.
struct FakeWatchlists: WatchlistSource {
    let result: Result<BrokerWatchlists, ProviderFailure>

    func watchlists(in call: CallContext) async throws(ProviderFailure) -> BrokerWatchlists {
        try result.get()
    }
}
