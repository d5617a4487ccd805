package import Brokerage

/// Finds instruments, and knows what they are.
package protocol InstrumentSource: Sendable {
    /// Instruments by ticker or company name, best match first, at most `limit`.
    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> [SearchHit]

    /// An instrument.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for one that the source does not know.
    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument

    /// How many instruments ``instruments(_:in:)`` takes at once; at least 1.
    var instrumentsPerCall: Int { get }

    /// Some instruments; of one that the source does not know there is nothing.
    ///
    /// - Parameters:
    ///   - symbols: each once, at most `instrumentsPerCall`.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the instruments that are known, and why others could not be read.
    /// - Throws: `ProviderFailure` where none could be read.
    func instruments(
        _ symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument>
}

extension InstrumentSource {
    /// One, for a source that is asked for each.
    package var instrumentsPerCall: Int { 1 }

    package func instruments(
        _ symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        await eachInstrument(of: symbols, in: call)
    }

    /// Some instruments, each by a call of its own, few at a time.
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

/// Knows the figures that companies publish, and what they do.
package protocol FundamentalsSource: Sendable {
    /// A company's figures.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for what the source does not know or what is no company.
    func fundamentals(
        of symbol: Symbol, in call: CallContext
    ) async throws(ProviderFailure) -> Fundamentals
}

/// Translates between Portico's own symbols and a provider's, by rule: without a call, and without knowing whether there
/// is such an instrument.
package protocol SymbolMapping: Sendable {
    /// What the provider calls it; nil for a kind of instrument that it does not have.
    func providerSymbol(for symbol: Symbol) -> String?

    /// Portico's own symbol for a provider's; nil for what is none of the provider's.
    func symbol(for spelling: String) -> Symbol?
}
