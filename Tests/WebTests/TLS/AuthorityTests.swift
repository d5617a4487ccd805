import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import Web

@Suite("The host of a request of HTTP/2")
struct AuthorityTests {
    @Test(
        "is :authority, to which a Host field beside it must be equal",
        arguments: [
            ("a", [], "200"), ("a", ["a"], "200"), ("A.example", ["a.EXAMPLE:443"], "200"),
            ("a:443", ["a"], "200"), ("a:8443", ["a:8443"], "200"), ("a", ["b"], "400"),
            ("a", ["a:80"], "400"),
            ("a:8443", ["a"], "400"), ("a", ["a", "a"], "400"), ("a", ["a, b"], "400"), ("a", [""], "400"),
        ])
    func hosts(_ authority: String, _ hosts: [String], _ status: String) async throws {
        try await withCertificate { files in
            var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
            configuration.tls = files
            try await withServer(configuration) { server in
                var fields = HPACKHeaders([
                    (":method", "GET"), (":scheme", "https"), (":path", "/graphql?query=%7B+hello+%7D"),
                    (":authority", authority),
                ])
                for host in hosts { fields.add(name: "host", value: host) }
                let response = try await HTTP2Exchange.response(to: fields, port: server.port)
                #expect(response.status == status)
                let message = try JSONValue(parsing: response.body)["errors"]?[0]?["message"]?.string
                #expect(
                    message
                        == (status == "200"
                            ? nil
                            : "A request names one host: that of its target, and :authority in HTTP/2, must equal its "
                                + "Host field. Send one of them."))
            }
        }
    }
}

/// Sends the head of one request as it is given, and reads the response.
private final class HTTP2Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame
    typealias Response = (status: String, body: String)

    private let request: HPACKHeaders
    private let promise: EventLoopPromise<Response>
    private var status = ""
    private var body = ByteBuffer()

    private init(_ request: HPACKHeaders, _ promise: EventLoopPromise<Response>) {
        (self.request, self.promise) = (request, promise)
    }

    static func response(to request: HPACKHeaders, port: Int) async throws -> Response {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.any().makePromise(of: Response.self)
        let channel = try await ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    NIOSSLClientHandler(context: context, serverHostname: nil),
                    NIOHTTP2Handler(mode: .client),
                    HTTP2Exchange(request, promise),
                ])
            }
        }.connect(host: "127.0.0.1", port: port).get()
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        return try await promise.futureResult.get()
    }

    func channelActive(context: ChannelHandlerContext) {
        let head = HTTP2Frame.FramePayload.Headers(headers: request, endStream: true)
        context.writeAndFlush(
            wrapOutboundOut(HTTP2Frame(streamID: 1, payload: .headers(head))), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .headers(let head): status = head.headers.first(name: ":status") ?? status
        case .data(let data):
            if case .byteBuffer(let bytes) = data.data { body.writeImmutableBuffer(bytes) }
            if data.endStream { promise.succeed((status, String(buffer: body))) }
        case .rstStream, .goAway: promise.fail(ChannelError.eof)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
