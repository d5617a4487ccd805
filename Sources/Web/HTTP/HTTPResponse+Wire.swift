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

    /// What stands in the head beside the response itself.
    struct Circumstances {
        let id: RequestID
        let date: DateHeaderCache
        let persistence: Persistence
        /// Whether a body of unknown length is sent in chunks, which HTTP/1.0 does not know.
        let isChunked: Bool
    }

    /// The response as it goes to the client: head and body in one buffer, so that they leave in one write.
    ///
    /// Of a body that is streamed, and of an answer to HEAD, there is only the head.
    func wireForm(
        _ circumstances: Circumstances, isBodyLeftOut: Bool, allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 320 + (isBodyLeftOut ? 0 : body.count ?? 0))
        writeStatusLine(into: &buffer)
        if let contentType {
            buffer.writeStaticString("\r\ncontent-type: ")
            buffer.writeStaticString(contentType)
        }
        switch body {
        // RFC 9110, section 8.6: there is none to speak of.
        case .whole where status == .noContent || status == .notModified: break
        case .whole(let bytes):
            buffer.writeStaticString("\r\ncontent-length: ")
            buffer.writeDecimal(bytes.count)
        case .streamed:
            if circumstances.isChunked { buffer.writeStaticString("\r\ntransfer-encoding: chunked") }
        case .handover:
            buffer.writeStaticString("\r\nConnection: Upgrade")
        }
        buffer.writeStaticString("\r\ndate: ")
        circumstances.date.write(into: &buffer)
        buffer.writeStaticString("\r\nx-request-id: ")
        circumstances.id.write(into: &buffer)
        switch circumstances.persistence {
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
        if case .whole(let bytes) = body, !isBodyLeftOut { buffer.writeBytes(bytes) }
        return buffer
    }

    private func writeStatusLine(into buffer: inout ByteBuffer) {
        if status == .ok {
            buffer.writeStaticString("HTTP/1.1 200 OK")
        } else {
            buffer.writeStaticString("HTTP/1.1 ")
            buffer.writeDecimal(Int(status.code))
            buffer.writeStaticString(" ")
            buffer.writeString(status.reasonPhrase)
        }
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
