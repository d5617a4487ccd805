import NIOCore
import NIOHTTP1

extension HTTPResponse {
    /// What a response says of its connection (RFC 9112, section 9.3).
    enum Persistence {
        /// Nothing: it stays open, as HTTP/1.1 has it.
        case assumed
        /// It stays open, which an HTTP/1.0 client must be told.
        case kept
        case closed
    }

    /// The response as it goes to the client: head and body in one buffer, so that they leave in one write.
    ///
    /// An answer to HEAD has the head of the answer to GET, its body is left out.
    func wireForm(
        id: RequestID, date: DateStamp, persistence: Persistence, isBodyLeftOut: Bool,
        allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 320 + (isBodyLeftOut ? 0 : body.count))
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeDecimal(Int(status.code))
        buffer.writeStaticString(" ")
        buffer.writeString(status.reasonPhrase)
        buffer.writeStaticString("\r\ncontent-type: ")
        buffer.writeStaticString(contentType)
        buffer.writeStaticString("\r\ncontent-length: ")
        buffer.writeDecimal(body.count)
        buffer.writeStaticString("\r\ndate: ")
        date.write(into: &buffer)
        buffer.writeStaticString("\r\nx-request-id: ")
        id.write(into: &buffer)
        switch persistence {
        case .assumed: break
        case .kept: buffer.writeStaticString("\r\nconnection: keep-alive")
        case .closed: buffer.writeStaticString("\r\nconnection: close")
        }
        for header in headers {
            buffer.writeStaticString("\r\n")
            buffer.writeStaticString(header.name)
            buffer.writeStaticString(": ")
            buffer.writeString(header.value)
        }
        buffer.writeStaticString("\r\n\r\n")
        if !isBodyLeftOut { buffer.writeBytes(body) }
        return buffer
    }
}

extension ByteBuffer {
    /// A number that is not negative, in decimal digits.
    fileprivate mutating func writeDecimal(_ number: Int) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            writeInteger(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
