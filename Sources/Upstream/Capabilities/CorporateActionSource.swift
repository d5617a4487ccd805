package import Brokerage

/// Reads the dividends and splits of instruments.
package protocol CorporateActionSource: Sendable {
    /// The maximum number of symbols of one call; at least 1.
    var corporateActionsPerCall: Int { get }

    /// Whether dividends have the day on which they were declared.
    var reportsDeclarations: Bool { get }

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
}

extension CorporateActionSource {
    /// The default: one instrument for each call.
    package var corporateActionsPerCall: Int { 1 }

    /// The default: dividends have no ISIN.
    package var identityFieldsOfDividends: Set<IdentityField> { [] }
}
