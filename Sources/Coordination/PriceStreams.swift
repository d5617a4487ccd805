package import Brokerage
package import Upstream

/// The streams of prices with the server's own credentials.
///
/// - One process has the connection of a stream, because providers accept one for each credential; all processes get its
///   prices, of the symbols that any of them wants.
/// - After the loss of the connected process, another one is connected within 20 s; meanwhile prices are polled.
/// - Without Redis, prices are polled. Without the database, the connected process continues until another one is connected.
package protocol PriceStreams: CoordinationPart {
    /// The stream of a provider that all processes share.
    func shared(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment
    ) -> any QuoteStream
}
