import Logging
package import NIOCore
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

/// The open connections of a server, so that it can close them.
///
/// A lock, because connections come and go on the event loops of their own.
final class SandboxConnections: Sendable {
    private let state = Mutex(State())

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isDraining = false
    }

    /// False when the server is stopping and takes no more.
    func add(_ channel: any Channel) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isDraining else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        // Whatever handles the connection by then.
        if isTaken { channel.closeFuture.whenComplete { [self] _ in remove(channel) } }
        return isTaken
    }

    private func remove(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Asks every connection to close as soon as it is idle, and closes those that are not when the time is
    /// over.
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

/// Tells a connection that the server is stopping.
struct SandboxDrainEvent: Sendable {}

extension SocketAddress {
    /// `127.0.0.1:8081`, as it stands in a URL; a wildcard address is reached through the loopback.
    var authority: String {
        let port = port ?? 0
        switch ipAddress {
        case "0.0.0.0": return "127.0.0.1:\(port)"
        case "::": return "[::1]:\(port)"
        case .some(let address): return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case nil: return "localhost:\(port)"
        }
    }
}

extension SocketAddress {
    /// Whether the peer is on this machine: 127.0.0.0/8, ::1, or the former written as the latter's kind.
    package var isLoopback: Bool {
        guard let text = ipAddress else { return false }
        return text.hasPrefix("127.") || text == "::1" || text.hasPrefix("::ffff:127.")
    }
}
