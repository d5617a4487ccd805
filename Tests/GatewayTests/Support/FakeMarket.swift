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
    private let closes: [Symbol: [CalendarDate: Brokerage.Decimal]]
    /// The symbols whose charts fail.
    private let failing: Set<Symbol>
    private let adjustments: Set<Adjustment>
    private let extendedHours: Set<Interval>
    private let callCounts = Mutex<[String: Int]>([:])

    init(
        _ provider: ProviderID = .alpaca, _ names: [Symbol: String] = [:], headlines: [String] = [],
        closes: [Symbol: [CalendarDate: Brokerage.Decimal]] = [:], failing: Set<Symbol> = [],
        adjustments: Set<Adjustment> = [.raw], extendedHours: Set<Interval> = []
    ) {
        (self.provider, self.names, self.headlines) = (provider, names, headlines)
        (self.closes, self.failing, self.adjustments) = (closes, failing, adjustments)
        self.extendedHours = extendedHours
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
        ChartCapabilities(
            intervals: [.oneDay], adjustments: adjustments, extendedHours: extendedHours, symbolsPerCall: 50)
    }

    /// The closing prices, in US dollars, with the first of the source's adjustments unless the window states one; an empty
    /// series of an instrument without prices.
    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        count()
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols where names[symbol] != nil || closes[symbol] != nil {
            var series = CandleSeries(symbol: symbol, interval: window.interval, provenance: provenance)
            (series.currency, series.timeZone) = ("USD", "UTC")
            series.adjustment = window.adjustment ?? Adjustment.allCases.first { adjustments.contains($0) }
            for (day, close) in (closes[symbol] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let time = Int64(day.daysSince1970) * 86_400
                guard window.contains(time) else { continue }
                _ = series.append(
                    Candle(
                        time: time, prices: OHLC(open: close, high: close, low: close, close: close),
                        volume: nil))
            }
            charts[symbol] = series
        }
        charts.fail(failing.intersection(symbols), ProviderFailure(provider, .unavailable))
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
