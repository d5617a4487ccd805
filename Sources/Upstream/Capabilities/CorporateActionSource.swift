package import Brokerage

/// Reads the dividends, splits and spin-offs of instruments.
package protocol CorporateActionSource: Sendable {
    /// The maximum number of symbols of one call; at least 1.
    var corporateActionsPerCall: Int { get }

    /// Whether dividends have the day on which they were declared.
    var reportsDeclarations: Bool { get }

    /// Whether ``spinOffs(of:in:)`` can be called.
    var reportsSpinOffs: Bool { get }

    /// The values of an instrument's identity that a ``DividendHistory`` may have.
    var identityFieldsOfDividends: Set<IdentityField> { get }

    /// Returns all dividends of some instruments. One that the source does not know has no result; one without
    /// dividends has an empty history.
    ///
    /// - Parameters:
    ///   - symbols: Each once, at most `corporateActionsPerCall`.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The histories of the known instruments, and the failures of others.
    /// - Throws: `ProviderFailure` if none could be read.
    func dividends(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory>

    /// Returns all splits of some instruments, likewise.
    func splits(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory>

    /// Returns all spin-offs of some instruments, as the parent and as the new company. One without spin-offs, or that the
    /// source does not know, has an empty history.
    func spinOffs(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SpinOffHistory>
}

extension CorporateActionSource {
    /// The default: one instrument for each call.
    package var corporateActionsPerCall: Int { 1 }

    /// The default: dividends have no ISIN.
    package var identityFieldsOfDividends: Set<IdentityField> { [] }

    /// The default: the source has no spin-offs.
    package var reportsSpinOffs: Bool { false }

    package func spinOffs(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SpinOffHistory> { [:] }
}

/// A source that has the dividends and splits of an instrument in one response, so that one call serves both.
package protocol CombinedCorporateActionSource: CorporateActionSource {
    /// The latest responses.
    var actions: ReadCache<Symbol, CorporateActionHistory> { get }
    var actionScope: CacheScope { get }

    /// Whether the source can have actions of an instrument; no other one is requested.
    func mayHaveActions(_ symbol: Symbol) -> Bool

    /// Calls the provider for some instruments, at most `corporateActionsPerCall`; see ``CorporateActionSource``.
    func corporateActions(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CorporateActionHistory>
}

extension CombinedCorporateActionSource {
    /// The default: it can have actions of every instrument.
    package func mayHaveActions(_ symbol: Symbol) -> Bool { true }

    package func dividends(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> {
        await histories(of: symbols, in: call) { $0.dividends }
    }

    package func splits(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        await histories(of: symbols, in: call) { $0.splits }
    }

    private func histories<History: Sendable>(
        of symbols: [Symbol], in call: CallContext, _ part: (CorporateActionHistory) -> History
    ) async -> KeyedResults<Symbol, History> {
        let symbols = symbols.filter(mayHaveActions)
        let results = await actions.read(
            symbols, in: actionScope, batchSize: corporateActionsPerCall, for: call
        ) { symbols, call throws(ProviderFailure) in try await corporateActions(of: symbols, in: call) }
        var histories = KeyedResults<Symbol, History>()
        for (symbol, result) in zip(symbols, results) { histories.add(result.map { part($0) }, for: symbol) }
        return histories
    }
}

/// The dividends and splits of one instrument, of one response.
package struct CorporateActionHistory: Sendable {
    let dividends: DividendHistory
    let splits: SplitHistory

    package init(_ dividends: DividendHistory, _ splits: SplitHistory) {
        (self.dividends, self.splits) = (dividends, splits)
    }

    /// The approximate size in bytes.
    package var weight: Int {
        MemoryLayout<Self>.stride + dividends.dividends.count * MemoryLayout<Dividend>.stride
            + splits.splits.count * MemoryLayout<Split>.stride
    }
}
