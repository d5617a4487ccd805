package import Brokerage

// What providers can do, one small protocol for each capability. A provider conforms to those that it has.
//
// A call carries what it takes from the operation that needs it, ends by that operation's deadline, and says in terms
// of what can be done about it why it failed. Symbols are Portico's own on both sides: each provider translates.

/// Knows a user's accounts with a broker, and what is in them.
package protocol AccountSource: Sendable {
    /// The accounts that the credential opens, the default one first, with their figures now.
    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account]

    /// Everything that these accounts hold; empty means that they hold nothing.
    func positions(in call: CallContext) async throws(ProviderFailure) -> [Position]

    /// An account's equity over time.
    ///
    /// - Parameters:
    ///   - account: the broker's own id of the account.
    ///   - range: how far back the points go.
    ///   - interval: the distance of two points; nil leaves the choice to the provider.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the points that the provider has of the range.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for an interval that the provider does not have, or where
    ///   it keeps no history.
    func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory
}
