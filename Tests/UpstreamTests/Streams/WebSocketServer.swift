import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization
import TestSupport

/// A WebSocket server on this machine, whose one connection a test holds by hand.
final class WebSocketServer: Sendable {
    let port: Int
    private let listener: any Channel
    private let frames = AsyncStream<WebSocketFrame>.makeStream()
    /// The client's connection: the client may have the server's response before the server has changed over.
    private let client = Event<any Channel>()
    private let head = Mutex<HTTPRequestHead?>(nil)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - accepts: whether it changes over; else it answers 404.
    ///   - certificate: speaks TLS with it; nil for plain text.
    /// - Returns: the server, listening.
    /// - Throws: what the system says against it.
    static func start(
        accepts: Bool = true, certificate: ThrowawayCertificate? = nil
    ) async throws -> WebSocketServer {
        let holder = Holder()
        let tls = try certificate.map { certificate in
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.certificate)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.key, format: .pem))))
        }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader(
                    shouldUpgrade: { channel, head in
                        holder.server?.head.withLock { $0 = head }
                        return channel.eventLoop.makeSucceededFuture(accepts ? [:] : nil)
                    },
                    upgradePipelineHandler: { channel, _ in
                        channel.pipeline.removeHandler(name: "refusal").flatMapThrowing {
                            guard let server = holder.server else { return }
                            try channel.pipeline.syncOperations.addHandler(
                                FrameReader(server.frames.continuation))
                            server.client.happen(channel)
                        }
                    })
                return channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                }
                .flatMap {
                    channel.pipeline.configureHTTPServerPipeline(
                        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
                }
                .flatMap {
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Refusal(), name: "refusal")
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = WebSocketServer(listener, port: listener.localAddress?.port ?? 0)
        holder.server = server
        return server
    }

    private init(_ listener: any Channel, port: Int) {
        self.listener = listener
        self.port = port
    }

    var requestHead: HTTPRequestHead? { head.withLock { $0 } }

    func send(
        _ opcode: WebSocketOpcode, _ bytes: [UInt8], fin: Bool = true, rsv1: Bool = false,
        masked: Bool = false
    )
        async throws
    {
        let frame = WebSocketFrame(
            fin: fin, rsv1: rsv1, opcode: opcode, maskKey: masked ? .random() : nil,
            data: ByteBuffer(bytes: bytes))
        try await client.wait().writeAndFlush(frame).get()
    }

    /// The next frame of the client.
    func receive() async -> (opcode: WebSocketOpcode, bytes: [UInt8], isMasked: Bool)? {
        var iterator = frames.stream.makeAsyncIterator()
        guard let frame = await iterator.next() else { return nil }
        return (frame.opcode, Array(frame.unmaskedData.readableBytesView), frame.maskKey != nil)
    }

    /// Breaks the connection without a word.
    func disconnect() async throws {
        try await client.wait().close().get()
    }

    func stop() async throws {
        if client.hasHappened { try? await disconnect() }
        try await listener.close().get()
    }

    /// Known to the handlers once it has started.
    private final class Holder: Sendable {
        private let value = Mutex<WebSocketServer?>(nil)
        var server: WebSocketServer? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    private final class FrameReader: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        private let frames: AsyncStream<WebSocketFrame>.Continuation

        init(_ frames: AsyncStream<WebSocketFrame>.Continuation) { self.frames = frames }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { frames.yield(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) { frames.finish() }
    }

    private final class Refusal: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .notFound))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
