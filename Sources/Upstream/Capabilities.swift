package import Brokerage

// What providers can do, one small protocol for each capability. A provider conforms to those that it has.
//
// A call carries what it takes from the operation that needs it, ends by that operation's deadline, and says in terms
// of what can be done about it why it failed.

/// Knows a user's account with its broker, and what is in it.
package protocol AccountSource: Sendable {
    /// The account and its figures now.
    func account(in call: CallContext) async throws(ProviderFailure) -> Account

    /// Everything that the account holds; empty means that it holds nothing.
    func positions(in call: CallContext) async throws(ProviderFailure) -> [Position]

    /// The account's equity over time.
    ///
    /// - Parameters:
    ///   - range: how far back the points go.
    ///   - interval: the distance of two points; nil leaves the choice to the provider.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the points that the provider has of the range.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for an interval that the provider does not have.
    func history(
        _ range: HistoryRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory
}

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
