package import Brokerage
import GraphQL
import Upstream

extension InstrumentIdentity: MergeableReport {
    package var withoutValues: InstrumentIdentity {
        InstrumentIdentity(symbol: symbol, provenance: provenance)
    }

    package static let mergedFields = [
        field(.isin, \.isin), field(.figi, \.figi), field(.shareClassFIGI, \.shareClassFIGI),
        field(.exchange, \.exchange), field(.assetClass, \.assetClass), field(.sector, \.sector),
        field(.industry, \.industry), field(.country, \.country), field(.website, \.website),
    ]

    private static func field<Value>(
        _ field: IdentityField, _ path: any WritableKeyPath<InstrumentIdentity, Value?> & Sendable
    ) -> MergedField<InstrumentIdentity> {
        MergedField(field.rawValue, path)
    }

    /// The values that a source reports with an instrument.
    fileprivate init(_ instrument: Instrument) {
        self.init(symbol: instrument.symbol, provenance: instrument.provenance)
        figi = instrument.figi
        shareClassFIGI = instrument.shareClassFIGI
        exchange = instrument.marketCode
        assetClass = instrument.assetClass == .other ? nil : instrument.assetClass
    }

    /// The values that a source reports with the figures of a company.
    fileprivate init(_ company: Fundamentals) {
        self.init(symbol: company.symbol, provenance: company.provenance)
        sector = company.sector
        industry = company.industry
        country = company.country
        website = company.website
    }

    /// The values that a source reports with dividends.
    fileprivate init(_ history: DividendHistory) {
        self.init(symbol: history.symbol, provenance: history.provenance)
        isin = history.isin
    }
}

/// What identifies and classifies an instrument: each value from the first source of its route that has it.
struct MergedIdentity: Sendable {
    /// Nil if no source has a report.
    private let merged: MergedReport<InstrumentIdentity>?
    /// The sources that failed and could have had a value, with these values.
    private let failures: [(fields: Set<String>, failure: ProviderFailure)]

    fileprivate init(_ outcomes: [ReportOutcome<InstrumentIdentity>], wanted: Set<String>) {
        merged = MergedReport(outcomes.flatMap(\.reports), only: wanted)
        failures = outcomes.flatMap(\.failures).filter { !$0.failure.meansNoValue }
    }

    fileprivate var parts: [ReportPart] { merged?.parts ?? [] }

    /// A value; nil if no source has it.
    ///
    /// - Throws: `FieldError` of the first source that failed and could have had the value, if no other one has it.
    fileprivate func value<Value>(
        _ field: IdentityField, _ path: KeyPath<InstrumentIdentity, Value?>
    ) throws(FieldError) -> Value? {
        if let value = merged?.values[keyPath: path] { return value }
        if let failed = failures.first(where: { $0.fields.contains(field.rawValue) }) {
            throw FieldError(failed.failure)
        }
        return nil
    }
}

extension InstrumentService {
    /// The identity of each instrument, as far as the fields with some names need it.
    ///
    /// The values of a kind of data are read from one source of its route after the other until the wanted ones are
    /// known, the kinds at the same time. A source without one of the wanted values is not called.
    func identities(
        of symbols: [Symbol], with names: Set<String>
    ) -> MaybeAsync<BatchResults<MergedIdentity?>> {
        let wanted = names.intersection(IdentityField.allCases.map(\.rawValue))
        let groups = [
            identityReads(.instruments) { source in
                source.instruments.map {
                    identityRead(instrumentRead(from: [source]), $0.identityFieldsOfInstruments) {
                        InstrumentIdentity($0)
                    }
                }
            },
            identityReads(.fundamentals) { source in
                source.fundamentals.map {
                    identityRead(fundamentalsRead(from: [source]), $0.identityFieldsOfCompanies) {
                        InstrumentIdentity($0)
                    }
                }
            },
            identityReads(.corporateActions) { source in
                source.corporateActions.map {
                    identityRead(
                        CorporateActionService(scope).dividendRead(from: [source]),
                        $0.identityFieldsOfDividends
                    ) {
                        InstrumentIdentity($0)
                    }
                }
            },
        ]
        let outcomes: MaybeAsync<BatchResults<[ReportOutcome<InstrumentIdentity>]>> = .each(groups) {
            reads.reports(of: symbols, through: $0, wanted: wanted)
        }
        return outcomes.map { kinds in
            symbols.indices.map { index in
                Result { .some(MergedIdentity(try kinds.map { try $0.get()[index] }, wanted: wanted)) }
            }
        }
    }

    /// The reads of the sources of a kind of data, in the order of its route; none if no source has it.
    private func identityReads(
        _ capability: MarketDataCapability,
        _ read: (MarketDataSource) -> ReportRead<InstrumentIdentity>?
    ) -> [ReportRead<InstrumentIdentity>] {
        ((try? reads.sources(for: capability, from: nil)) ?? []).compactMap(read)
    }

    private func identityRead<Value>(
        _ routedRead: RoutedRead<Symbol, Value>, _ fields: Set<IdentityField>,
        as report: @escaping @Sendable (Value) -> InstrumentIdentity
    ) -> ReportRead<InstrumentIdentity> {
        ReportRead(routedRead, fields: Set(fields.map(\.rawValue)), for: scope.call, as: report)
    }
}

extension MergedIdentity: GraphQLObject {
    static let graphQL = ObjectType<MergedIdentity>("InstrumentIdentity") {
        Field("isin", throwing: { try $0.value(.isin, \.isin) })
        Field("figi", throwing: { try $0.value(.figi, \.figi) })
        Field("shareClassFigi", throwing: { try $0.value(.shareClassFIGI, \.shareClassFIGI) })
        Field("exchange", throwing: { try $0.value(.exchange, \.exchange) })
        Field("assetClass", throwing: { try $0.value(.assetClass, \.assetClass) })
        Field("sector", throwing: { try $0.value(.sector, \.sector) })
        Field("industry", throwing: { try $0.value(.industry, \.industry) })
        Field("country", throwing: { try $0.value(.country, \.country) })
        Field("website", throwing: { try $0.value(.website, \.website) })
        Field("parts") { $0.parts }
    }
}
