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
            let able = all.filter { $0.charts?.chartCapabilities.serve(window) ?? false }
            guard !able.isEmpty else { throw FieldError.noChart(window, of: all.map(\.provider)) }
            return RoutedRead(
                sources: able, cache: services.reads.charts,
                existenceQuery: { .existence($0.symbol, window.interval) },
                // An empty response for some days does not mean that the source does not know the symbol.
                storesUnknown: window.from == nil && window.to == nil,
                batchSize: { $0.charts?.chartCapabilities.symbolsPerCall(in: window) ?? 1 },
                supports: { $0.has($1.symbol) },
                load: { source, queries, call throws(ProviderFailure) in
                    guard let charts = source.charts else { return [:] }
                    return try await charts.charts(of: queries.map(\.symbol), window, in: call)
                        .keyed { .series($0, window) }
                })
        }
    }
}

extension FieldError {
    fileprivate static func noChart(_ window: ChartWindow, of providers: [ProviderID]) -> FieldError {
        let extended = window.isExtendedHours == true ? " with extended hours" : ""
        let adjusted = window.adjustment.map { ", prices \($0.rawValue)," } ?? ""
        let names = providers.map(\.rawValue).joined(separator: ", ")
        return FieldError(
            .unsupported,
            "Charts of \(window.interval.rawValue)\(adjusted)\(extended) are offered by none of \(names).",
            provider: providers.count == 1 ? providers.first : nil)
    }
}
