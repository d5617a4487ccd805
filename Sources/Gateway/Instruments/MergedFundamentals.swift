package import Brokerage
import GraphQL
import Upstream

/// Figures of a company, merged from the reports of several sources: each figure from the first source that
/// has it.
package struct MergedFundamentals: Sendable {
    package private(set) var figures: Fundamentals
    /// The sources of at least one figure, in the order of the route.
    package private(set) var parts: [Part]

    /// The figures of one source.
    package struct Part: Sendable {
        /// The names of the fields in the schema's `Fundamentals`.
        package let fields: [String]
        package let provenance: Provenance
    }

    /// Nil without reports.
    ///
    /// - Parameter reports: The reports of the sources, in the order of the route. Stale reports are used
    ///   after all others.
    package init?(_ reports: [Fundamentals]) {
        let sorted = reports.filter { !$0.provenance.isStale } + reports.filter(\.provenance.isStale)
        guard let first = sorted.first else { return nil }
        figures = Fundamentals(symbol: first.symbol, provenance: first.provenance)
        parts = []
        for report in sorted {
            let fields = figures.fill(from: report)
            if !fields.isEmpty { parts.append(Part(fields: fields, provenance: report.provenance)) }
        }
        figures.provenance = first.provenance
    }

    /// Whether no figure is missing.
    package var isComplete: Bool {
        FundamentalsField.all.allSatisfy { $0.isKnown(figures) }
    }

    fileprivate var asOf: Instant? {
        let instants = parts.compactMap(\.provenance.asOf)
        return instants.count == parts.count ? instants.min() : nil
    }
    fileprivate var fetchedAt: Instant {
        parts.map(\.provenance.fetchedAt).min() ?? figures.provenance.fetchedAt
    }
    fileprivate var source: ProviderID { parts.first?.provenance.source ?? figures.provenance.source }
    fileprivate var isStale: Bool { parts.contains(where: \.provenance.isStale) }
}

/// A field of the schema's `Fundamentals`, with the functions that merge it.
private struct FundamentalsField: Sendable {
    let name: String
    let isKnown: @Sendable (Fundamentals) -> Bool
    let copy: @Sendable (_ report: Fundamentals, _ figures: inout Fundamentals) -> Void

    init<Value>(_ name: String, _ path: any WritableKeyPath<Fundamentals, Value?> & Sendable) {
        self.name = name
        isKnown = { $0[keyPath: path] != nil }
        copy = { report, figures in figures[keyPath: path] = report[keyPath: path] }
    }

    /// The fields that mean the same in every currency.
    static let plain = [
        FundamentalsField("sector", \.sector), FundamentalsField("industry", \.industry),
        FundamentalsField("country", \.country), FundamentalsField("website", \.website),
        FundamentalsField("peRatio", \.priceEarningsRatio),
    ]
    /// The fields that are amounts in `currency`.
    static let amounts = [
        FundamentalsField("marketCap", \.marketCap),
        FundamentalsField("earningsPerShare", \.earningsPerShare),
        FundamentalsField("dividendPerShare", \.dividendPerShare), FundamentalsField("yearHigh", \.yearHigh),
        FundamentalsField("yearLow", \.yearLow),
    ]
    static let currency = FundamentalsField("currency", \.currency)
    static let all = [currency] + plain + amounts
}

extension Fundamentals {
    /// Copies the figures that are not known here from another report.
    ///
    /// Amounts are copied only if they are in the currency of the known amounts. An amount without a
    /// currency is not combined with one that has a currency.
    ///
    /// - Returns: The names of the copied fields.
    fileprivate mutating func fill(from report: Fundamentals) -> [String] {
        var wanted = FundamentalsField.plain
        let hasMoney = currency != nil || FundamentalsField.amounts.contains { $0.isKnown(self) }
        if !hasMoney {
            wanted = [FundamentalsField.currency] + wanted + FundamentalsField.amounts
        } else if currency != nil, currency == report.currency {
            wanted += FundamentalsField.amounts
        }
        let taken = wanted.filter { !$0.isKnown(self) && $0.isKnown(report) }
        for field in taken { field.copy(report, &self) }
        return taken.map(\.name)
    }
}

