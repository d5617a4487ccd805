import NIOCore
import PorticoCore

/// Opens a tunnel through an HTTP proxy (RFC 9110, section 9.3.6): the first handler of a connection until it is open.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let target: String
    private let proxy: OutgoingProxy
    private let opened: EventLoopPromise<Void>
    private var received = ByteBuffer()
    private var isSent = false

    /// The longest head of a response; the same limit applies to responses of providers.
    private static let maximumHead = 64 << 10

    /// - Parameters:
    ///   - target: The address behind the proxy.
    ///   - proxy: The proxy, which is the other end of the connection.
    ///   - opened: Succeeds when the tunnel is open; fails with ``WebSocketError``.
    init(to target: HTTPURL, through proxy: OutgoingProxy, _ opened: EventLoopPromise<Void>) {
        self.target = "\(target.host):\(target.port)"
        self.proxy = proxy
        self.opened = opened
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { send(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelActive()
    }

    private func send(_ context: ChannelHandlerContext) {
        if isSent { return }
        isSent = true
        var request = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let authorization = proxy.authorization {
            request += "Proxy-Authorization: \(authorization.text)\r\n"
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request + "\r\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        let view = received.readableBytesView
        guard let end = view.firstRange(of: Array("\r\n\r\n".utf8)) else {
            if view.count > Self.maximumHead { fail(.proxyRejected(status: nil), context) }
            return
        }
        // `HTTP/1.1 200 Connection established`
        let words = String(decoding: view.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            .split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
            (200..<300).contains(status)
        else { return fail(.proxyRejected(status: words.dropFirst().first.flatMap { Int($0) }), context) }
        // The client sends first through the tunnel, whether it uses TLS or not.
        guard end.upperBound == view.endIndex else { return fail(.protocolViolation, context) }
        opened.succeed()
    }

    func channelInactive(context: ChannelHandlerContext) {
        opened.fail(WebSocketError.proxyRejected(status: nil))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        opened.fail(error)
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        opened.fail(WebSocketError.proxyRejected(status: nil))
    }

    private func fail(_ error: WebSocketError, _ context: ChannelHandlerContext) {
        opened.fail(error)
        context.close(promise: nil)
    }
}
