package import Brokerage
package import Upstream

extension SaxoClient: QuoteStream {
    /// As many as one list of prices may have; the documents name no bound of a connection.
    package var symbolLimit: Int? { configuration.pricesPerCall }

    /// Streams prices over one streaming context: a list of prices for each AssetType, and a WebSocket with
    /// their changes.
    ///
    /// A broken WebSocket is opened again a limited number of times, and Saxo continues after the last
    /// message; nothing is lost, so subscribers are not informed. A symbol that Saxo does not know is not
    /// followed.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        guard let url = configuration.streamingURL else { throw ProviderFailure(.saxo, .unsupported) }
        throw await streams.run(.prices, of: self, at: url) { session in
            await self.takeTradeLevel(in: session.context)
            session.followPrices(deliver)
            for await symbols in wanted {
                let listings = await self.streamedListings(for: Array(symbols), in: session.context)
                session.follow(listings.found.map { $1.named($0) })
                // A symbol that Saxo rejects does not affect the others; other failures are retried with the
                // next stream.
                for failure in listings.failures.values where failure.cause != .unsupported {
                    return failure
                }
            }
            // No symbol is requested, or the task was cancelled.
            return SaxoStreamSession.cancelled
        }
    }
}
