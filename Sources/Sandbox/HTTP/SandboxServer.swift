import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import PorticoCore
import Synchronization

/// An HTTP/1.1 server for one request handler, and one WebSocket handler.
///
/// It is not the server of the target Web, which never truncates a body, closes a connection without a response or delays one:
/// this one must, to simulate faults. A mistake about HTTP in a common server would be on both sides of each test. It has few
/// features, since it replaces the providers' servers on a local network only.
final class SandboxServer: Sendable {
    private let listener: any Channel
    private let connections: SandboxConnections

    /// The address that it listens on, with the chosen port if 0 was configured.
    let address: SocketAddress

    /// Starts to listen; throws the system's error if the address is not available.
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

    /// Accepts no more connections, waits for running responses, and closes the remaining connections after
    /// the grace time.
    func stop(within grace: Duration) async {
        try? await listener.close()
        await connections.drain(within: TimeAmount(grace), on: listener.eventLoop)
    }
}

/// The open connections of a server, for closing them.
///
/// It uses a lock: connections open and close on several event loops.
final class SandboxConnections: Sendable {
    private let state = Mutex(State())

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isDraining = false
    }

    /// Returns false if the server is stopping; the connection is not added then.
    func add(_ channel: any Channel) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isDraining else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        // The connection may have become a WebSocket by then.
        if isAdded { channel.closeFuture.whenComplete { [self] _ in remove(channel) } }
        return isAdded
    }

    private func remove(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Requests every connection to close when it is idle, and closes the rest after the grace time.
    func drain(within grace: TimeAmount, on eventLoop: any EventLoop) async {
        let channels = state.withLock { state in
            state.isDraining = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(SandboxDrainEvent()) }
        let deadline = eventLoop.scheduleTask(in: grace) {
            for channel in channels { channel.close(promise: nil) }
        }
        for channel in channels { try? await channel.closeFuture.get() }
        deadline.cancel()
    }
}

/// An event that signals a connection that the server is stopping.
struct SandboxDrainEvent: Sendable {}

extension SocketAddress {
    /// `127.0.0.1:8081`, as in a URL; a wildcard address is replaced by the loopback address.
    var authority: String { URLAuthority.local(ipAddress ?? "localhost", port: port ?? 0) }

    /// True for an address of this machine: 127.0.0.0/8, ::1, or an IPv4-mapped form of the former.
    package var isLoopback: Bool {
        guard let text = ipAddress else { return false }
        return text.hasPrefix("127.") || text == "::1" || text.hasPrefix("::ffff:127.")
    }
}
