package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization

/// The client of a WebSocket to a provider (RFC 6455).
///
/// Messages are received in order. Pings are answered automatically. Nothing is read from the connection while no task
/// receives: the server has to wait, and memory is bounded.
///
/// ```swift
/// let socket = try await WebSocketConnection.open(url, headers: headers, before: deadline)
/// defer { socket.close() }
/// try await socket.send(.text("{\"action\":\"listen\"}"))
/// while true { handle(try await socket.receive()) }
/// ```
package final class WebSocketConnection: Sendable {
    private let channel: any Channel
    private let queue: WebSocketReceiveQueue

    init(_ channel: any Channel, _ queue: WebSocketReceiveQueue) {
        self.channel = channel
        self.queue = queue
    }

    deinit {
        channel.close(promise: nil)
    }

    /// The next message.
    ///
    /// - Throws: why the connection has ended, once all messages have been received that came before; `cancelled` with the
    ///   task, which loses no message.
    package func receive() async throws(WebSocketError) -> WebSocketMessage {
        try await queue.receive { channel.read() }
    }

    /// Sends a message, and returns when it has been handed to the network.
    ///
    /// - Throws: why the connection has ended.
    package func send(_ message: WebSocketMessage) async throws(WebSocketError) {
        if let end = queue.end { throw end }
        let frame = WebSocketConnection.frame(of: message)
        do {
            try await channel.writeAndFlush(frame).get()
        } catch {
            throw queue.end ?? .interrupted
        }
    }

    /// Closes the connection with a close frame; pending and later receives throw
    /// ``WebSocketError/closedHere``.
    ///
    /// - Parameter code: The status code (RFC 6455, section 7.4); 1000 for a normal closure.
    package func close(code: Int = 1_000) {
        let code = (1_000...4_999).contains(code) ? code : 1_000
        channel.triggerUserOutboundEvent(WebSocketCloseRequest(code: code), promise: nil)
    }

    /// The reason why the connection has ended; nil while it is open.
    package var end: WebSocketError? { queue.end }
}

extension WebSocketConnection {
    /// Opens a connection, through the proxy that REST calls use, and switches to the WebSocket protocol.
    ///
    /// - Parameters:
    ///   - url: `https` for `wss`, `http` for `ws`.
    ///   - headers: Additional headers of the request.
    ///   - deadline: The connection must be open by then.
    ///   - limits: The limits.
    ///   - trustedRoots: A file of certificates in PEM that replaces the system's.
    ///   - environment: Returns the variables of the environment, which name the proxy; see ``OutgoingProxy``.
    ///   - group: The event loops.
    /// - Returns: The open connection.
    /// - Throws: The reason why it could not be opened.
    package static func open(
        _ url: HTTPURL, headers: HTTPClientHeaders = HTTPClientHeaders(),
        before deadline: ContinuousClock.Instant,
        limits: WebSocketLimits = WebSocketLimits(), trustedRoots: String? = nil,
        environment: @Sendable (String) -> String? = OutgoingProxy.environment,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws(WebSocketError) -> WebSocketConnection {
        let proxy = try proxy(for: url, environment)
        let attempt = WebSocketConnector(
            url: url, headers: headers, limits: limits, tls: try tls(for: url, trustedRoots), proxy: proxy,
            proxyTLS: try proxy.flatMap { proxy throws(WebSocketError) in
                try tls(for: proxy.url, trustedRoots)
            })
        let remaining = TimeAmount(ContinuousClock.now.duration(to: deadline))
        guard remaining > .zero else { throw .timedOut }
        let alarm = group.next().scheduleTask(in: remaining) { attempt.fail(.timedOut) }
        defer { alarm.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await attempt.open(on: group, connectTimeout: remaining)
            } onCancel: {
                attempt.fail(.cancelled)
            }
        } catch {
            throw attempt.reason(error)
        }
    }

    static func frame(of message: WebSocketMessage) -> WebSocketFrame {
        let opcode: WebSocketOpcode =
            switch message.kind {
            case .text: .text
            case .binary: .binary
            }
        return WebSocketFrame(
            fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: message.bytes))
    }

    private static func proxy(
        for url: HTTPURL, _ environment: (String) -> String?
    ) throws(WebSocketError) -> OutgoingProxy? {
        do throws(OutgoingProxy.Unusable) {
            return try OutgoingProxy(for: url, in: environment)
        } catch {
            throw .proxyRejected(status: nil)
        }
    }

    private static func tls(for url: HTTPURL, _ roots: String?) throws(WebSocketError) -> NIOSSLContext? {
        guard url.isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let roots { configuration.trustRoots = .file(roots) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .tls
        }
    }
}

/// One attempt to open a WebSocket.
private final class WebSocketConnector: Sendable {
    private enum Upgrade {
        case done(WebSocketConnection)
        case rejected(EventLoopFuture<WebSocketError>)
    }

    private struct State {
        var channel: (any Channel)?
        var reason: WebSocketError?
    }

    private let url: HTTPURL
    private let headers: HTTPClientHeaders
    private let limits: WebSocketLimits
    private let tls: NIOSSLContext?
    private let proxy: OutgoingProxy?
    private let proxyTLS: NIOSSLContext?
    /// A lock, because the task of the reader can be cancelled on any thread.
    private let state = Mutex(State())

