import NIOCore
import NIOWebSocket
import Testing

@testable import Web

@Suite("A frame of a socket")
struct FrameTests {
    @Test(
        "says how long it is in the shortest form (RFC 6455, section 5.2)",
        arguments: [
            (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65_535, [0x81, 126, 255, 255]),
            (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func head(length: Int, head: [UInt8]) {
        let payload = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        // However much was expected.
        for expected in [0, length, 4 * length] {
            let frame = ByteBuffer.frame(.text, expecting: expected) { $0.writeBytes(payload) }
            #expect(Array(frame.readableBytesView) == head + payload, "expecting \(expected)")
        }
    }

    @Test("is what it is said to be")
    func opcode() {
        #expect(Array(ByteBuffer.frame(.ping) { _ in }.readableBytesView) == [0x89, 0])
        #expect(
            Array(ByteBuffer.frame(.connectionClose) { $0.writeInteger(UInt16(1000)) }.readableBytesView)
                == [0x88, 2, 3, 0xE8])
    }
}
