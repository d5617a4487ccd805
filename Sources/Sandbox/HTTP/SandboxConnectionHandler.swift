import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The handler of one connection: collects a request, processes it in a separate task, writes the response.
///
/// The pipelining handler before it delays the next request until the response is written. The task is
/// cancelled when the client disconnects.
final class SandboxConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The maximum size of a request body, in bytes.
    static let maximumBodySize = 1 << 20

    private let connections: SandboxConnections
    private let logger: Logger
    private let upgrades: WebSocketUpgrader
    private let respond: @Sendable (SandboxRequest) async -> SandboxResponse
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var task: Task<Void, Never>?

    init(
        connections: SandboxConnections, logger: Logger, upgrades: WebSocketUpgrader,
        respond: @escaping @Sendable (SandboxRequest) async -> SandboxResponse
    ) {
        self.connections = connections
        self.logger = logger
        self.upgrades = upgrades
        self.respond = respond
    }

    func channelActive(context: ChannelHandlerContext) {
        guard connections.add(context.channel) else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        task?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A rejected handshake is reported here too; the request itself follows, and gets its response.
        guard !(error is NIOWebSocketUpgradeError) else { return }
        logger.debug("connection failed", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is SandboxDrainEvent else { return context.fireUserInboundEventTriggered(event) }
        if head == nil { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let part):
            guard body.count + part.readableBytes <= Self.maximumBodySize else {
                // Later bytes belong to a request that gets no response.
                return context.close(promise: nil)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end: begin(context: context)
        }
    }

    private func begin(context: ChannelHandlerContext) {
        guard let head else { return }
        if let rejection = upgrades.consumeRejection() { return write(rejection, context: context) }
        guard
            let request = SandboxRequest(
                method: head.method, target: head.uri, headers: head.headers, body: body,
                peer: context.channel.remoteAddress)
        else { return write(.text("Malformed request target\n", status: .badRequest), context: context) }
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        task = Task { [respond] in
            let response = await respond(request)
            eventLoop.execute {
                let (handler, context) = handler.value
                handler.write(response, context: context)
            }
        }
    }

    private func write(_ response: SandboxResponse, context: ChannelHandlerContext) {
        guard let request = head, context.channel.isActive else { return }
        head = nil
        task = nil
        guard response.delivery != .none else { return context.close(promise: nil) }
        // After a request to upgrade, NIO reads no further request, whether or not the upgrade succeeded.
        let isLast =
            !request.isKeepAlive || connections.isDraining || response.delivery == .truncated
            || request.headers.contains(name: "Upgrade")
        var head = HTTPResponseHead(
            version: request.version, status: response.status, headers: response.headers)
        // A 204 has neither body nor length (RFC 9110, section 8.6).
        if response.status != .noContent {
            head.headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
        }
        if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let body =
            response.delivery == .truncated
            ? response.body.prefix(response.body.count / 2) : response.body[...]
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        finish(response.delivery, isLast: isLast, context: context)
    }

    private func finish(_ delivery: SandboxResponse.Delivery, isLast: Bool, context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        switch delivery {
        case .complete:
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
                if isLast { bound.value.close(promise: nil) }
            }
        case .truncated, .none:
            // An empty write completes after all earlier writes.
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))).whenComplete { _ in
                bound.value.close(promise: nil)
            }
        }
    }
}
