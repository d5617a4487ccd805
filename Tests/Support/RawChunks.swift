/// A decoder of the chunked coding (RFC 9112, section 7.1).
enum RawChunks {
    /// Returns a complete body at the start of the bytes, and its encoded length; nil if bytes are missing.
    ///
    /// Throws for an invalid chunk; extensions and trailers are not supported.
    static func body(in bytes: ArraySlice<UInt8>) throws -> (body: [UInt8], length: Int)? {
        var body: [UInt8] = []
        var rest = bytes
        while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<lineEnd], as: UTF8.self)
            guard line.hasSuffix("\r"), let size = Int(line.dropLast(), radix: 16)
            else {
                throw RawClient.Failure(description: "no chunk: \(line)")
            }
            let start = lineEnd + 1
            guard rest.endIndex - start >= size + 2 else { return nil }
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
            if size == 0 { return (body, rest.startIndex - bytes.startIndex) }
        }
        return nil
    }
}
