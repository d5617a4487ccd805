import Brokerage
import GraphQL
import Upstream

/// Dividends, splits and spin-offs of companies.
package struct CorporateActionService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let caches: ReadCaches
}

extension CorporateActionService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), caches: scope.services.reads)
    }

    /// All dividends of each instrument, from the first source of the route that knows it.
    ///
    /// - Parameters:
    ///   - symbols: The instruments.
    ///   - provider: The only provider to request; nil for the route.
    /// - Returns: A failure for each instrument that no source knows, or whose sources failed.
    func dividends(
        of symbols: [Symbol], from provider: ProviderID? = nil
    ) -> MaybeAsync<BatchResults<DividendHistory>> {
        reads.results(for: symbols, named: { "dividends of \"\($0)\"" }, as: { $0 }) {
            () throws(FieldError) in
            dividendRead(from: try reads.sources(for: .corporateActions, from: provider))
        }
    }

    /// All splits of each instrument, likewise.
    func splits(
        of symbols: [Symbol], from provider: ProviderID? = nil
    ) -> MaybeAsync<BatchResults<SplitHistory>> {
        reads.results(for: symbols, named: { "splits of \"\($0)\"" }, as: { $0 }) { () throws(FieldError) in
            splitRead(from: try reads.sources(for: .corporateActions, from: provider))
        }
    }

    /// All spin-offs of each instrument, as the parent and as the new company, from the first source that has them.
    ///
    /// - Returns: In the order of the symbols: nothing for an instrument of which no source has spin-offs, or the failure of a
    ///   source that might have one.
    func spinOffs(of symbols: [Symbol]) async -> [Result<[SpinOff], FieldError>] {
        let sources = spinOffSources
        if symbols.isEmpty || sources.isEmpty { return symbols.map { _ in .success([]) } }
        let read = RoutedRead(
            sources: sources, cache: caches.spinOffs,
            batchSize: { $0.corporateActions?.corporateActionsPerCall ?? 1 }, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                try await source.corporateActions?.spinOffs(of: symbols, in: call) ?? [:]
            })
        return await read.read(symbols, for: scope.call).map { result in
            switch result {
            case .success(let history): .success(history.spinOffs)
            case .failure(let error):
                error.failures.first { !$0.meansNoValue }.map { .failure(FieldError($0)) } ?? .success([])
            }
        }
    }

    /// Whether a source of spin-offs can have one of an instrument.
    func canHaveSpinOff(_ symbol: Symbol) -> Bool {
        symbol.isShareOrFund && spinOffSources.contains { $0.has(symbol) }
    }

    private var spinOffSources: [MarketDataSource] {
        ((try? reads.sources(for: .corporateActions, from: nil)) ?? [])
            .filter { $0.corporateActions?.reportsSpinOffs == true }
    }

    /// The first ex-date of each instrument from a day on; nil if no dividend with such a day is announced, or if no source
    /// has dividends of the instrument.
    func nextDividendDates(
        of symbols: [Symbol], from day: CalendarDate
    ) -> MaybeAsync<BatchResults<CalendarDate?>> {
        let shares = Set(symbols.filter(\.isShareOrFund)).sorted { $0.text < $1.text }
        return dividends(of: shares).map { histories in
            let found = Dictionary(zip(shares, histories), uniquingKeysWith: { first, _ in first })
            return symbols.map { symbol in
                switch found[symbol] {
                case .success(let history)?:
                    // The next dividend may be one that could not be read.
                    history.unreadable.first.map {
                        .failure(FieldError.unreadable("a dividend", $0, of: history.provenance.source))
                    } ?? .success(history.dividends.lazy.map(\.exDate).filter { $0 >= day }.min())
                case .failure(let error as FieldError)? where error.meansNoValue: .success(nil)
                case .failure(let error)?: .failure(error)
                case nil: .success(nil)
                }
            }
        }
    }

    /// The routed read of dividends.
    func dividendRead(from sources: [MarketDataSource]) -> RoutedRead<Symbol, DividendHistory> {
        RoutedRead(
            sources: sources, cache: caches.dividends,
            batchSize: { $0.corporateActions?.corporateActionsPerCall ?? 1 }, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                try await source.corporateActions?.dividends(of: symbols, in: call) ?? [:]
            })
    }

    /// The routed read of splits.
    func splitRead(from sources: [MarketDataSource]) -> RoutedRead<Symbol, SplitHistory> {
        RoutedRead(
            sources: sources, cache: caches.splits,
            batchSize: { $0.corporateActions?.corporateActionsPerCall ?? 1 }, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                try await source.corporateActions?.splits(of: symbols, in: call) ?? [:]
            })
    }

    /// The day on which each dividend was declared: that of its source, otherwise of the first provider that reports such
    /// days; nil if none reports it.
    func declarations(of dividends: [ReportedDividend]) -> MaybeAsync<BatchResults<CalendarDate?>> {
        let known = dividends.map { BatchResults<CalendarDate?>.Element.success($0.dividend.declaredOn) }
        let all = (try? reads.sources(for: .corporateActions, from: nil)) ?? []
        let sources = all.filter { $0.corporateActions?.reportsDeclarations == true }
        // A source that reports these days does not have that of this dividend.
        let open = dividends.filter { item in
            item.dividend.declaredOn == nil && !sources.contains { $0.provider == item.provenance.source }
        }
        let symbols = Set(open.map(\.symbol)).sorted { $0.text < $1.text }
        if symbols.isEmpty || sources.isEmpty { return .ready(known) }
        let histories: MaybeAsync<BatchResults<DividendHistory>> = reads.results(
            for: symbols, named: { "dividends of \"\($0)\"" }, as: { $0 }
        ) { () throws(FieldError) in
            dividendRead(from: sources)
        }
        return histories.map { histories in
            let found = Dictionary(zip(symbols, histories), uniquingKeysWith: { first, _ in first })
            return dividends.map { item in
                if let day = item.dividend.declaredOn { return .success(day) }
                switch found[item.symbol] {
                case .success(let history)?: return .success(history.declaration(of: item.dividend))
                case .failure(let error as FieldError)? where error.meansNoValue: return .success(nil)
                case .failure(let error)?: return .failure(error)
                case nil: return .success(nil)
                }
            }
        }
    }
}

extension Symbol {
    /// Whether it is the symbol of a share or fund.
    ///
    /// Currencies, coins and indices have no company, and neither dividends nor splits.
    var isShareOrFund: Bool {
        if case .listing? = SymbolKind(self) { true } else { false }
    }
}

extension FieldError {
    /// Whether no provider has the value.
    var meansNoValue: Bool { code == .notFound || code == .unsupported }
}

extension DividendHistory {
    /// The day on which a dividend that another source reported was declared; nil if this source does not report it.
    fileprivate func declaration(of dividend: Dividend) -> CalendarDate? {
        let sameDay = dividends.filter { $0.exDate == dividend.exDate }
        let match = sameDay.count == 1 ? sameDay.first : sameDay.first { $0.amount == dividend.amount }
        return match?.declaredOn
    }
}
