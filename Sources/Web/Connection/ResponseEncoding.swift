import NIOCore
import NIOHTTP1

/// The form in which responses are written.
enum ResponseEncoding {
    /// As bytes, which need no encoder behind: head and body leave in one write.
    case http1
    /// As parts, for the codec of an HTTP/2 stream. The stream ends with its only response.
    case http2

    /// The bytes that a client must read within ``ServerLimits/writeTimeout``, if it has not read all before.
    ///
    /// The streams of a connection of HTTP/2 share what it can carry.
    var leastProgress: Int {
        switch self {
        case .http1: 64 << 10
        case .http2: 16 << 10
        }
    }

    /// The bytes of one write.
    enum Output {
        case bytes(ByteBuffer)
        case parts([HTTPServerResponsePart])
    }

    /// A response whole, or the head of one whose body follows.
    func encode(
        _ response: HTTPResponse, _ circumstances: HTTPResponse.Circumstances, isBodyOmitted: Bool,
        allocator: ByteBufferAllocator
    ) -> Output {
        switch self {
        case .http1:
            return .bytes(
                response.serialized(circumstances, isBodyOmitted: isBodyOmitted, allocator: allocator))
        case .http2:
            var parts = [HTTPServerResponsePart.head(response.head(circumstances))]
            switch response.body {
            case .complete(let bytes):
                if !isBodyOmitted, !bytes.isEmpty {
                    parts.append(.body(.byteBuffer(allocator.buffer(bytes: bytes))))
                }
                parts.append(.end(nil))
            case .streamed, .upgrade:
                if isBodyOmitted { parts.append(.end(nil)) }
            }
            return .parts(parts)
        }
    }

    /// The response `100 Continue`, after which the client sends its body (RFC 9110, section 15.2.1).
    var invitation: Output {
        switch self {
        case .http1: .bytes(ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n"))
        case .http2: .parts([.head(HTTPResponseHead(version: .http2, status: .continue))])
        }
    }

    /// A part of a body that has at least one byte.
    func encode(part: ByteBuffer, isChunked: Bool, allocator: ByteBufferAllocator) -> Output {
        switch self {
        case .http1: .bytes(isChunked ? ChunkedEncoding.around(part, allocator: allocator) : part)
        case .http2: .parts([.body(.byteBuffer(part))])
        }
    }

    /// The end of a body that came in parts.
    func encodeEnd(isChunked: Bool) -> Output {
        switch self {
        case .http1: .bytes(isChunked ? ChunkedEncoding.last : ByteBuffer())
        case .http2: .parts([.end(nil)])
        }
    }
}

extension HTTPResponse {
    /// The head for a codec; in HTTP/2 it has no field about the connection (RFC 9113, section 8.2.2).
    fileprivate func head(_ circumstances: Circumstances) -> HTTPResponseHead {
        var fields = HTTPHeaders()
        if let contentType { fields.add(name: "content-type", value: "\(contentType)") }
        if let count = body.count, status != .noContent, status != .notModified {
            fields.add(name: "content-length", value: "\(count)")
        }
        fields.add(name: "date", value: circumstances.date.text)
        fields.add(name: "x-request-id", value: circumstances.id.description)
        for header in headers { fields.add(name: "\(header.name)", value: header.value) }
        return HTTPResponseHead(version: .http2, status: status, headers: fields)
    }
}

extension HTTPResponse {
    /// The connection header of a response (RFC 9112, section 9.3).
    enum Persistence {
        /// No field: in HTTP/1.1 the connection stays open by default.
        case assumed
        /// The connection stays open, which must be stated to an HTTP/1.0 client.
        case keepAlive
        case closed
    }

    /// The fields of the head that do not come from the response itself.
    struct Circumstances {
        let id: RequestID
        let date: DateHeaderCache
        let persistence: Persistence
        /// Whether a body of unknown length is sent in chunks, which HTTP/1.0 does not have.
        let isChunked: Bool
    }

    /// Returns the bytes of a response: head and body in one buffer, for one write.
    ///
    /// For a streamed body, and for a response to HEAD, they contain only the head.
    func serialized(
        _ circumstances: Circumstances, isBodyOmitted: Bool, allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 320 + (isBodyOmitted ? 0 : body.count ?? 0))
        writeStatusLine(into: &buffer)
        if let contentType {
            buffer.writeStaticString("\r\ncontent-type: ")
            buffer.writeStaticString(contentType)
        }
        switch body {
        // A response without content has no length (RFC 9110, section 8.6).
        case .complete where status == .noContent || status == .notModified: break
        case .complete(let bytes):
            buffer.writeStaticString("\r\ncontent-length: ")
            buffer.writeDecimal(bytes.count)
        case .streamed:
            if circumstances.isChunked { buffer.writeStaticString("\r\ntransfer-encoding: chunked") }
        case .upgrade:
            buffer.writeStaticString("\r\nConnection: Upgrade")
        }
        buffer.writeStaticString("\r\ndate: ")
        circumstances.date.write(into: &buffer)
        buffer.writeStaticString("\r\nx-request-id: ")
        circumstances.id.write(into: &buffer)
        switch circumstances.persistence {
        case .assumed: break
        case .keepAlive: buffer.writeStaticString("\r\nconnection: keep-alive")
        case .closed: buffer.writeStaticString("\r\nconnection: close")
        }
        for header in headers {
            buffer.writeStaticString("\r\n")
            buffer.writeStaticString(header.name)
            buffer.writeStaticString(": ")
            buffer.writeString(header.value)
        }
        buffer.writeStaticString("\r\n\r\n")
        if case .complete(let bytes) = body, !isBodyOmitted { buffer.writeBytes(bytes) }
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

/// The chunked coding of bodies of unknown length (RFC 9112, section 7.1).
enum ChunkedEncoding {
    /// The end of a body.
    static let last = ByteBuffer(staticString: "0\r\n\r\n")

    /// A part as one chunk; it has at least one byte, since an empty chunk ends the body.
    static func around(_ part: ByteBuffer, allocator: ByteBufferAllocator) -> ByteBuffer {
        var chunk = allocator.buffer(capacity: part.readableBytes + 20)
        chunk.writeString(String(part.readableBytes, radix: 16))
        chunk.writeStaticString("\r\n")
        chunk.writeImmutableBuffer(part)
        chunk.writeStaticString("\r\n")
        return chunk
    }
}
