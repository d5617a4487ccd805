package import Brokerage

/// Knows the news.
package protocol NewsSource: Sendable {
    /// Articles, newest first.
    ///
    /// - Parameters:
    ///   - symbols: what they are to be about, any of these; nil for everything.
    ///   - limit: how many at most, 1 to 100.
    ///   - next: `ArticlePage.next` of the page before; nil for the newest.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the page, and where the next one begins.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for a `next` that is none of the provider's.
    func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in call: CallContext
    ) async throws(ProviderFailure) -> ArticlePage
}

/// Knows whether its main market trades.
package protocol ClockSource: Sendable {
    func clock(in call: CallContext) async throws(ProviderFailure) -> MarketClock
}
