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
