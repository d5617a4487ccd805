package import Brokerage

/// Searches instruments and returns their properties.
package protocol InstrumentSource: Sendable {
    /// Instruments by ticker or company name, best match first, at most `limit`.
    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> SearchHits

    /// Whether the results of ``search(_:limit:in:)`` lack a currency or decimals that ``instruments(_:in:)`` has.
    var searchOmitsDetails: Bool { get }

    /// An instrument.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for one that the source does not know.
    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument

    /// The values of an instrument's identity that ``instrument(_:in:)`` may have.
    var identityFieldsOfInstruments: Set<IdentityField> { get }

    /// The maximum number of symbols of ``instruments(_:in:)``; at least 1.
    var instrumentsPerCall: Int { get }

    /// Returns some instruments; one that the source does not know has no result.
    ///
    /// - Parameters:
    ///   - symbols: Each once, at most `instrumentsPerCall`.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The known instruments, and the failures of others.
    /// - Throws: `ProviderFailure` if none could be read.
    func instruments(
        _ symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument>
}

extension InstrumentSource {
    /// The default: market and asset class.
    package var identityFieldsOfInstruments: Set<IdentityField> { [.exchange, .assetClass] }

    package var searchOmitsDetails: Bool { false }

    /// The default: one symbol for each call.
    package var instrumentsPerCall: Int { 1 }

    package func instruments(
        _ symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        await eachInstrument(of: symbols, in: call)
    }

    /// Reads some instruments with one call for each, a few at the same time.
    package func eachInstrument(of symbols: [Symbol], in call: CallContext) async -> KeyedResults<
        Symbol, Instrument
    > {
        let results = await concurrently(symbols, atMost: 4) { symbol async throws(ProviderFailure) in
            Instrument?.some(try await instrument(symbol, in: call))
        }
        var batch = KeyedResults<Symbol, Instrument>()
        for (symbol, result) in zip(symbols, results) { batch.add(result, for: symbol) }
        return batch
    }
}

/// Reads what a broker permits its client to do with instruments, for brokers that decide it for each client.
///
/// The listings of such a source, which clients may share, are without these permissions.
package protocol TradingPermissionSource: Sendable {
    /// Reads the permissions of the client of this source.
    ///
    /// - Parameters:
    ///   - symbols: Each once, at most as many as `instrumentsPerCall` of the instruments of the source.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The permissions of the instruments that the broker knows, and the failures of others.
    /// - Throws: `ProviderFailure` if none could be read.
    func permissions(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, TradingPermissions>
}

/// Reads the key figures and descriptions of companies.
package protocol FundamentalsSource: Sendable {
    /// Returns the key figures of a company.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an unknown symbol, or one that is not of a
    ///   company.
    func fundamentals(
        of symbol: Symbol, in call: CallContext
    ) async throws(ProviderFailure) -> Fundamentals

    /// The values of an instrument's identity that ``fundamentals(of:in:)`` may have.
    var identityFieldsOfCompanies: Set<IdentityField> { get }
}

extension FundamentalsSource {
    /// The default: the business and the location of a company.
    package var identityFieldsOfCompanies: Set<IdentityField> { [.sector, .industry, .country, .website] }
}

/// Maps symbols of Portico to symbols of a provider and back, by rules: without a call, and without a check
/// that the instrument exists.
package protocol SymbolMapping: Sendable {
    /// The provider's symbol; nil for a kind of instrument that it does not have.
    func providerSymbol(for symbol: Symbol) -> String?

    /// The symbol of Portico for a symbol of the provider; nil if the text is not one.
    func symbol(for spelling: String) -> Symbol?
}
