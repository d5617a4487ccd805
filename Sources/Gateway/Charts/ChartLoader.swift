import Brokerage
import GraphQL
import Upstream

extension GatewayContext {
    /// The maximum of symbols of one `charts` field.
    private static var maximumCharts: Int { 50 }

    /// Returns charts in the order of the symbols, with a failure for each symbol that is unknown or failed.
    func charts(of symbols: [Symbol], _ arguments: ChartArguments) throws -> MaybeAsync<BatchResults<Chart>> {
        try Self.checkCount(of: symbols, maximum: Self.maximumCharts)
        return charts(for: symbols, arguments)
    }

    /// A chart for each symbol, in as few calls as the sources allow.
    func charts(for symbols: [Symbol], _ arguments: ChartArguments) -> MaybeAsync<BatchResults<Chart>> {
        charts(for: symbols, arguments, as: { $0 })
    }

    /// The same, with each chart converted by a function.
    func charts<Shown>(
        for symbols: [Symbol], _ arguments: ChartArguments, as show: @escaping @Sendable (Chart) -> Shown
    ) -> MaybeAsync<BatchResults<Shown>> {
        let window = arguments.window(at: services.reads.clock.wallTime())
        let queries = symbols.map { ChartQuery.series($0, window) }
        let shown: @Sendable (CandleSeries) -> Shown = { show(Chart($0, for: arguments)) }
        return results(for: queries, named: { "symbol \"\($0.symbol)\"" }, as: shown) {
            () throws(FieldError) in
            let all = try sources(for: .charts, from: arguments.provider)
            let able = all.filter { source in
                guard let capabilities = source.charts?.chartCapabilities else { return false }
                return capabilities.serve(window)
                    || ChartDerivation(window, of: capabilities) != nil
                        && !corporateActionSources(for: source).isEmpty
            }
            guard !able.isEmpty else { throw FieldError.noChart(window, arguments, of: all) }
            return chartRead(from: able, window)
        }
    }

    /// The routed read of the charts of a window, which are adjusted if a source does not adjust them.
    private func chartRead(
        from sources: [MarketDataSource], _ window: ChartWindow
    ) -> RoutedRead<ChartQuery, CandleSeries> {
        RoutedRead(
            sources: sources, cache: services.reads.charts,
            existenceQueries: \.existenceQueries,
            batchSize: { $0.charts?.chartCapabilities.symbolsPerCall(in: window) ?? 1 },
            supports: { $0.has($1.symbol) },
            load: { [self] source, queries, call throws(ProviderFailure) in
                guard let charts = source.charts else { return [:] }
                let symbols = queries.map(\.symbol)
                let series =
                    if let derivation = ChartDerivation(window, of: charts.chartCapabilities) {
                        await adjustedCharts(of: symbols, derivation, from: source, in: call)
                    } else {
                        try await charts.charts(of: symbols, window, in: call)
                    }
                return series.keyed { .series($0, window) }
            })
    }

    /// The charts of a source, adjusted with the dividends and splits of all providers.
    ///
    /// Nothing is derived from stale values, so that a derived chart is as current as one that was read.
    private func adjustedCharts(
        of symbols: [Symbol], _ derivation: ChartDerivation, from source: MarketDataSource,
        in call: CallContext
    ) async -> KeyedResults<Symbol, CandleSeries> {
        let queries = symbols.map { ChartQuery.series($0, derivation.base) }
        let shares = symbols.filter(\.isShareOrFund)
        let actions = corporateActionSources(for: source)
        async let read = chartRead(from: [source], derivation.base).read(queries, for: call)
        async let readSplits = splitRead(from: actions).read(shares, for: call)
        let readDividends =
            derivation.needsDividends ? await dividendRead(from: actions).read(shares, for: call) : []
        let splits = Dictionary(zip(shares, await readSplits)) { first, _ in first }
        let dividends = Dictionary(zip(shares, readDividends)) { first, _ in first }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for (symbol, series) in zip(symbols, await read) {
            do throws(ProviderFailure) {
                let base = try series.current(\.provenance, ProviderFailure(source.provider, .notFound))
                let unsupported = ProviderFailure(source.provider, .unsupported)
                let done = try splits[symbol]?.current(\.provenance, unsupported).splits
                let paid = try dividends[symbol]?.current(\.provenance, unsupported).dividends
                guard let adjusted = derivation.adjusted(base, splits: done ?? [], dividends: paid ?? [])
                else { throw unsupported }
                charts[symbol] = adjusted
            } catch {
                charts.add(.failure(error), for: symbol)
            }
        }
        return charts
    }

    /// The sources whose dividends and splits may adjust the charts of a source: those that everybody may see, and for a
    /// chart that only one user may see those of this user.
    private func corporateActionSources(for source: MarketDataSource) -> [MarketDataSource] {
        let all = (try? sources(for: .corporateActions, from: nil)) ?? []
        return source.scope.isPrivate ? all : all.filter { !$0.scope.isPrivate }
    }
}

extension Result where Failure == RouteError {
    /// A value that is not stale.
    ///
    /// - Parameters:
    ///   - provenance: The source of the value.
    ///   - unknown: The failure if no source has the value.
    /// - Returns: The value.
    /// - Throws: The failure of the first source that might have had the value, or `unknown`.
    fileprivate func current(
        _ provenance: KeyPath<Success, Provenance>, _ unknown: ProviderFailure
    ) throws(ProviderFailure) -> Success {
        switch self {
        case .success(let value):
            guard !value[keyPath: provenance].isStale else {
                throw ProviderFailure(value[keyPath: provenance].source, .unavailable)
            }
            return value
        case .failure(let error): throw error.failures.first { !$0.meansNoValue } ?? unknown
        }
    }
}

extension FieldError {
    /// No source has charts with the arguments; the error names the argument that none of them supports.
    fileprivate static func noChart(
        _ window: ChartWindow, _ arguments: ChartArguments, of sources: [MarketDataSource]
    ) -> FieldError {
        let extended = window.isExtendedHours == true ? " with extended hours" : ""
        let adjusted = window.adjustment.map { ", prices \($0.rawValue)," } ?? ""
        let names = sources.map(\.provider.rawValue).joined(separator: ", ")
        let error = FieldError(
            .unsupported,
            "Charts of \(window.interval.rawValue)\(adjusted)\(extended) are offered by none of \(names).",
            provider: sources.count == 1 ? sources.first?.provider : nil)
        guard let intervalArgument = arguments.intervalArgument else { return error }
        let ofInterval = sources.compactMap(\.charts?.chartCapabilities).filter {
            $0.intervals.contains(window.interval)
        }
        if ofInterval.isEmpty { return error.of(argument: intervalArgument) }
        let lacksHours = window.isExtendedHours == true && !ofInterval.contains(where: \.hasExtendedHours)
        return error.of(argument: lacksHours ? "extendedHours" : "adjustment")
    }
}
