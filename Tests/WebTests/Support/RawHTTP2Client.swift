import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import Web

/// A client of HTTP/2 over TLS that sends exact frames, also ones that it may not send, and collects those of the server.
final class RawHTTP2Client: Sendable {
    /// A frame (RFC 9113, section 4).
    struct Frame: Sendable {
        let type: Kind
        var flags: UInt8 = 0
        let stream: UInt32
        var payload: [UInt8] = []
        /// The fields of a received head.
        var fields: [String: String] = [:]

        enum Kind: UInt8, Sendable {
            case data = 0
            case headers = 1
            case priority = 2
            case reset = 3
            case settings = 4
            case ping = 6
            case goAway = 7
            case windowUpdate = 8
        }

        /// The number that begins a payload: the error of RST_STREAM, the increment of WINDOW_UPDATE.
        static func number(_ type: Kind, _ number: UInt32, on stream: UInt32) -> Frame {
            Frame(type: type, stream: stream, payload: bytes(of: number))
        }

        /// Some data of a request.
        static func data(_ text: String, on stream: UInt32, isLast: Bool = true) -> Frame {
            Frame(type: .data, flags: isLast ? 1 : 0, stream: stream, payload: Array(text.utf8))
        }

        /// A head, or trailers; each field as a literal without indexing (RFC 7541, section 6.2.2).
        static func head(_ fields: [(String, String)], on stream: UInt32, isLast: Bool) -> Frame {
            var payload: [UInt8] = []
            for (name, value) in fields {
                payload.append(0)
                payload += string(name)
                payload += string(value)
            }
            return Frame(type: .headers, flags: isLast ? 5 : 4, stream: stream, payload: payload)
        }

        /// A request to a path of the server.
        static func request(
            _ method: String, _ path: String, _ fields: [(String, String)] = [], on stream: UInt32,
            isLast: Bool
        ) -> Frame {
            let pseudo = [
                (":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path),
            ]
            return head(pseudo + fields, on: stream, isLast: isLast)
        }

        /// The head of a POST of GraphQL.
        static func post(_ fields: [(String, String)] = [], on stream: UInt32) -> Frame {
            request(
                "POST", "/graphql", [("content-type", "application/json")] + fields, on: stream, isLast: false
            )
        }

        private static func string(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
            // An integer with a prefix of 7 bits (RFC 7541, section 5.1), up to 16,510.
            let rest = bytes.count - 127
            let length: [UInt8] = rest < 128 ? [UInt8(rest)] : [UInt8(rest & 127) | 128, UInt8(rest >> 7)]
            return [127] + length + bytes
        }

        private static func bytes(of number: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        var bytes: [UInt8] {
            var bytes = Array(Frame.bytes(of: UInt32(payload.count)).dropFirst())
            bytes += [type.rawValue, flags]
            bytes += Frame.bytes(of: stream)
            return bytes + payload
        }

        /// The number at an offset of the payload; 0 for a shorter one.
        func number(at offset: Int = 0) -> UInt32 {
            payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private struct State {
        var frames: [Frame] = []
        var isClosed = false
    }

    private let channel: any Channel
    private let reader: Reader.Destination

    private init(_ channel: any Channel, _ reader: Reader.Destination) {
        (self.channel, self.reader) = (channel, reader)
    }

    /// Connects, and sends the preface and settings.
    static func connect(to port: Int) async throws -> RawHTTP2Client {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let destination = Reader.Destination()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: nil), Reader(destination),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let client = RawHTTP2Client(channel, destination)
        try await client.send(bytes: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        try await client.send([Frame(type: .settings, stream: 0)])
        return client
    }

    func send(_ frames: [Frame]) async throws {
        try await send(bytes: frames.flatMap(\.bytes))
    }

    private func send(bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// The frames of the server until one meets a condition, which is included.
    func frames(until isLast: @escaping @Sendable (Frame) -> Bool) async throws -> [Frame] {
        try await waitUntil { reader.isClosed || reader.frames.contains(where: isLast) }
        return reader.frames
    }

    /// Waits until the server has closed the connection, and returns its frames.
    func framesUntilClosed() async throws -> [Frame] {
        try await waitUntil { reader.isClosed }
        return reader.frames
    }

    /// The status of the final response of a stream, when the response is complete; nil if the connection is closed before.
    func status(on stream: UInt32) async throws -> String? {
        let frames = try await frames { $0.stream == stream && $0.flags & 1 == 1 && $0.type != .settings }
        return frames.last { $0.stream == stream && $0.type == .headers }?.fields[":status"]
    }

    func close() { channel.close(promise: nil) }

    /// Splits the bytes of the server into frames.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        /// What has been received.
        final class Destination: Sendable {
            private let state = Mutex(State())

            var frames: [Frame] { state.withLock(\.frames) }
            var isClosed: Bool { state.withLock(\.isClosed) }

            func add(_ frame: Frame) { state.withLock { $0.frames.append(frame) } }

            func close() { state.withLock { $0.isClosed = true } }
        }

        private let destination: Destination
        private var bytes = ByteBuffer()
        private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

        init(_ destination: Destination) {
            self.destination = destination
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.writeImmutableBuffer(unwrapInboundIn(data))
            while let frame = next() { destination.add(frame) }
        }

        private func next() -> Frame? {
            guard let start = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self),
                bytes.readableBytes >= 9 + Int(start >> 8), let head = bytes.readBytes(length: 9),
                let payload = bytes.readBytes(length: Int(start >> 8)),
                let type = Frame.Kind(rawValue: head[3])
            else { return nil }
            let stream = head.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
            var frame = Frame(type: type, flags: head[4], stream: stream, payload: payload)
            if type == .headers {
                var block = ByteBuffer(bytes: payload)
                let fields = (try? decoder.decodeHeaders(from: &block)) ?? HPACKHeaders()
                for (name, value, _) in fields { frame.fields[name] = value }
            }
            return frame
        }

        func channelInactive(context: ChannelHandlerContext) { destination.close() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// Runs a test with a client of HTTP/2.
func withHTTP2Client(
    _ service: TestGraphQLService = TestService.make(), limits: ServerLimits = .patient,
    routes: [String: any Route] = [:], _ test: (RawHTTP2Client, TestServer) async throws -> Void
) async throws {
    try await withCertificate { files in
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
        configuration.tls = files
        try await withServer(configuration, service, routes: routes) { server in
            let client = try await RawHTTP2Client.connect(to: server.port)
            defer { client.close() }
            try await test(client, server)
        }
    }
}