    init(
        url: HTTPURL, headers: HTTPClientHeaders, limits: WebSocketLimits, tls: NIOSSLContext?,
        proxy: OutgoingProxy?, proxyTLS: NIOSSLContext?
    ) {
        self.url = url
        self.headers = headers
        self.limits = limits
        self.tls = tls
        self.proxy = proxy
        self.proxyTLS = proxyTLS
    }

    func open(on group: any EventLoopGroup, connectTimeout: TimeAmount) async throws -> WebSocketConnection {
        let upgrade = try await ClientBootstrap(group: group)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: proxy?.url.hostName ?? url.hostName, port: proxy?.port ?? url.port) { channel in
                self.begin(channel)
            }
        switch try await upgrade.get() {
        case .done(let connection): return connection
        case .rejected(let refusal): throw try await refusal.get()
        }
    }

    /// Ends the attempt; the first reason stays.
    func fail(_ reason: WebSocketError) {
        let channel = state.withLock { state in
            if state.reason == nil { state.reason = reason }
            return state.channel
        }
        channel?.close(promise: nil)
    }

    /// The error of the WebSocket for an error of the connection.
    func reason(_ error: any Error) -> WebSocketError {
        if let reason = state.withLock({ $0.reason }) { return reason }
        switch error {
        case let error as WebSocketError: return error
        case let error as NIOConnectionError:
            return error.dnsAError != nil && error.dnsAAAAError != nil ? .couldNotResolve : .couldNotConnect
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return .tls
        case ChannelError.connectTimeout: return .timedOut
        case is HTTPParserError, is NIOHTTPClientUpgradeError: return .protocolViolation
        default: return .couldNotConnect
        }
    }

    private func begin(_ channel: any Channel) -> EventLoopFuture<EventLoopFuture<Upgrade>> {
        let isOver = state.withLock { state in
            state.channel = channel
            return state.reason != nil
        }
        if isOver { return channel.eventLoop.makeFailedFuture(WebSocketError.cancelled) }
        return channel.eventLoop.makeCompletedFuture {
            guard let proxy else { return try self.upgrade(channel) }
            return try self.openTunnel(on: channel, through: proxy)
                .flatMap { channel.pipeline.removeHandler(name: Self.tunnelName) }
                .flatMapThrowing { try self.upgrade(channel) }
                .flatMap { $0 }
        }
    }

    private static let tunnelName = "proxy tunnel"

    /// Returns a future that succeeds when a tunnel is open.
    private func openTunnel(
        on channel: any Channel, through proxy: OutgoingProxy
    ) throws -> EventLoopFuture<Void> {
        if let proxyTLS {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: proxyTLS, serverHostname: proxy.url.serverName))
        }
        let opened = channel.eventLoop.makePromise(of: Void.self)
        try channel.pipeline.syncOperations.addHandler(
            ProxyTunnelHandler(to: url, through: proxy, opened), name: Self.tunnelName)
        return opened.futureResult
    }

    /// Sends the request of the WebSocket on an open connection to the server.
    private func upgrade(_ channel: any Channel) throws -> EventLoopFuture<Upgrade> {
        if let tls {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: url.serverName))
        }
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration())
        // A server can send its first frame together with its response: these bytes are messages.
        pipeline.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: pipeline)
    }

    private func configuration() -> NIOTypedHTTPClientUpgradeConfiguration<Upgrade> {
        var fields = NIOHTTP1.HTTPHeaders()
        fields.add(name: "Host", value: url.authority)
        for field in headers.fields { fields.add(name: field.name, value: field.value) }
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(
            maxFrameSize: min(limits.frameBytes, Int(UInt32.max)), enableAutomaticErrorHandling: false
        ) { channel, _ in
            self.changeOver(channel)
        }
        return NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(
                version: .http1_1, method: .GET, uri: url.target, headers: fields),
            upgraders: [upgrader]
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let refusal = channel.eventLoop.makePromise(of: WebSocketError.self)
                try channel.pipeline.syncOperations.addHandler(WebSocketRejectionHandler(refusal))
                return .rejected(refusal.futureResult)
            }
        }
    }

    private func changeOver(_ channel: any Channel) -> EventLoopFuture<Upgrade> {
        channel.eventLoop.makeCompletedFuture {
            let queue = WebSocketReceiveQueue(capacity: limits.waitingMessages)
            try channel.pipeline.syncOperations.addHandlers([
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: limits.messageFrames,
                    maxAccumulatedFrameSize: limits.messageBytes),
                WebSocketHandler(queue, limits),
            ])
            return .done(WebSocketConnection(channel, queue))
        }
    }
}

/// Reads the status with which a server rejects the upgrade, and the time of the next attempt.
private final class WebSocketRejectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let rejection: EventLoopPromise<WebSocketError>

    init(_ refusal: EventLoopPromise<WebSocketError>) {
        self.rejection = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let retryAfter = head.headers.first(name: "Retry-After").flatMap(RetryAfter.init)
        rejection.succeed(.rejected(status: Int(head.status.code), retryAfter: retryAfter))
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        rejection.fail(WebSocketError.interrupted)
    }
}
