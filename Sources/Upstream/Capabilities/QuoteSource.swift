package import Brokerage

/// Knows the latest prices of instruments.
package protocol QuoteSource: Sendable {
    /// How many symbols may be asked for at once; at least 1.
    var symbolsPerCall: Int { get }

    /// The latest prices; of a symbol that the source does not know there is nothing.
    ///
    /// - Parameters:
    ///   - symbols: each once, at most `symbolsPerCall`.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the quotes of the symbols that are known, and why others could not be read.
    /// - Throws: `ProviderFailure` where none could be read.
    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote>
}
