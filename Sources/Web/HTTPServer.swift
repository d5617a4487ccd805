package import Logging
package import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The front door: GraphQL over HTTP/1.1 for one service, and over TLS and HTTP/2 where it has a certificate.
///
/// ```swift
/// let server = try await Server.start(configuration, service: service, logger: logger)
/// print("http://\(server.host):\(server.port)/graphql")
/// try await server.run()
/// ```
package final class HTTPServer: Service {
    /// The address that it listens on.
    package let host: String
    /// The port that it listens on: the one that was found where 0 was asked for.
    package let port: Int
    private let listener: any Channel
    let state: ServerState
    private let identity: TLSIdentity?

    /// Listens, and answers from then on; `run` must follow.
    ///
    /// Connections live on the event loops of the group, each on one. Requests are logged at the level `debug`,
    /// failures at `error`; neither tokens nor queries are. Other routes than the service's are given by their paths.
    ///
    /// - Throws: `ServerStartError`, and `TLSError` where the files of TLS cannot be used.
    package static func start<Session>(
        _ configuration: ServerConfiguration, service: GraphQLService<Session>,
        routes: [String: any Route] = [:],
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger
    ) async throws -> HTTPServer {
        let identity = try configuration.tls.map {
            try TLSIdentity($0, closeTimeout: configuration.limits.lingerTimeout)
        }
        let load = ServerResources(configuration.limits)
        let router = Router(service, configuration, load, others: routes, logger: logger)
        do {
            let state = ServerState(
                configuration, router: router, load: load, flushRounds: try await FlushBatchers(group),
                logger: logger)
            load.lag.watch(group)
            let listener = try await listen(configuration, state, identity, group)
            guard let address = listener.localAddress, let host = address.ipAddress, let port = address.port
            else {
                throw ChannelError.unknownLocalAddress
            }
            return HTTPServer(host: host, port: port, listener: listener, state: state, identity: identity)
        } catch {
            throw ServerStartError(host: configuration.host, port: configuration.port, error)
        }
    }

    private init(
        host: String, port: Int, listener: any Channel, state: ServerState, identity: TLSIdentity?
    ) {
        self.host = host
        self.port = port
        self.listener = listener
        self.state = state
        self.identity = identity
    }

    /// Serves until graceful shutdown begins or the task is cancelled, then drains and returns.
    ///
    /// Draining: idle connections are closed, requests in flight are finished, and new ones are refused with
    /// 503. A request without a response within `ServerLimits.drainTimeout` is cancelled, and gets 503.
    ///
    /// - Throws: The error that closed the listening socket, unless it was closed on purpose.
    package func run() async throws {
        let renewal = identity.map { identity in
            Task { [state] in await identity.renew(logger: state.logger) }
        }
        defer {
            renewal?.cancel()
            state.load.lag.stop()
        }
        let end = listener.eventLoop.makePromise(of: Void.self)
        listener.closeFuture.cascade(to: end)
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await end.futureResult.get()
        } onCancelOrGracefulShutdown: {
            end.succeed()
        }
        await state.load.connections.drain(listener)
    }

    // MARK: - Listening

    private static func listen(
        _ configuration: ServerConfiguration, _ state: ServerState, _ identity: TLSIdentity?,
        _ group: any EventLoopGroup
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Behind TLS the end of a client's side is a message of its protocol, and NIO's handler answers it.
            .childChannelOption(.allowRemoteHalfClosure, value: identity == nil)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    guard let identity else {
                        try pipeline.addHandler(HalfCloseHandler())
                        return try HTTP1Pipeline.addHandlers(to: channel, state)
                    }
                    try pipeline.addHandlers([
                        NIOSSLServerHandler(context: identity.context), ALPNHandler(state),
                    ])
                }
            }
            .bind(host: configuration.host, port: configuration.port).get()
    }
}
