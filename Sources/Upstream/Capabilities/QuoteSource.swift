package import Brokerage

/// Knows the latest prices of instruments.
package protocol QuoteSource: Sendable {
    /// How many symbols one call may ask for; at least 1.
    var symbolsPerCall: Int { get }

    /// The latest prices; a symbol that the source does not know is not among them.
    ///
    /// - Parameters:
    ///   - symbols: each once, at most `symbolsPerCall`.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the quotes of the symbols that are known.
    /// - Throws: `ProviderFailure` where none could be read.
    func quotes(for symbols: [Symbol], in call: CallContext) async throws(ProviderFailure) -> [Symbol: Quote]
}
