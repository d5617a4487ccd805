import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import Web

/// After an error response, and after any last response, the server closes the connection by itself: a client
/// that keeps its side open and sends nothing does not use a slot.
@Suite("A client that sends nothing after a response")
struct SilentClientTests {
    @Test("after an error response loses its connection", arguments: SilentClient.all)
    func afterError(_ silent: SilentClient) async throws {
        let gate = Event<Void>()
        let service = TestService.make(later: { await gate.wait() })
        try await withServer(service, limits: SilentClient.limits(silent.limit)) { server in
            let client = try server.client()
            try await client.send(silent.bytes)
            let response = try await client.response()
            #expect(response.status == silent.status)
            try await server.expectNoConnection()
            gate.happen()
            client.close()
        }
    }

    @Test("has one second to close its side by default")
    func lingerTime() {
        #expect(ConnectionPhase.lingering.timeout(ServerLimits()) == .seconds(1))
    }

    @Test("is idle after a late response, and loses its connection like any idle client")
    func afterLateResponse() async throws {
        let limits = SilentClient.limits {
            $0.responseTimeout = .milliseconds(50)
            // This limit also applies before the request.
            $0.idleTimeout = .seconds(10)
        }
        let service = TestService.make(later: { try await Task.sleep(for: .seconds(3_600)) })
        try await withServer(service, limits: limits) { server in
            let client = try server.client()
            let response = try await client.asking(RawRequest.post(RawRequest.query("{ slow }")))
            #expect(response.status == 504)
            try await server.expectNoConnection()
            client.close()
        }
    }

    @Test("does not block other clients: its slot is free after the linger time")
    func slots() async throws {
        var limits = SilentClient.limits { $0.headTimeout = .milliseconds(50) }
        limits.connections = 3
        try await withServer(limits: limits) { server in
            let silent = [try server.client(), try server.client()]
            for client in silent {
                try await client.send("GET /graphql HTTP/1.1\r\nHost:")
                #expect(try await client.response().status == 408)
            }
            try await server.expectNoConnection()
            let others = [try server.client(), try server.client()]
            for client in others {
                #expect(try await client.asking(RawRequest.get("/health/live")).status == 200)
            }
            for client in silent { client.close() }
        }
    }

    @Test("after the close frame of its WebSocket loses its connection")
    func webSocket() async throws {
        try await withServer(LiveService.make(), limits: SilentClient.limits { _ in }) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.say("no JSON")
            #expect(try await socket.next().closeCode == 4400)
            try await server.expectNoConnection()
            socket.client.close()
        }
    }

    @Test("does not delay a server that stops, after an error response", .timeLimit(.minutes(10)))
    func draining() async throws {
        let limits = SilentClient.limits {
            $0.headTimeout = .milliseconds(50)
            $0.drainTimeout = .hours(1)
        }
        try await withServer(limits: limits) { server in
            let client = try server.client()
            try await client.send("GET /graphql HTTP/1.1\r\nHost:")
            #expect(try await client.response().status == 408)
            server.stop()
            try await server.running.value
            client.close()
        }
    }

    @Test("over TLS loses its connection, with every protocol", arguments: SilentTLSClient.all)
    func tls(_ silent: SilentTLSClient) async throws {
        try await withCertificate { files in
            var configuration = ServerConfiguration(
                host: "127.0.0.1", port: 0,
                limits: SilentClient.limits {
                    // This limit also applies to the handshake, and before the first byte.
                    $0.headTimeout = .seconds(10)
                    $0.idleTimeout = .seconds(10)
                })
            configuration.tls = files
            try await withServer(configuration) { server in
                let client = try await TLSClient.connect(to: server.port, offering: silent.protocolName)
                try await client.send(silent.bytes)
                try await client.firstBytes()
                try await server.expectNoConnection()
                client.close()
            }
        }
    }

    @Test("over HTTP/2 does not delay a server that stops", .timeLimit(.minutes(10)))
    func drainingHTTP2() async throws {
        try await withCertificate { files in
            var limits = SilentClient.limits { $0.drainTimeout = .hours(1) }
            limits.idleTimeout = .hours(1)
            var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
            configuration.tls = files
            try await withServer(configuration) { server in
                let client = try await TLSClient.connect(to: server.port, offering: "h2")
                try await client.send(SilentTLSClient.preface)
                try await client.firstBytes()
                server.stop()
                try await server.running.value
                client.close()
            }
        }
    }
}

