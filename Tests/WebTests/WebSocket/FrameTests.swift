import NIOCore
import NIOPosix
import NIOWebSocket
import Testing
import Web

@Suite("A WebSocket frame")
struct FrameTests {
    @Test(
        "has the shortest form of its length (RFC 6455, section 5.2)",
        arguments: [
            (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65_535, [0x81, 126, 255, 255]),
            (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func head(length: Int, head: [UInt8]) {
        let payload = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        // For any expected length.
        for expected in [0, length, 4 * length] {
            let frame = ByteBuffer.frame(.text, expecting: expected) { $0.writeBytes(payload) }
            #expect(Array(frame.readableBytesView) == head + payload, "expecting \(expected)")
        }
    }

    @Test("has the type of its opcode")
    func opcode() {
        #expect(Array(ByteBuffer.frame(.ping) { _ in }.readableBytesView) == [0x89, 0])
        #expect(
            Array(ByteBuffer.frame(.connectionClose) { $0.writeInteger(UInt16(1000)) }.readableBytesView)
                == [0x88, 2, 3, 0xE8])
    }
}

@Suite("The frame decoder")
struct CountingFrameDecoderTests {
    @Test(
        "counts what has arrived of a frame, and does not retain the buffer that it was read into",
        arguments: [1, 1_000, 20_000])
    func partialFrame(length: Int) async throws {
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let (counted, capacity) = try await channel.eventLoop.submit {
            let reading = Reading(of: length)
            try channel.pipeline.syncOperations.addHandler(reading)
            return (reading.undecoded.count, reading.buffer.storageCapacity)
        }.get()
        #expect(counted == length)
        #expect(capacity < 2 * length + 1_024)
        try await channel.close().get()
    }

    /// Decodes a read of the header of a frame and a part of its data.
    private final class Reading: ChannelInboundHandler {
        typealias InboundIn = Never

        let undecoded = WebSocketMessageAssembler.Undecoded()
        var buffer = ByteBufferAllocator().buffer(capacity: 64 << 10)

        init(of length: Int) {
            buffer.writeBytes([0x81, 0x80 | 126, 0xFF, 0xFF, 0, 0, 0, 0] as [UInt8])
            buffer.writeRepeatingByte(UInt8(ascii: " "), count: length)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            var decoder = CountingFrameDecoder(maxFrameSize: 1 << 20, undecoded)
            let state = try? decoder.decode(context: context, buffer: &buffer)
            #expect(state == .needMoreData)
        }
    }
}
