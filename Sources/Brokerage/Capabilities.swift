// What providers can do, one small protocol for each capability. A provider conforms to those that it has.
//
// Calls throw the failures of `Upstream`. They end by the deadline, and where their task is cancelled.

/// Knows a user's account with its broker, and what is in it.
package protocol AccountSource: Sendable {
    /// The account and its figures now.
    func account(by deadline: ContinuousClock.Instant) async throws -> Account

    /// Everything that the account holds; empty means that it holds nothing.
    func positions(by deadline: ContinuousClock.Instant) async throws -> [Position]

    /// The account's equity over time.
    ///
    /// - Parameter interval: the distance of two points; nil leaves the choice to the provider. What it does not
    ///   have is `unsupported`.
    func history(
        _ range: HistoryRange, interval: Interval?, by deadline: ContinuousClock.Instant
    ) async throws -> EquityHistory
}

/// Knows the latest prices of instruments.
package protocol QuoteSource: Sendable {
    /// How many symbols one call may ask for; at least 1.
    var symbolsPerCall: Int { get }

    /// The latest prices; a symbol that the source does not know is not among them.
    ///
    /// - Parameter symbols: each once, at most `symbolsPerCall`.
    func quotes(
        for symbols: [Symbol], by deadline: ContinuousClock.Instant
    ) async throws -> [Symbol: Quote]
}