/// A client that gets an error response, and then neither closes its side nor sends any bytes.
struct SilentClient: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int
    var limit: @Sendable (inout ServerLimits) -> Void = { _ in }

    /// Limits with unlimited timeouts, except for the one under test.
    static func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits.patient
        limits.lingerTimeout = .milliseconds(50)
        limits.idleTimeout = .hours(1)
        limits.writeTimeout = .hours(1)
        change(&limits)
        return limits
    }

    static let all = [
        SilentClient(
            testDescription: "half a head", bytes: "GET /health/live HTTP/1.1\r\nHost:", status: 408
        ) { $0.headTimeout = .milliseconds(50) },
        SilentClient(
            testDescription: "half a body",
            bytes: String(RawRequest.post(RawRequest.query("{ hello }")).dropLast(3)), status: 408
        ) { $0.bodyTimeout = .milliseconds(50) },
        SilentClient(testDescription: "no HTTP", bytes: "hello\r\n\r\n", status: 400),
        SilentClient(
            testDescription: "a long target",
            bytes: "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", status: 414),
        SilentClient(
            testDescription: "a body that is too long",
            bytes: "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Content-Length: 99999999\r\n\r\n", status: 413),
        SilentClient(
            testDescription: "too many requests at a time",
            bytes: String(repeating: RawRequest.post(RawRequest.query("{ slow }")), count: 5), status: 504
        ) {
            $0.pipelinedRequests = 2
            $0.responseTimeout = .milliseconds(50)
        },
    ]
}

/// A client that connects with TLS, and then sends no more bytes.
struct SilentTLSClient: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let protocolName: String
    let bytes: [UInt8]

    /// The client's part of the preface of HTTP/2, with empty settings (RFC 9113, section 3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    static let all = [
        SilentTLSClient(
            testDescription: "HTTP/1.1, half a head", protocolName: "http/1.1",
            bytes: Array("GET /health/live HTTP/1.1\r\nHost:".utf8)),
        SilentTLSClient(
            testDescription: "HTTP/1.1, malformed", protocolName: "http/1.1",
            bytes: Array("hello\r\n\r\n".utf8)),
        SilentTLSClient(testDescription: "HTTP/2, nothing sent", protocolName: "h2", bytes: []),
        SilentTLSClient(testDescription: "HTTP/2, no request", protocolName: "h2", bytes: preface),
    ]
}

extension TestServer {
    /// Waits until no connection is open; fails if that does not happen.
    func expectNoConnection() async throws {
        try await waitUntil { server.state.load.connections.count == 0 }
    }
}

/// A client that connects with TLS, and reads only until the first bytes: it reads neither later bytes nor
/// the end.
final class TLSClient: Sendable {
    private let channel: any Channel
    private let hasBytes: Event<Void>

    private init(_ channel: any Channel, _ hasBytes: Event<Void>) {
        self.channel = channel
        self.hasBytes = hasBytes
    }

    static func connect(to port: Int, offering protocolName: String) async throws -> TLSClient {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = [protocolName]
        let context = try NIOSSLContext(configuration: configuration)
        let hasBytes = Event<Void>()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: nil),
                        FirstBytes(hasBytes),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return TLSClient(channel, hasBytes)
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Waits until the server has sent bytes.
    func firstBytes() async throws { await hasBytes.wait() }

    func close() { channel.close(promise: nil) }

    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let hasBytes: Event<Void>

        init(_ hasBytes: Event<Void>) {
            self.hasBytes = hasBytes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // A client that does not read does not respond to the end of TLS.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            hasBytes.happen()
        }
    }
}

/// Runs a test with a self-signed certificate.
func withCertificate(_ test: (TLSFiles) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "portico-tls-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = TLSFiles(
        certificateChain: folder.appending(path: "chain.pem").path,
        privateKey: folder.appending(path: "key.pem").path)
    try await makeCertificate(files)
    try await test(files)
}

/// Writes a new certificate and its key.
func makeCertificate(_ files: TLSFiles) async throws {
    _ = try await Command.run(
        "openssl",
        [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2",
            "-subj", "/CN=localhost", "-out", files.certificateChain, "-keyout", files.privateKey,
        ])
}
