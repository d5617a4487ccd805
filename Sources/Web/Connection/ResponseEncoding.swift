import NIOCore
import NIOHTTP1

/// How responses are put on the wire.
enum ResponseEncoding {
    /// As bytes, which need no encoder behind: head and body leave in one write.
    case http1
    /// As parts, for the codec of an HTTP/2 stream. The stream ends with its only response.
    case http2

    /// What is written at a time.
    enum Output {
        case bytes(ByteBuffer)
        case parts([HTTPServerResponsePart])
    }

    /// A response whole, or the head of one whose body follows.
    func encode(
        _ response: HTTPResponse, _ circumstances: HTTPResponse.Circumstances, isBodyLeftOut: Bool,
        allocator: ByteBufferAllocator
    ) -> Output {
        switch self {
        case .http1:
            return .bytes(
                response.wireForm(circumstances, isBodyLeftOut: isBodyLeftOut, allocator: allocator))
        case .http2:
            var parts = [HTTPServerResponsePart.head(response.head(circumstances))]
            switch response.body {
            case .whole(let bytes):
                if !isBodyLeftOut, !bytes.isEmpty {
                    parts.append(.body(.byteBuffer(allocator.buffer(bytes: bytes))))
                }
                parts.append(.end(nil))
            case .streamed, .handover:
                if isBodyLeftOut { parts.append(.end(nil)) }
            }
            return .parts(parts)
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
    /// The head for a codec; HTTP/2 says nothing of connections in it (RFC 9113, section 8.2.2).
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