extension GatewayContext {
    /// Figures of the company of each symbol, each figure from the first source of the route that has it.
    ///
    /// The sources are queried one after the other until no figure is missing. A source that fails, or has no
    /// quota left, is skipped if another one responds.
    func fundamentals(of symbols: [Symbol]) -> MaybeAsync<BatchResults<MergedFundamentals?>> {
        let walks: [RoutedRead<Symbol, Fundamentals>]
        do throws(FieldError) {
            walks = try sources(for: .fundamentals, from: nil).map { fundamentalsRead(from: [$0]) }
        } catch {
            return .ready(symbols.map { _ in .failure(error) })
        }
        let atHand = symbols.map { symbol in mergedFromCache(symbol, walks) }
        if !atHand.contains(where: { $0 == nil }) { return .ready(atHand.map { .success($0) }) }
        return .async { [self, call] in
            var reports: [Symbol: [Fundamentals]] = [:]
            var failures: [Symbol: [ProviderFailure]] = [:]
            for (position, walk) in walks.enumerated() {
                let wanted = Set(symbols).filter { symbol in
                    walk.couldHave(symbol) && MergedFundamentals.isIncomplete(reports[symbol] ?? [])
                }.sorted { $0.text < $1.text }
                if wanted.isEmpty { continue }
                let isLast = position == walks.indices.last
                let share = isLast ? call : call.halved(at: services.reads.clock.now())
                for (symbol, outcome) in zip(wanted, await walk.read(wanted, for: share)) {
                    switch outcome {
                    case .success(let report): reports[symbol, default: []].append(report)
                    case .failure(let error): failures[symbol, default: []] += error.failures
                    }
                }
            }
            return symbols.map { symbol in
                if let merged = MergedFundamentals(reports[symbol] ?? []) { return .success(merged) }
                return .failure(FieldError(failures[symbol] ?? [], of: "company \"\(symbol)\""))
            }
        }
    }

    /// The figures of one company, if the reports that complete them are in memory.
    private func mergedFromCache(
        _ symbol: Symbol, _ walks: [RoutedRead<Symbol, Fundamentals>]
    ) -> MergedFundamentals? {
        var reports: [Fundamentals] = []
        for walk in walks where walk.couldHave(symbol) {
            guard let report = walk.cached([symbol], for: call)?.first else { return nil }
            reports.append(report)
            if !MergedFundamentals.isIncomplete(reports) { break }
        }
        return MergedFundamentals(reports)
    }

    /// The routed read of company figures.
    func fundamentalsRead(from sources: [MarketDataSource]) -> RoutedRead<Symbol, Fundamentals> {
        RoutedRead(
            sources: sources, cache: services.reads.fundamentals, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                var found = KeyedResults<Symbol, Fundamentals>()
                for symbol in symbols {
                    found[symbol] = try await source.fundamentals?.fundamentals(of: symbol, in: call)
                }
                return found
            })
    }
}

extension MergedFundamentals {
    /// Whether another source should be queried in addition to the sources of these reports.
    fileprivate static func isIncomplete(_ reports: [Fundamentals]) -> Bool {
        !(MergedFundamentals(reports.filter { !$0.provenance.isStale })?.isComplete ?? false)
    }
}

extension RoutedRead {
    /// Whether one of the sources could have a value for the query.
    fileprivate func couldHave(_ query: Query) -> Bool { sources.contains { supports($0, query) } }
}

extension MergedFundamentals: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<MergedFundamentals>("Fundamentals") {
        Field("id") { NodeID(.fundamentals, $0.figures.symbol.text).text }
        Field("currency", \.figures.currency)
        Field("sector", \.figures.sector)
        Field("industry", \.figures.industry)
        Field("country", \.figures.country)
        Field("website", \.figures.website)
        Field("marketCap", \.figures.marketCap)
        Field("peRatio") { $0.figures.priceEarningsRatio?.doubleValue }
        Field("earningsPerShare", \.figures.earningsPerShare)
        Field("dividendPerShare", \.figures.dividendPerShare)
        Field("yearHigh", \.figures.yearHigh)
        Field("yearLow", \.figures.yearLow)
        Field("parts", \.parts)
        Field("asOf") { $0.asOf }
        Field("fetchedAt") { $0.fetchedAt }
        Field("source") { $0.source }
        Field("stale") { $0.isStale }
    }
}

extension MergedFundamentals.Part: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<MergedFundamentals.Part>("FundamentalsPart") {
        Field("fields", \.fields)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}
