package import Brokerage
package import Upstream

extension SaxoClient: QuoteStream {
    /// As many as one list of prices may have; the documents name no bound of a connection.
    package var symbolLimit: Int? { configuration.pricesPerCall }

    /// Follows prices over one streaming context: a list of prices for each AssetType, and a WebSocket that tells what
    /// changes in them.
    ///
    /// A WebSocket that breaks is opened again a few times, and Saxo goes on behind the last message; so nothing is lost,
    /// and nobody is told. A symbol that Saxo does not know is not followed.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        guard let url = configuration.streamingURL else { throw ProviderFailure(.saxo, .unsupported) }
        throw await SaxoStreamSession(of: self, at: url, deliver: deliver).run(wanted)
    }
}
