package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// The front door: GraphQL over HTTP/1.1 for one service.
///
/// ```swift
/// let server = try await Server.start(configuration, service: service, logger: logger)
/// print("http://\(server.host):\(server.port)/graphql")
/// try await server.run()
/// ```
package final class Server: Service {
    /// The address that it listens on.
    package let host: String
    /// The port that it listens on: the one that was found where 0 was asked for.
    package let port: Int
    private let listener: any Channel
    private let state: ServerState

    /// Listens, and answers from then on; `run` must follow.
    ///
    /// Connections live on the event loops of the group, each on one. Requests are logged at the level `debug`,
    /// failures at `error`; neither tokens nor queries are.
    ///
    /// - Throws: `ServerStartFailure`.
    package static func start<Session>(
        _ configuration: ServerConfiguration, service: GraphQLService<Session>,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger
    ) async throws(ServerStartFailure) -> Server {
        let state = ServerState(
            router: Router(service, limits: configuration.limits), limits: configuration.limits,
            logger: logger)
        do {
            let listener = try await listen(configuration, state, group)
            guard let address = listener.localAddress, let host = address.ipAddress, let port = address.port
            else {
                throw ChannelError.unknownLocalAddress
            }
            return Server(host: host, port: port, listener: listener, state: state)
        } catch {
            throw ServerStartFailure(
                host: configuration.host, port: configuration.port, reason: reason(for: error))
        }
    }

    private init(host: String, port: Int, listener: any Channel, state: ServerState) {
        self.host = host
        self.port = port
        self.listener = listener
        self.state = state
    }

    /// Serves until graceful shutdown begins or the task is cancelled, then drains and returns.
    ///
    /// Draining: no new connection is taken, idle ones are closed, requests that have begun are answered, and what
    /// has no answer within `ServerLimits.drainTimeout` is cancelled.
    ///
    /// - Throws: what closed the listening socket, where nobody asked for it.
    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await listener.closeFuture.get()
        } onCancelOrGracefulShutdown: { [listener] in
            listener.close(promise: nil)
        }
        await state.connections.drain(within: state.limits.drainTimeout, on: listener.eventLoop)
    }

    // MARK: - Listening

    private static func listen(
        _ configuration: ServerConfiguration, _ state: ServerState, _ group: any EventLoopGroup
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try addHandlers(to: channel, state) }
            }
            .bind(host: configuration.host, port: configuration.port).get()
    }

    /// The codec is NIO's; another one takes its place by firing the same parts.
    private static func addHandlers(to channel: any Channel, _ state: ServerState) throws {
        let connection = ConnectionHandler(state)
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes, limitConfiguration: state.limits.decoderLimits)
        try channel.pipeline.syncOperations.addHandlers([
            ArrivalGate(connection), ByteToMessageHandler(decoder), connection,
        ])
    }

    private static func reason(for error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return SystemError.text(of: error.errnoCode)
    }
}

extension ServerLimits {
    /// The bounds of the codec: it counts the target among the fields, and holds one of them at a time.
    fileprivate var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderListSize = uri + headers
        decoder.maxHeaderFieldSize = uri + headers
        decoder.maxHeaderFieldCount = headerFields
        return decoder
    }
}
