import NIOCore
import NIOWebSocket

extension ByteBuffer {
    /// A whole frame of a server's, which are never masked (RFC 6455, section 5.2), in one piece of memory: what is sent to
    /// many is mostly such frames, and each piece more would be another of every write.
    ///
    /// - Parameters:
    ///   - opcode: What it is.
    ///   - bytes: About as many as are written.
    ///   - write: Writes what it holds.
    /// - Returns: the frame, ready to be sent.
    static func frame(
        _ opcode: WebSocketOpcode, expecting bytes: Int = 128, _ write: (inout ByteBuffer) -> Void
    ) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: longestHead + bytes)
        // How long the head is, is known when all is there; it is put right before that.
        frame.moveWriterIndex(to: longestHead)
        frame.moveReaderIndex(to: longestHead)
        write(&frame)
        let length = frame.readableBytes
        let start: Int
        switch length {
        case ..<126:
            start = longestHead - 2
            frame.setInteger(UInt8(length), at: start + 1)
        case ..<65_536:
            start = longestHead - 4
            frame.setInteger(UInt8(126), at: start + 1)
            frame.setInteger(UInt16(length), at: start + 2)
        default:
            start = longestHead - 10
            frame.setInteger(UInt8(127), at: start + 1)
            frame.setInteger(UInt64(length), at: start + 2)
        }
        frame.setInteger(isWhole | UInt8(webSocketOpcode: opcode), at: start)
        frame.moveReaderIndex(to: start)
        return frame
    }

    /// A frame of text.
    static func text(_ text: StaticString) -> ByteBuffer {
        frame(.text) { $0.writeStaticString(text) }
    }

    private static var longestHead: Int { 10 }
    /// No other frame continues it.
    private static var isWhole: UInt8 { 0x80 }
}
