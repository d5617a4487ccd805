import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP/1.1 server for one answering function, and one that opens WebSockets.
///
/// Small on purpose: it stands in for others' servers on the machine's own network, and is no front door.
final class SandboxServer: Sendable {
    private let listener: any Channel
    private let connections: SandboxConnections

    /// The address that it listens on, with the port that was chosen where 0 was asked for.
    let address: SocketAddress

    /// How long ``stop()`` waits for answers in the making.
    static let grace = TimeAmount.seconds(2)

    /// Listens; throws what the system says when the address is not to be had.
    init(
        host: String, port: Int, logger: Logger,
        open: @escaping @Sendable (SandboxRequest) async -> WebSocketUpgradeDecision?,
        respond: @escaping @Sendable (SandboxRequest) async -> SandboxResponse
    ) async throws {
        let connections = SandboxConnections()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrades = WebSocketUpgrader(open)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: upgrades.configuration, withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(
                        SandboxConnectionHandler(
                            connections: connections, logger: logger, upgrades: upgrades, respond: respond))
                }
            }
            .bind(host: host, port: port).get()
        self.connections = connections
        guard let address = listener.localAddress else {
            try? await listener.close()
            throw ChannelError.unknownLocalAddress
        }
        self.address = address
    }

    /// Takes no more connections, lets answers in the making be finished, closes what is left when time is
    /// over.
    func stop(within grace: Duration) async {
        try? await listener.close()
        await connections.drain(within: TimeAmount(grace), on: listener.eventLoop)
    }
}
