import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// An HTTP proxy on this machine that opens tunnels (CONNECT) to one port, whatever the target is.
final class ConnectProxy: Sendable {
    let port: Int
    private let listener: any Channel
    private let log: Log

    /// The heads of the requests, without the line ends at their end.
    var requests: [String] { log.requests }

    /// - Parameters:
    ///   - port: The port of this machine to which tunnels lead.
    ///   - status: The status line without the version; another one than 2xx opens no tunnel.
    ///   - certificate: The certificate of a proxy that speaks TLS; nil for plain text.
    /// - Throws: The error of the certificate or of the socket.
    init(
        to port: Int, status: String = "200 Connection established", certificate: ThrowawayCertificate? = nil
    ) async throws {
        let log = Log()
        let tls = try certificate.map { certificate in
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.certificate)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.key, format: .pem))))
        }
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        Tunnel(to: port, status: status) { head in log.add(head) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = listener.localAddress?.port ?? 0
        self.log = log
    }

    func stop() async throws {
        try await listener.close()
    }

    /// What was requested, on the event loop of the connection.
    private final class Log: Sendable {
        private let heads = Mutex<[String]>([])

        var requests: [String] { heads.withLock(\.self) }

        func add(_ head: String) {
            heads.withLock { $0.append(head) }
        }
    }
}

/// One end of a tunnel: reads the request, connects, and passes bytes on.
private final class Tunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private let status: String
    private let log: @Sendable (String) -> Void
    private var head = ByteBuffer()
    private var other: (any Channel)?
    private var isOpening = false

    init(to port: Int, status: String, _ log: @escaping @Sendable (String) -> Void) {
        self.port = port
        self.status = status
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let other { return other.writeAndFlush(bytes, promise: nil) }
        head.writeBuffer(&bytes)
        let text = String(buffer: head)
        guard !isOpening, let end = text.firstRange(of: "\r\n\r\n") else { return }
        isOpening = true
        log(String(text[..<end.lowerBound]))
        let answer = ByteBuffer(string: "HTTP/1.1 \(status)\r\nX-Proxy: test\r\n\r\n")
        guard status.hasPrefix("2") else {
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            return context.close(promise: nil)
        }
        let (near, bound) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(Return(to: near))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenSuccess { far in
                bound.value.other = far
                near.writeAndFlush(answer, promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private final class Return: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let near: any Channel

        init(to near: any Channel) { self.near = near }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            near.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            near.close(promise: nil)
        }
    }
}
