import Brokerage
import GraphQL
import Performance
import Upstream

/// Closing prices of an instrument.
struct DailyPrices: Sendable {
    /// ISO 4217; nil if the source does not report it.
    let currency: String?
    /// In the order of dates.
    let closes: [DatedValue]
    /// Whether they are corrected for splits.
    let isAdjusted: Bool
    /// Whether they are corrected for dividends.
    let includesDividends: Bool
    let source: ProviderID

    init(_ series: CandleSeries) {
        let zone = ExchangeTimeZone(series.timeZone)
        currency = series.currency
        closes = (0..<series.count).compactMap { index in
            let candle = series[index]
            return Instant(secondsSince1970: candle.time).map {
                DatedValue($0.date(in: zone), candle.prices.close)
            }
        }
        // A source that does not report it, such as Saxo, corrects its charts.
        isAdjusted = series.adjustment != .raw
        includesDividends = series.adjustment == .splitsAndDividends
        source = series.provenance.source
    }
}

/// Daily exchange rates, and their sources.
struct LoadedRates: Sendable {
    var history = ExchangeRateHistory()
    var sources: Set<ProviderID> = []
}

/// Daily prices and exchange rates of the past, for calculations.
package struct DailyPriceService: Sendable {
    let scope: RequestScope
}

extension DailyPriceService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// The closing prices of instruments since a day, corrected for splits if a source has them so; nothing for one without
    /// prices.
    func closes(
        of symbols: Set<Symbol>, from first: CalendarDate
    ) async throws -> [Symbol: Result<DailyPrices, any Error>] {
        var prices: [Symbol: Result<DailyPrices, any Error>] = [:]
        var open = symbols
        // Not every source reports how its prices are corrected; only those of shares and funds need it.
        for adjustment in [Adjustment.splits, nil] {
            let wanted = open.filter { adjustment == nil || $0.isListing }.sorted { $0.text < $1.text }
            if wanted.isEmpty { continue }
            for (symbol, result) in zip(wanted, try await closes(of: wanted, from: first, adjustment)) {
                switch result {
                case .success(let series):
                    prices[symbol] = .success(DailyPrices(series))
                    open.remove(symbol)
                case .failure(let error): if !error.meansUnknown { prices[symbol] = .failure(error) }
                }
            }
        }
        return prices
    }

    /// An instrument with which returns are compared: with dividends if a source has them.
    ///
    /// - Throws: `FieldError`; an unknown symbol is an error of the argument `benchmark`.
    func benchmark(_ symbol: Symbol, from first: CalendarDate) async throws -> (Benchmark, ProviderID) {
        var failure: any Error = FieldError.internalError
        for adjustment in [Adjustment.splitsAndDividends, nil] where adjustment == nil || symbol.isListing {
            guard let result = try await closes(of: [symbol], from: first, adjustment).first else { continue }
            switch result {
            case .success(let series):
                let prices = DailyPrices(series)
                guard let currency = prices.currency, prices.isAdjusted else {
                    failure = FieldError.argument(
                        "benchmark", code: .unsupported,
                        "The prices of \"\(symbol)\" have no currency, or are not corrected for splits.",
                        provider: prices.source)
                    continue
                }
                let benchmark = Benchmark(
                    symbol: symbol, currency: currency, closes: prices.closes,
                    // They are in the prices.
                    dividends: prices.includesDividends ? [] : nil)
                return (benchmark, prices.source)
            case .failure(let error): failure = error
            }
        }
        if failure.meansUnknown, let error = failure as? FieldError, error.argument == nil {
            throw error.of(argument: "benchmark")
        }
        throw failure
    }

    /// The daily rates of conversions since a day, each pair in the direction in which markets quote it.
    ///
    /// A pair without rates is requested in the other direction, and then through the US dollar. One without any is
    /// missing, so that figures that need it are undetermined.
    func rates(of pairs: Set<CurrencyPair>, from first: CalendarDate) async throws -> LoadedRates {
        var rates = LoadedRates()
        var (open, requested) = (pairs, Set<CurrencyPair>())
        let steps: [@Sendable (CurrencyPair) -> [CurrencyPair]] = [
            { [$0.asQuoted] }, { [$0.asQuoted.inverse] },
            { pair in [pair.from, pair.to].map { CurrencyPair(from: $0, to: .dollar).asQuoted } },
        ]
        for step in steps where !open.isEmpty {
            let wanted = Set(open.flatMap(step)).subtracting(requested)
                .filter { $0.from != $0.to && $0.symbol != nil }
                .sorted { ($0.from.code, $0.to.code) < ($1.from.code, $1.to.code) }
            requested.formUnion(wanted)
            let results = try await closes(of: wanted.compactMap(\.symbol), from: first, nil)
            for (pair, result) in zip(wanted, results) {
                guard let series = try? result.get(), series.count > 0 else { continue }
                let prices = DailyPrices(series)
                rates.history.set(prices.closes, of: pair.from.code, in: pair.to.code)
                rates.sources.insert(prices.source)
                open = open.filter { $0 != pair && $0 != pair.inverse }
            }
        }
        return rates
    }

    /// Daily candles of each symbol since a day, in as few calls as the sources allow.
    private func closes(
        of symbols: [Symbol], from first: CalendarDate, _ adjustment: Adjustment?
    ) async throws -> BatchResults<CandleSeries> {
        let today = scope.clock.wallTime().dateInUTC
        // A bound for the number of candles, so that sources can return several instruments in one call.
        let arguments = try ChartArguments(
            interval: .oneDay, range: nil,
            from: Instant(secondsSince1970: Int64(first.daysSince1970) * 86_400), to: nil,
            last: Interval.oneDay.maximumCandles(from: first, through: max(today, first)),
            adjustment: adjustment, isExtendedHours: nil, provider: nil)
        return try await ChartService(scope).charts(for: symbols, arguments, as: { $0.series }).value().map {
            result in
            result.flatMap { series in
                // The close of any day may be the one that could not be read.
                series.unreadable.first.map {
                    .failure(FieldError.unreadable("a candle", $0, of: series.provenance.source))
                } ?? .success(series)
            }
        }
    }
}

extension Symbol {
    /// Whether it is that of a share or fund.
    fileprivate var isListing: Bool {
        if case .listing? = SymbolKind(self) { true } else { false }
    }
}

extension Error {
    /// Whether no provider has the object, rather than that one failed.
    fileprivate var meansUnknown: Bool {
        switch (self as? FieldError)?.code {
        case .notFound, .assetNotFound, .unsupported: true
        default: false
        }
    }
}
