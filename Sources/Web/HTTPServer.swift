package import Cryptography
package import Logging
import NIOCore
import NIOPosix
import NIOSSL
import PorticoCore
import ServiceLifecycle
import Synchronization

/// The HTTP server of one GraphQL service: HTTP/1.1, and with a certificate TLS and HTTP/2.
///
/// ```swift
/// let server = try await HTTPServer.start(configuration, service: service, logger: logger)
/// print("\(server.origin)/graphql")
/// try await server.run()
/// ```
package final class HTTPServer: Service {
    /// The address that it listens on.
    package let host: String
    /// The port on which it listens; the chosen one if 0 was configured.
    package let port: Int
    /// Scheme, address and port, as at the beginning of its URLs.
    package var origin: String { "http\(identity == nil ? "" : "s")://\(URLAuthority.host(host)):\(port)" }
    private let listener: any Channel
    package let state: ServerState
    private let identity: TLSIdentity?
    /// The event loops of all servers of the process.
    private static let group = MultiThreadedEventLoopGroup.singleton

    /// Starts listening and handling requests; `run` must follow.
    ///
    /// Each connection is on one event loop. Requests are logged at the level `debug`, failures at `error`;
    /// tokens and queries are not. Routes in addition to the service's are given by their paths.
    /// With a key, ``clientLimits`` can be merged with those of other replicas that have the same key.
    ///
    /// - Throws: `ServerStartError`, and `TLSError` if the TLS files cannot be used.
    package static func start(
        _ configuration: ServerConfiguration, service: GraphQLService,
        routes: [String: any Route] = [:], sharingLimitsWith key: SymmetricKey? = nil, logger: Logger
    ) async throws -> HTTPServer {
        let identity = try configuration.tls.map {
            try TLSIdentity($0, closeTimeout: configuration.limits.lingerTimeout)
        }
        let load = ServerResources(configuration.limits, sharingLimitsWith: key)
        let router = Router(service, configuration, load, others: routes, logger: logger)
        let server = try await start(configuration, router, load, identity, logger)
        load.lag.watch(group)
        return server
    }

    /// The limits of clients by address and by token.
    package var clientLimits: ClientRateLimits { state.load.quota }

    /// Starts the admin port: health, metrics and memory of a server, without TLS.
    ///
    /// It has limits of its own, so that probes are answered while clients use up those of the public port.
    /// Metrics are sent to every client. Routes in addition to these are given by their paths.
    ///
    /// - Throws: `ServerStartError`.
    package func startAdmin(
        _ configuration: ServerConfiguration, service: GraphQLService, routes: [String: any Route] = [:]
    ) async throws -> HTTPServer {
        let load = ServerResources(configuration.limits)
        let router = Router(
            adminOf: state, service, hosts: configuration.hosts, quota: load.quota, others: routes)
        return try await HTTPServer.start(configuration, router, load, nil, state.logger)
    }

    private static func start(
        _ configuration: ServerConfiguration, _ router: Router, _ load: ServerResources,
        _ identity: TLSIdentity?, _ logger: Logger
    ) async throws -> HTTPServer {
        do {
            let state = ServerState(
                configuration, router: router, load: load, flushRounds: try await FlushBatchers(group),
                logger: logger)
            let listener = try await listen(configuration, state, identity)
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

    /// Announces a graceful shutdown some time before it begins, so that load balancers use other servers.
    ///
    /// Until then all requests are served. Readiness is 503, and the response to each request ends its connection
    /// (in HTTP/2 by GOAWAY); when the shutdown begins, new connections are refused.
    package func announceShutdown() { state.load.connections.announceShutdown() }

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
        _ configuration: ServerConfiguration, _ state: ServerState, _ identity: TLSIdentity?
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // With TLS the end of a client's side is a message of the protocol, and NIO's handler responds
            // to it.
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

/// The objects that all connections of a server share.
package final class ServerState: Sendable {
    let configuration: ServerConfiguration
    let limits: ServerLimits
    let router: Router
    package let load: ServerResources
    let logger: Logger
    let requestIDs = RequestIDGenerator()
    let date = DateHeaderCache()
    let flushRounds: FlushBatchers
    private let hasReportedProxy = Atomic(false)

    init(
        _ configuration: ServerConfiguration, router: Router, load: ServerResources,
        flushRounds: FlushBatchers,
        logger: Logger
    ) {
        self.configuration = configuration
        limits = configuration.limits
        self.router = router
        self.load = load
        self.flushRounds = flushRounds
        self.logger = logger
    }

    /// Reports once that a proxy forwards requests and does not name its clients, or is not trusted to do so.
    @Sendable
    func reportProxy() {
        guard !hasReportedProxy.exchange(true, ordering: .relaxed) else { return }
        let proxies = configuration.trustedProxies
        guard proxies == 0 else {
            logger.warning(
                """
                A proxy forwards a request and does not name its client: X-Forwarded-For, Forwarded or X-Real-IP must have \
                an address from each trusted proxy, and two of these fields the same one. All such requests of a proxy \
                count as one address. Correct the proxy, or trusted-proxies (PORTICO_TRUSTED_PROXIES), which is \(proxies).
                """)
            return
        }
        logger.warning(
            """
            A request has X-Forwarded-For or another field of a proxy, and no proxy is trusted to name its clients: all \
            clients of a proxy count as one address. If Portico is behind proxies, set trusted-proxies (PORTICO_TRUSTED_PROXIES) to the number of proxies that add to \
            X-Forwarded-For.
            """)
    }
}

/// The configuration of the HTTP server: address, behaviour and limits.
package struct ServerConfiguration: Sendable, Hashable {
    /// A name or an address; `0.0.0.0` and `::` are every one of the machine.
    package var host: String
    /// 0 to 65,535; 0 takes a free one.
    package var port: Int
    package var limits: ServerLimits
    /// The files for TLS and HTTP/2; nil for a server without TLS.
    package var tls: TLSFiles?
    /// Whether queries are accepted with GET.
    package var allowsGET = true
    /// Whether `/schema.graphql` shows the schema.
    package var showsSchema = true
    /// Whether responses list their upstream calls for clients that request it.
    package var allowsUpstreamReports = true
    /// The hosts whose requests are accepted.
    package var hosts = HostPolicy.any
    /// The origins whose pages may read responses.
    package var cors = CORSPolicy()
    package var compression = CompressionPolicy()
    /// The clients that may read `/metrics`.
    package var metricsAudience = MetricsAudience.thisMachine
    /// Whether each response is logged at the level `info`, with its operation's name and hash, instead of
    /// `debug`.
    package var logsResponses = false
    /// The number of trusted proxies, which name the clients of requests; 0 for none.
    package var trustedProxies = 0

    package init(host: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }

    /// The level at which responses are logged.
    var responseLogLevel: Logger.Level { logsResponses ? .info : .debug }

    /// The configuration for a public server: no schema, no list of upstream calls, and no GET, because caches and
    /// histories store URLs.
    ///
    /// Introspection and suggestions are disabled in the engine.
    package var inProduction: ServerConfiguration {
        var configuration = self
        configuration.allowsGET = false
        configuration.showsSchema = false
        configuration.allowsUpstreamReports = false
        return configuration
    }
}

/// Closes a connection without TLS when its client has stopped sending, after the responses that were
/// created and not yet flushed.
///
/// Without it the channel would close when the end arrives together with a request, before its response is
/// flushed. It is before all other handlers, which see a normal end of the connection.
final class HalfCloseHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.channel.pipeline.syncOperations.flush()
        context.close(promise: nil)
    }
}
