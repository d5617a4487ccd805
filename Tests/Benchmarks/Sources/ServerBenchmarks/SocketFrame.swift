import NIOCore

/// A WebSocket frame, as far as these clients need it (RFC 6455, section 5.2).
struct SocketFrame {
    let opcode: UInt8
    let payload: ByteBuffer

    static let textCode: UInt8 = 1
    static let pingCode: UInt8 = 9
    private static let pongCode: UInt8 = 10

    /// Reads the next frame of a server, which is never masked; nil if it is incomplete.
    init?(from bytes: inout ByteBuffer) {
        var rest = bytes
        guard let first: UInt8 = rest.readInteger(), let second: UInt8 = rest.readInteger() else {
            return nil
        }
        let length: Int
        switch second & 0x7F {
        case 126:
            guard let long: UInt16 = rest.readInteger() else { return nil }
            length = Int(long)
        case 127:
            guard let longest: UInt64 = rest.readInteger() else { return nil }
            length = Int(clamping: longest)
        case let short: length = Int(short)
        }
        guard let payload = rest.readSlice(length: length) else { return nil }
        opcode = first & 0x0F
        self.payload = payload
        bytes = rest
    }

    static func text(_ text: String) -> ByteBuffer { frame(textCode, ByteBuffer(string: text)) }

    static func pong(_ payload: ByteBuffer) -> ByteBuffer { frame(pongCode, payload) }

    /// A client's frame.
    ///
    /// The mask is zero, since no proxy is between these clients and the server.
    private static func frame(_ opcode: UInt8, _ payload: ByteBuffer) -> ByteBuffer {
        var frame = ByteBuffer()
        frame.writeInteger(0x80 | opcode)
        if payload.readableBytes < 126 {
            frame.writeInteger(0x80 | UInt8(payload.readableBytes))
        } else {
            frame.writeInteger(0x80 | UInt8(126))
            frame.writeInteger(UInt16(clamping: payload.readableBytes))
        }
        frame.writeInteger(UInt32(0))
        frame.writeImmutableBuffer(payload)
        return frame
    }
}
