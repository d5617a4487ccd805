package import Brokerage

/// Finds instruments, and knows what they are.
package protocol InstrumentSource: Sendable {
    /// Instruments by ticker or company name, best match first, at most `limit`.
    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> [SearchHit]

    /// An instrument.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for one that the source does not know.
    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument
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
