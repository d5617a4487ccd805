import Brokerage
import GraphQL
import Performance
import Upstream

/// `Performance` of the schema: a calculated report with the sources of its values.
struct PerformanceObject: Sendable {
    let report: PerformanceReport
    /// The benchmark and the provider of its prices, or why there are none; nil without a benchmark.
    let benchmark: Result<(Benchmark, ProviderID), any Error>?
    let rateSources: [ProviderID]
    /// Of the histories.
    let provenances: [Provenance]
    /// Whether activities of an earlier read were used.
    let isStale: Bool

    /// The most terms of unclassified activities that are listed.
    private static let maximumTerms = 20

    fileprivate var unclassified: [String] {
        let terms = report.unclassified.compactMap { activity -> String? in
            if case .unclassified(let term, _) = activity.kind { term } else { nil }
        }
        return Array(Set(terms).sorted().prefix(Self.maximumTerms))
    }

    /// - Throws: The failure of the provider of the prices.
    fileprivate func comparison() throws -> BenchmarkComparison? {
        guard let (benchmark, source) = try benchmark?.get() else { return nil }
        // Without a period there is no return of the benchmark either.
        let reason = report.timeWeighted.undetermined ?? Undetermined(.noHistory)
        return BenchmarkComparison(
            symbol: benchmark.symbol, figure: report.benchmark ?? .undetermined(reason, known: nil),
            excess: try report.excessReturn?.asPercentage, source: source)
    }

    fileprivate func round(_ amount: Decimal?) -> Decimal? { amount?.rounded(in: report.currency) }
}

extension PerformanceObject: GraphQLObject {
    static let graphQL = ObjectType<PerformanceObject>("Performance") {
        Field("currency", \.report.currency)
        Field("from", \.report.from)
        Field("through", \.report.through)
        Field("firstValue") { $0.round($0.report.firstValue) }
        Field("lastValue") { $0.round($0.report.lastValue) }
        Field("netDeposits") { $0.round($0.report.netFlows) }
        Field("timeWeighted", \.report.timeWeighted)
        Field("grossTimeWeighted", \.report.grossTimeWeighted)
        Field("moneyWeighted", \.report.moneyWeighted)
        Field("gain") { object in object.report.gain.map { $0.rounded(in: object.report.currency) } }
        Field("series", PointsArguments.self) { object, arguments in
            Optional(
                try arguments.thinned(object.report.series).map {
                    try PerformancePoint($0, in: object.report.currency)
                })
        }
        Field("benchmark", throwing: { try $0.comparison() })
        Field("unclassified") { $0.unclassified }
        Field("usesCarriedRates", \.report.usesCarriedRates)
        Field("rateSources", \.rateSources)
        Field("asOf") { $0.provenances.asOf }
        Field("fetchedAt") { $0.provenances.map(\.fetchedAt).min() }
        Field("source") { $0.provenances.commonSource }
        Field("stale") { $0.isStale || $0.provenances.contains(where: \.isStale) }
    }
}

extension [Provenance] {
    /// The time of the oldest value; nil if one has none.
    var asOf: Instant? {
        let instants = compactMap(\.asOf)
        return instants.count == count ? instants.min() : nil
    }

    /// The source of all values; nil if there are several.
    var commonSource: ProviderID? {
        let sources = Set(map(\.source))
        return sources.count == 1 ? sources.first : nil
    }
}

/// The number of points of a chart.
struct PointsArguments: GraphQLArguments {
    private let points: Int

    init(_ arguments: ArgumentReader) throws {
        points = try arguments["points"]
    }

    /// Some of the items at equal distances, with the first and the last.
    ///
    /// - Throws: `FieldError` for a number that is out of range.
    func thinned<Item>(_ items: [Item]) throws(FieldError) -> [Item] {
        try FieldError.check(points, of: "points", in: 2...1_000)
        guard items.count > points else { return items }
        return (0..<points).map { items[$0 * (items.count - 1) / (points - 1)] }
    }
}

/// A day of a performance, with the digits of calculated amounts.
private struct PerformancePoint: GraphQLObject {
    typealias Context = RequestScope

    let date: CalendarDate
    let value: Decimal
    let netFlows: Decimal
    let gain: Decimal
    let timeWeighted: Decimal?
    let benchmark: Decimal?

    init(_ point: PerformanceReport.Point, in currency: String) throws {
        date = point.date
        value = point.value.rounded(in: currency)
        netFlows = point.netFlows.rounded(in: currency)
        gain = point.gain.rounded(in: currency)
        timeWeighted = try point.timeWeighted?.asPercentage
        benchmark = try point.benchmark?.asPercentage
    }

    static let graphQL = ObjectType<PerformancePoint>("PerformancePoint") {
        Field("date", \.date)
        Field("value", \.value)
        Field("netDeposits", \.netFlows)
        Field("gain", \.gain)
        Field("timeWeightedPercentage", \.timeWeighted)
        Field("benchmarkPercentage", \.benchmark)
    }
}

/// The comparison of a performance with a benchmark.
private struct BenchmarkComparison: GraphQLObject {
    typealias Context = RequestScope

    let symbol: Symbol
    let figure: Figure<Benchmark.Return>
    /// In percentage points.
    let excess: Decimal?
    let source: ProviderID

    static let graphQL = ObjectType<BenchmarkComparison>("BenchmarkComparison") {
        Field("symbol", \.symbol)
        Field("percentage", throwing: { try $0.figure.value?.rate.asPercentage })
        Field("includesDividends") { $0.figure.value?.includesDividends }
        Field("undetermined") { $0.figure.undetermined }
        Field("excessPercentage", \.excess)
        Field("source", \.source)
    }
}
