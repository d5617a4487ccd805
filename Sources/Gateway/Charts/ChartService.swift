import Brokerage
import GraphQL
import Upstream

/// Charts of instruments, from the providers of the route, or derived from raw prices and corporate actions.
package struct ChartService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let caches: ReadCaches
}

extension ChartService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), caches: scope.services.reads)
    }

    /// The maximum of symbols of one `charts` field.
    private static var maximumCharts: Int { 50 }

    /// Returns charts in the order of the symbols, with a failure for each symbol that is invalid, unknown or failed.
    func charts(
        of symbols: [Result<Symbol, FieldError>], _ arguments: ChartArguments
    ) throws -> MaybeAsync<BatchResults<Chart>?> {
        try FieldError.checkCount(of: symbols, maximum: Self.maximumCharts)
        if let provider = arguments.provider { try scope.services.check(provider) }
        return symbols.loadValid { charts(for: $0, arguments) }.map { $0 }
    }

    /// A chart for each symbol, in as few calls as the sources allow.
    func charts(for symbols: [Symbol], _ arguments: ChartArguments) -> MaybeAsync<BatchResults<Chart>> {
        charts(for: symbols, arguments, as: { $0 })
    }

    /// The same, with each chart converted by a function.
    func charts<Shown>(
        for symbols: [Symbol], _ arguments: ChartArguments, as show: @escaping @Sendable (Chart) -> Shown
    ) -> MaybeAsync<BatchResults<Shown>> {
        let window = arguments.window(at: scope.clock.wallTime())
        let queries = symbols.map { ChartQuery.series($0, window) }
        let shown: @Sendable (CandleSeries) -> Shown = { show(Chart($0, for: arguments)) }
        return reads.results(
            for: queries, named: \.symbol.phrase, as: shown,
            explaining: { [self] query, error in
                switch error.code {
                case .unsupported: underived(error, window, arguments)
                case .notFound: excluded(error, query.symbol, window, arguments)
                default: error
                }
            }
        ) { () throws(FieldError) in
            let all = try reads.sources(for: .charts, from: arguments.provider)
            let able = all.filter { canRead(window, from: $0) }
            guard !able.isEmpty else { throw noChart(window, arguments, of: all) }
            return chartRead(from: able, window)
        }
    }

    /// Whether a source has the charts of a window, or others from which they are derived.
    private func canRead(_ window: ChartWindow, from source: MarketDataSource) -> Bool {
        guard let capabilities = source.charts?.chartCapabilities else { return false }
        return capabilities.serve(window)
            || ChartDerivation(window, of: capabilities) != nil
                && !corporateActionSources(for: source).isEmpty
    }

    /// The error if no source has charts with the arguments: it names the argument that none of them supports, and the
    /// values that one of them supports.
    ///
    /// The arguments are tried in the order interval, hours, adjustment, each together with those before it.
    private func noChart(
        _ window: ChartWindow, _ arguments: ChartArguments, of sources: [MarketDataSource]
    ) -> FieldError {
        func isRead(_ interval: Interval, _ hours: Bool?, _ adjustment: Adjustment? = nil) -> Bool {
            var part = window
            (part.interval, part.isExtendedHours, part.adjustment) = (interval, hours, adjustment)
            return sources.contains { canRead(part, from: $0) }
        }
        func interval(_ hours: Bool?) -> String {
            Self.remedy("interval", Interval.allCases.filter { isRead($0, hours) }.map(\.rawValue))
        }
        let (argument, part, remedy): (String?, String, String)
        if !isRead(window.interval, nil) {
            (argument, part, remedy) = (arguments.intervalArgument, "", interval(nil))
        } else if let hours = window.isExtendedHours, !isRead(window.interval, hours) {
            (argument, part) = ("extendedHours", hours ? " with extended hours" : " without extended hours")
            remedy = "omit it, or \(interval(hours))"
        } else {
            let values = Adjustment.allCases.filter { isRead(window.interval, window.isExtendedHours, $0) }
            (argument, part) = ("adjustment", window.adjustmentText)
            remedy = "omit it, or \(Self.remedy("adjustment", values.map(\.rawValue)))"
        }
        return .noChart(
            window, part, of: sources, arguments.intervalArgument == nil ? nil : argument, remedy)
    }

    private static func remedy(_ argument: String, _ values: [String]) -> String {
        if values.isEmpty { return "select another provider" }
        return "set `\(argument)` to \(values.count == 1 ? "" : "one of ")\(values.joined(separator: ", "))"
    }

    /// The error of a chart if no source that has charts with the arguments knows the symbol.
    ///
    /// If an argument excludes all sources that can have the symbol, the error names the argument; if it excludes some, this
    /// reason follows the error.
    private func excluded(
        _ error: FieldError, _ symbol: Symbol, _ window: ChartWindow, _ arguments: ChartArguments
    ) -> FieldError {
        let sources = ((try? reads.sources(for: .charts, from: arguments.provider)) ?? [])
            .filter { $0.has(symbol) }
        let others = sources.filter { !canRead(window, from: $0) }
        if others.isEmpty { return error }
        let reason = noChart(window, arguments, of: others)
        return others.count == sources.count
            ? reason
            : FieldError(error.code, "\(error.message) \(reason.message)", provider: error.provider)
    }

    /// The error of a chart that no source returned, which names the argument `adjustment` if it could not be derived.
    private func underived(
        _ error: FieldError, _ window: ChartWindow, _ arguments: ChartArguments
    ) -> FieldError {
        guard arguments.intervalArgument != nil,
            let sources = try? reads.sources(for: .charts, from: error.provider ?? arguments.provider)
                .filter({ canRead(window, from: $0) }),
            sources.contains(where: { $0.charts?.chartCapabilities.serve(window) == false })
        else { return error }
        return .noChart(
            window,
            """
            \(window.adjustmentText), and they cannot be derived: a candle has prices before and after a split, or the \
            currency of a dividend is not that of the prices
            """, of: sources, "adjustment", "omit it, or select another interval or provider")
    }

    /// The routed read of the charts of a window, which are adjusted if a source does not adjust them.
    private func chartRead(
        from sources: [MarketDataSource], _ window: ChartWindow
    ) -> RoutedRead<ChartQuery, CandleSeries> {
        RoutedRead(
            sources: sources, cache: caches.charts,
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
        async let readSplits = CorporateActionService(scope).splitRead(from: actions).read(shares, for: call)
        let readDividends =
            derivation.needsDividends
            ? await CorporateActionService(scope).dividendRead(from: actions).read(shares, for: call) : []
        let splits = Dictionary(zip(shares, await readSplits)) { first, _ in first }
        let dividends = Dictionary(zip(shares, readDividends)) { first, _ in first }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for (symbol, series) in zip(symbols, await read) {
            do throws(ProviderFailure) {
                let base = try series.current(\.provenance, ProviderFailure(source.provider, .notFound))
                let unsupported = ProviderFailure(source.provider, .unsupported)
                let done = try splits[symbol]?.current(\.provenance, unsupported)
                let paid = try dividends[symbol]?.current(\.provenance, unsupported)
                // A factor needs every action, and that of a dividend the close before it.
                let sources = [
                    done?.unreadable.isEmpty == false ? done?.provenance : nil,
                    paid?.unreadable.isEmpty == false ? paid?.provenance : nil,
                    derivation.needsDividends && !base.unreadable.isEmpty ? base.provenance : nil,
                ].compactMap(\.self)
                if let source = sources.first {
                    throw ProviderFailure(source.source, .invalidResponse(nil))
                }
                guard
                    let adjusted = derivation.adjusted(
                        base, splits: done?.splits ?? [], dividends: paid?.dividends ?? [])
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
        let all = (try? reads.sources(for: .corporateActions, from: nil)) ?? []
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

extension ChartWindow {
    /// The adjustment in an error message.
    fileprivate var adjustmentText: String { adjustment.map { " with the adjustment \($0.rawValue)" } ?? "" }
}

extension FieldError {
    /// No source has charts of the interval with the other part of a window, which begins with a space.
    ///
    /// The remedy, a sentence in lower case without its end, is for the argument, which is nil for a chart that no field has
    /// requested.
    fileprivate static func noChart(
        _ window: ChartWindow, _ part: String, of sources: [MarketDataSource], _ argument: String?,
        _ remedy: String
    ) -> FieldError {
        // A provider can have several sources, one after the other.
        let providers = sources.map(\.provider).reduce(into: [ProviderID]()) { providers, provider in
            if providers.last != provider { providers.append(provider) }
        }
        let names = providers.map(\.name.text).joined(separator: ", ")
        let subject = providers.count == 1 ? "\(names) has no charts" : "None of \(names) has charts"
        let error = FieldError(
            .unsupported, "\(subject) of \(window.interval.rawValue)\(part).",
            provider: providers.count == 1 ? providers.first : nil)
        guard let argument else { return error }
        let sentence = remedy.prefix(1).uppercased() + remedy.dropFirst()
        return .argument(
            argument, code: .unsupported, "\(error.message) \(sentence).", provider: error.provider)
    }
}
