import GraphQL
import NIOCore
import TestSupport
import Testing
import Web

@Suite("An upgraded connection")
struct HandoverTests {
    static let request =
        "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: echo\r\n\r\n"

    @Test("uses the other protocol, beginning with the bytes after the request")
    func leftOver() async throws {
        try await withServer(routes: ["/echo": EchoRoute()]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/health/live") + HandoverTests.request + "GET early")
            #expect(try await client.response().status == 200)
            let consent = try await client.response()
            #expect(consent.status == 101)
            #expect(consent["connection"] == "Upgrade")
            #expect(consent["upgrade"] == "echo")
            #expect(consent["content-length"] == nil)
            #expect(try await client.take(9) == "GET early")
            try await client.send("late")
            #expect(try await client.take(4) == "late")
        }
    }

    @Test("is notified when the server drains")
    func draining() async throws {
        try await withServer(routes: ["/echo": EchoRoute()]) { server in
            let client = try server.client()
            try await client.send(HandoverTests.request)
            #expect(try await client.response().status == 101)
            server.stop()
            #expect(try await client.rest() == "bye")
        }
    }

    @Test("has no HTTP timeouts")
    func timeouts() async throws {
        var limits = ServerLimits.patient
        // Longer than the slowest machine takes to request the upgrade.
        limits.idleTimeout = .seconds(10)
        try await withServer(limits: limits, routes: ["/echo": EchoRoute()]) { server in
            let client = try server.client()
            try await client.send(HandoverTests.request)
            #expect(try await client.response().status == 101)
            let idle = try server.client()
            // By then the timer of a later connection has fired.
            #expect(try await idle.rest() == "")
            try await client.send("still here")
            #expect(try await client.take(10) == "still here")
        }
    }

    @Test("is closed if no handler accepts it")
    func failure() async throws {
        let failing = EchoRoute { _ in throw ChannelError.inappropriateOperationForState }
        try await withServer(routes: ["/echo": failing]) { server in
            let client = try server.client()
            try await client.send(HandoverTests.request)
            #expect(try await client.response().status == 101)
            #expect(try await client.rest() == "")
        }
    }
}

/// A route that upgrades to a protocol that echoes its input.
private struct EchoRoute: Route {
    var takeOver: @Sendable (any Channel) throws -> Void = { channel in
        try channel.pipeline.syncOperations.addHandler(EchoHandler())
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.fields.requestsUpgrade(to: "echo") else {
            return .failure(RequestRejection(.unknownPath("/echo"), id: id))
        }
        return .success { _, _ in
            .ready(
                HTTPResponse(
                    switchingTo: ProtocolUpgrade(takeOver), headers: [HTTPResponse.Header("upgrade", "echo")]
                ))
        }
    }
}

private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(data, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainEvent else { return context.fireUserInboundEventTriggered(event) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "bye"))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
