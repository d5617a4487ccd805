package import Brokerage
package import GraphQL
import Upstream

/// The values of one object as one source reports them.
package protocol MergeableReport: Sendable {
    var provenance: Provenance { get set }
    /// The same object without values.
    var withoutValues: Self { get }
    /// All values that are merged.
    static var mergedFields: [MergedField<Self>] { get }
    /// The values that can be combined with those of this report, in the order of ``MergedReport/parts``.
    func combinableFields(with other: Self) -> [MergedField<Self>]
}

extension MergeableReport {
    /// The default: all values.
    package func combinableFields(with other: Self) -> [MergedField<Self>] { Self.mergedFields }
}

/// A value of a report, with the functions that merge it.
package struct MergedField<Report: Sendable>: Sendable {
    /// The name of the field in the schema.
    package let name: String
    let isKnown: @Sendable (Report) -> Bool
    let copy: @Sendable (_ report: Report, _ values: inout Report) -> Void

    package init<Value>(_ name: String, _ path: any WritableKeyPath<Report, Value?> & Sendable) {
        self.name = name
        isKnown = { $0[keyPath: path] != nil }
        copy = { report, values in values[keyPath: path] = report[keyPath: path] }
    }
}

/// The values of one object, merged from the reports of several sources: each value from the first source that
/// has it.
package struct MergedReport<Report: MergeableReport>: Sendable {
    package private(set) var values: Report
    /// The sources of at least one value, in the order of the route.
    package private(set) var parts: [ReportPart]

    /// Nil without reports.
    ///
    /// - Parameters:
    ///   - reports: The reports of the sources, in the order of the route. Stale reports are used after all others.
    ///   - wanted: The names of the values to merge; nil for all.
    package init?(_ reports: [Report], only wanted: Set<String>? = nil) {
        let sorted = reports.filter { !$0.provenance.isStale } + reports.filter(\.provenance.isStale)
        guard let first = sorted.first else { return nil }
        values = first.withoutValues
        parts = []
        for report in sorted {
            let taken = values.combinableFields(with: report).filter { field in
                wanted?.contains(field.name) ?? true && !field.isKnown(values) && field.isKnown(report)
            }
            for field in taken { field.copy(report, &values) }
            if !taken.isEmpty {
                parts.append(ReportPart(fields: taken.map(\.name), provenance: report.provenance))
            }
        }
    }

    /// The values that are not known.
    package var missing: Set<String> {
        Set(Report.mergedFields.filter { !$0.isKnown(values) }.map(\.name))
    }
}

/// The values of an object that one source reported.
package struct ReportPart: Sendable {
    /// The names of the fields in the schema.
    package let fields: [String]
    package let provenance: Provenance
}

extension ReportPart: GraphQLObject {
    package static let graphQL = ObjectType<ReportPart>("FundamentalsPart") {
        Field("fields", \.fields)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

/// Reads the reports of one source.
struct ReportRead<Report: MergeableReport>: Sendable {
    /// The names of the values that a report of the source may have.
    let fields: Set<String>
    /// Whether the source could have a report of an object.
    let supports: @Sendable (Symbol) -> Bool
    /// The report of an object, if it is in memory.
    let cached: @Sendable (Symbol) -> Report?
    let read: @Sendable ([Symbol], CallContext) async -> [Result<Report, RouteError>]

    /// - Parameters:
    ///   - routedRead: The read of one source.
    ///   - fields: The values that its reports may have.
    ///   - call: The operation.
    ///   - report: Converts a value of the source to a report.
    init<Value>(
        _ routedRead: RoutedRead<Symbol, Value>, fields: Set<String>, for call: CallContext,
        as report: @escaping @Sendable (Value) -> Report
    ) {
        self.fields = fields
        supports = { symbol in routedRead.sources.contains { routedRead.supports($0, symbol) } }
        cached = { routedRead.cached([$0], for: call)?.first.map(report) }
        read = { symbols, call in await routedRead.read(symbols, for: call).map { $0.map(report) } }
    }

    /// Whether the source could have one of the wanted values that other reports do not have.
    func isNeeded(after reports: [Report], wanted: Set<String>) -> Bool {
        let open = fields.intersection(wanted)
        guard let known = MergedReport(reports.filter { !$0.provenance.isStale }) else {
            return !open.isEmpty
        }
        return !open.isDisjoint(with: known.missing)
    }
}

/// The reports of several sources about one object, and the failures of other sources.
struct ReportOutcome<Report: MergeableReport>: Sendable {
    var reports: [Report] = []
    /// Each with the values that the source might have had.
    var failures: [(fields: Set<String>, failure: ProviderFailure)] = []
}

extension MarketDataReads {
    /// Reads reports of each object from one source after the other, until none of the others could have a value that is
    /// wanted and missing.
    ///
    /// A source that fails, or has no quota left, is skipped.
    func reports<Report>(
        of symbols: [Symbol], through reads: [ReportRead<Report>], wanted: Set<String>
    ) -> MaybeAsync<[ReportOutcome<Report>]> {
        let atHand = symbols.map { reportsInMemory(of: $0, through: reads, wanted: wanted) }
        let known = atHand.compactMap(\.self)
        if known.count == symbols.count { return .ready(known.map { ReportOutcome(reports: $0) }) }
        return .async { [call = scope.call, clock = scope.clock] in
            var outcomes: [Symbol: ReportOutcome<Report>] = [:]
            for (position, read) in reads.enumerated() {
                let needed = Set(symbols).filter { symbol in
                    read.supports(symbol)
                        && read.isNeeded(after: outcomes[symbol]?.reports ?? [], wanted: wanted)
                }.sorted { $0.text < $1.text }
                if needed.isEmpty { continue }
                let isLast = position == reads.indices.last
                let share = isLast ? call : call.halved(at: clock.now())
                for (symbol, result) in zip(needed, await read.read(needed, share)) {
                    switch result {
                    case .success(let report):
                        outcomes[symbol, default: ReportOutcome()].reports.append(report)
                    case .failure(let error):
                        outcomes[symbol, default: ReportOutcome()].failures += error.failures.map {
                            (read.fields, $0)
                        }
                    }
                }
            }
            return symbols.map { outcomes[$0] ?? ReportOutcome() }
        }
    }

    /// The reports of an object, if those that are needed are in memory.
    private func reportsInMemory<Report>(
        of symbol: Symbol, through reads: [ReportRead<Report>], wanted: Set<String>
    ) -> [Report]? {
        var reports: [Report] = []
        for read in reads where read.supports(symbol) && read.isNeeded(after: reports, wanted: wanted) {
            guard let report = read.cached(symbol) else { return nil }
            reports.append(report)
        }
        return reports
    }
}
