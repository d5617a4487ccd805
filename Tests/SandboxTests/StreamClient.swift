import NIOCore
import Testing

/// The client side of a WebSocket over a plain socket (RFC 6455, section 5), independent of the server's
/// library.
struct StreamClient: ~Copyable {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer = ByteBuffer()

    /// A received frame.
    enum Frame: Equatable {
        case text(String)
        case binary([UInt8])
        case ping
        case pong
        case close(code: Int?)
        /// The connection ended without a close frame.
        case end
    }

    /// Opens a stream while `body` runs.
    static func open<Result: Sendable>(
        _ path: String, of client: Client, _ headers: [String: String] = [:],
        _ body: @escaping @Sendable (inout StreamClient) async throws -> Result
    ) async throws -> Result {
        try await client.connected { inbound, outbound in
            var stream = StreamClient(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            try await stream.shakeHands(path, client.address, headers)
            return try await body(&stream)
        }
    }

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    private mutating func shakeHands(_ path: String, _ host: String, _ headers: [String: String]) async throws
    {
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers.map { "\($0.key): \($0.value)" }
        try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n"))
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            guard try await fill(1), let byte = buffer.readString(length: 1) else {
                throw Rejected(head: head)
            }
            head += byte
        }
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Rejected(head: head) }
        // The value of RFC 6455, section 1.3, for this key.
        try #require(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    }

    /// The server rejected the handshake.
    struct Rejected: Error {
        let head: String
        var status: Int? { Client.Reply(head).status }
    }

    mutating func next() async throws -> Frame {
        guard try await fill(2), let first: UInt8 = buffer.readInteger(),
            let second: UInt8 = buffer.readInteger()
        else { return .end }
        try #require(first & 0x80 != 0 && second & 0x80 == 0, "whole frames, not masked")
        var length = Int(second)
        if length == 126 {
            guard try await fill(2), let long = buffer.readInteger(as: UInt16.self) else { return .end }
            length = Int(long)
        } else if length == 127 {
            guard try await fill(8), let long = buffer.readInteger(as: UInt64.self) else { return .end }
            length = Int(long)
        }
        guard try await fill(length), let bytes = buffer.readBytes(length: length) else { return .end }
        switch first & 0x0F {
        case 1: return .text(String(decoding: bytes, as: UTF8.self))
        case 2: return .binary(bytes)
        case 8: return .close(code: bytes.count < 2 ? nil : Int(bytes[0]) << 8 | Int(bytes[1]))
        case 9: return .ping
        default: return .pong
        }
    }

    /// Reads a frame that must equal this one.
    mutating func expect(_ frame: Frame, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let next = try await next()
        #expect(next == frame, sourceLocation: sourceLocation)
    }

    func send(_ text: String) async throws {
        try await send(opcode: 1, Array(text.utf8))
    }

    /// Sends the head of a text message of a given length, without its bytes.
    func announce(length: UInt64) async throws {
        var frame = ByteBuffer(bytes: [0x81, 0x80 | 127])
        frame.writeInteger(length)
        frame.writeBytes([0x37, 0xFA, 0x21, 0x3D])
        try await outbound.write(frame)
    }

    func send(opcode: UInt8, _ bytes: [UInt8] = [], isFinal: Bool = true) async throws {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        var frame = ByteBuffer(bytes: [(isFinal ? 0x80 : 0) | opcode])
        if bytes.count < 126 {
            frame.writeInteger(0x80 | UInt8(bytes.count))
        } else {
            frame.writeInteger(0x80 | 126 as UInt8)
            frame.writeInteger(UInt16(bytes.count))
        }
        frame.writeBytes(mask)
        frame.writeBytes(bytes.enumerated().map { $1 ^ mask[$0 % 4] })
        try await outbound.write(frame)
    }

    /// Returns false if the connection ends before enough bytes are received.
    private mutating func fill(_ count: Int) async throws -> Bool {
        while buffer.readableBytes < count {
            do {
                guard var part = try await inbound.next(isolation: #isolation) else { return false }
                buffer.writeBuffer(&part)
            } catch is IOError {
                return false
            }
        }
        return true
    }
}
