import NIOCore
import NIOHTTP1
import NIOPosix

/// The floor: a server on the same channels and NIO's HTTP codec that does nothing but send bytes which it has, by the
/// length of the request's body.
struct BareServer {
    private let channel: any Channel

    var port: Int? { channel.localAddress?.port }

    /// Returns when it is closed.
    func run() async throws {
        try await channel.closeFuture.get()
    }

    /// Listens on 127.0.0.1, and has the bodies of its answers by the lengths of the bodies of their questions.
    static func start(port: Int, answers: [Int: [UInt8]]) async throws -> BareServer {
        let answers = answers.mapValues { ByteBuffer(bytes: $0) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: false, withErrorHandling: false)
                    try pipeline.addHandler(BareHandler(answers))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return BareServer(channel: channel)
    }
}

/// Answers each request with the bytes for the length of its body, in as many fields as Portico's answers have.
private final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answers: [Int: ByteBuffer]
    private var body = ByteBuffer()
    private var head = HTTPResponseHead(version: .http1_1, status: .notFound)

    init(_ answers: [Int: ByteBuffer]) {
        self.answers = answers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request): choose(request)
        case .body: break
        case .end:
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.write(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private func choose(_ request: HTTPRequestHead) {
        let length = request.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        body = answers[length] ?? ByteBuffer()
        head.status = answers[length] == nil ? .notFound : .ok
        head.headers = [
            "content-type": "application/json; charset=utf-8", "content-length": "\(body.readableBytes)",
            "date": "Sat, 21 Nov 2026 21:30:00 GMT", "x-request-id": "0123456789abcdef",
        ]
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }
}
