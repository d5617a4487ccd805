package import Brokerage
import GraphQL
import Upstream

/// Figures of a company, merged from the reports of several sources: each figure from the first source that
/// has it.
package struct MergedFundamentals: Sendable {
    private let merged: MergedReport<Fundamentals>

    /// Nil without reports.
    ///
    /// - Parameter reports: The reports of the sources, in the order of the route. Stale reports are used
    ///   after all others.
    package init?(_ reports: [Fundamentals]) {
        guard let merged = MergedReport(reports) else { return nil }
        self.merged = merged
    }

    package var figures: Fundamentals { merged.values }
    /// The sources of at least one figure, in the order of the route.
    package var parts: [ReportPart] { merged.parts }

    fileprivate var asOf: Instant? { parts.map(\.provenance).asOf }
    fileprivate var fetchedAt: Instant {
        parts.map(\.provenance.fetchedAt).min() ?? figures.provenance.fetchedAt
    }
    fileprivate var source: ProviderID { parts.first?.provenance.source ?? figures.provenance.source }
    fileprivate var isStale: Bool { parts.contains(where: \.provenance.isStale) }
}

extension Fundamentals: MergeableReport {
    package var withoutValues: Fundamentals { Fundamentals(symbol: symbol, provenance: provenance) }

    package static let mergedFields = [currencyField] + plainFields + amountFields

    /// Amounts are combined only if they are in the currency of the known amounts.
    ///
    /// An amount without a currency is not combined with one that has a currency.
    package func combinableFields(with report: Fundamentals) -> [MergedField<Fundamentals>] {
        let hasMoney = currency != nil || Self.amountFields.contains { $0.isKnown(self) }
        if !hasMoney { return Self.mergedFields }
        let isSameCurrency = currency != nil && currency == report.currency
        return isSameCurrency ? Self.plainFields + Self.amountFields : Self.plainFields
    }

    private static let currencyField = MergedField<Fundamentals>("currency", \.currency)
    /// The fields that mean the same in every currency.
    private static let plainFields = [
        MergedField<Fundamentals>("sector", \.sector), MergedField("industry", \.industry),
        MergedField("country", \.country), MergedField("website", \.website),
        MergedField("peRatio", \.priceEarningsRatio),
    ]
    /// The fields that are amounts in `currency`.
    private static let amountFields = [
        MergedField<Fundamentals>("marketCap", \.marketCap),
        MergedField("earningsPerShare", \.earningsPerShare),
        MergedField("dividendPerShare", \.dividendPerShare), MergedField("yearHigh", \.yearHigh),
        MergedField("yearLow", \.yearLow),
    ]
}

extension InstrumentService {
    /// Figures of the company of each symbol, each figure from the first source of the route that has it.
    ///
    /// The sources are queried one after the other until no figure is missing. A source that fails, or has no
    /// quota left, is skipped if another one responds.
    func fundamentals(of symbols: [Symbol]) -> MaybeAsync<BatchResults<MergedFundamentals?>> {
        let names = Set(Fundamentals.mergedFields.map(\.name))
        let reports: [ReportRead<Fundamentals>]
        do throws(FieldError) {
            reports = try reads.sources(for: .fundamentals, from: nil).map { source in
                ReportRead(fundamentalsRead(from: [source]), fields: names, for: scope.call) { $0 }
            }
        } catch {
            return .ready(symbols.map { _ in .failure(error) })
        }
        return reads.reports(of: symbols, through: reports, wanted: names).map { outcomes in
            zip(symbols, outcomes).map { symbol, outcome in
                if let merged = MergedFundamentals(outcome.reports) { return .success(merged) }
                return .failure(FieldError(outcome.failures.map(\.failure), of: "company \"\(symbol)\""))
            }
        }
    }

    /// The routed read of company figures.
    func fundamentalsRead(from sources: [MarketDataSource]) -> RoutedRead<Symbol, Fundamentals> {
        RoutedRead(
            sources: sources, cache: caches.fundamentals, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                var found = KeyedResults<Symbol, Fundamentals>()
                for symbol in symbols {
                    found[symbol] = try await source.fundamentals?.fundamentals(of: symbol, in: call)
                }
                return found
            })
    }
}

extension MergedFundamentals: GraphQLObject {
    static let graphQL = ObjectType<MergedFundamentals>("Fundamentals") {
        Field("id") { NodeID(.fundamentals, $0.figures.symbol.text).text }
        Field("currency") { $0.figures.currency }
        Field("sector") { $0.figures.sector }
        Field("industry") { $0.figures.industry }
        Field("country") { $0.figures.country }
        Field("website") { $0.figures.website }
        Field("marketCap") { $0.figures.marketCap }
        Field("peRatio") { $0.figures.priceEarningsRatio }
        Field("earningsPerShare") { $0.figures.earningsPerShare }
        Field("dividendPerShare") { $0.figures.dividendPerShare }
        Field("yearHigh") { $0.figures.yearHigh }
        Field("yearLow") { $0.figures.yearLow }
        Field("parts") { $0.parts }
        Field("asOf") { $0.asOf }
        Field("fetchedAt") { $0.fetchedAt }
        Field("source") { $0.source }
        Field("stale") { $0.isStale }
    }
}
