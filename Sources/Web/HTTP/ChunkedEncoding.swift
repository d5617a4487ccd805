import NIOCore

/// The chunked coding of bodies whose length nobody knows beforehand (RFC 9112, section 7.1).
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
