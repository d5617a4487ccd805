import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
package import TestSupport

/// An HTTP server on a free port, with responses written by the test.
package final class CannedServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let target: String
        package let headers: [String: String]
        package let body: [UInt8]

        /// The body as UTF-8 text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Reply: Sendable {
        package var status = 200
        package var headers: [(String, String)] = []
        package var body: [UInt8] = []
        /// True if the connection is closed instead.
        package var isDisconnect = false
        /// True if nothing is sent.
        package var isSilence = false
        /// Before it happens, nothing is sent.
        package var release: Event<Void>?

        package static func body(_ bytes: [UInt8], status: Int = 200, headers: [(String, String)] = [])
            -> Reply
        {
            Reply(status: status, headers: headers, body: bytes)
        }

        package static func text(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> Reply
        {
            .body(Array(text.utf8), status: status, headers: headers)
        }

        package static let noContent = Reply(status: 204)
        package static let disconnect = Reply(isDisconnect: true)
        package static let silence = Reply(isSilence: true)
    }

    package let url: String
    private let channel: any Channel
    private let log: RequestLog

    /// The requests received so far.
    package var requests: [Request] { log.requests }

    /// Starts the server; `handler` gets each request and its number, counted from 1.
    package init(_ handler: @escaping @Sendable (Request, Int) -> Reply) async throws {
        let log = RequestLog()
        self.log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(CannedHandler(log: log, handler: handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        url = "http://127.0.0.1:\(port)"
    }

    package func stop() async throws {
        try await channel.close()
    }
}

/// The requests of all connections, which run on several threads.
final class RequestLog: Sendable {
    private let entries = Mutex<[CannedServer.Request]>([])

    var requests: [CannedServer.Request] { entries.withLock(\.self) }

    /// Stores a request, and returns its number, counted from 1.
    func add(_ request: CannedServer.Request) -> Int {
        entries.withLock { entries in
            entries.append(request)
            return entries.count
        }
    }
}

/// The handler of one connection.
final class CannedHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let log: RequestLog
    private let handler: @Sendable (CannedServer.Request, Int) -> CannedServer.Reply
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(log: RequestLog, handler: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply) {
        self.log = log
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body += part.readableBytesView
        case .end: reply(context)
        }
    }

    private func reply(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let fields = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        let request = CannedServer.Request(
            method: head.method.rawValue, target: head.uri, headers: fields, body: body)
        let reply = handler(request, log.add(request))
        guard !reply.isDisconnect else { return context.close(promise: nil) }
        guard !reply.isSilence else { return }
        guard let release = reply.release else { return write(reply, context) }
        let released = context.eventLoop.makeFutureWithTask { await release.wait() }
        released.assumeIsolated().whenSuccess { self.write(reply, context) }
    }

    private func write(_ reply: CannedServer.Reply, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(reply.headers)
        headers.replaceOrAdd(name: "Content-Length", value: String(reply.body.count))
        let status = HTTPResponseStatus(statusCode: reply.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
