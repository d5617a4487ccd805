package import Brokerage
package import Coordination
import Synchronization
package import Upstream

/// The stream of a provider for the one process that holds the lease of its key.
///
/// Providers accept one connection for a key. The other processes are not connected, so that their feeds poll prices,
/// within the quota. A lease that is lost ends the connection, and the feed waits for the lease again.
package struct LeasedQuoteStream: QuoteStream {
    private let stream: any QuoteStream
    private let leases: any Leases
    private let name: String
    private let clock: TimeSource

    /// - Parameters:
    ///   - stream: The provider's stream.
    ///   - source: The source of the stream: its key is the one of the lease.
    ///   - leases: The leases of all processes.
    ///   - clock: The clock of this process.
    package init(
        _ stream: any QuoteStream, of source: MarketDataSource, under leases: any Leases, clock: TimeSource
    ) {
        (self.stream, self.leases, self.clock) = (stream, leases, clock)
        let key =
            switch source.audience {
            case .everybody: "server"
            case .owner(_, let connection): connection
            }
        name = "stream/\(source.provider.name.text)/\(source.environment.rawValue)/\(key)"
    }

    package var symbolLimit: Int? { stream.symbolLimit }

    /// Waits for the lease, then runs one connection until it fails or the lease is lost.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        // The work's task sets it.
        let failure = Mutex<ProviderFailure?>(nil)
        await leases.holdOnce(name, clock: clock) { _ in
            do throws(ProviderFailure) {
                try await stream.run(wanted, deliver: deliver)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
