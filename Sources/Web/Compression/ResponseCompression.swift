import CZlib

extension HTTPResponse {
    /// Whether the body has a size that is compressed for clients that accept it.
    func mayCompress(_ policy: CompressionPolicy) -> Bool {
        guard policy.level > 0, case .complete(let bytes) = body else { return false }
        return policy.sizes.contains(bytes.count)
    }

    /// Names the field on which the coding of the body depends, and compresses the body if the client accepts it.
    mutating func compress(level: Int, acceptsGzip: Bool) {
        headers.append(Header("vary", "accept-encoding"))
        guard acceptsGzip, case .complete(let bytes) = body, !bytes.isEmpty,
            let compressed = gzip(bytes, level: level), compressed.count < bytes.count
        else { return }
        headers.append(Header("content-encoding", "gzip"))
        body = .complete(compressed)
    }

    /// The body in gzip; nil if it has no gzip form.
    private func gzip(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        prepared.map(\.gzip) ?? Gzip.compress(bytes, level: level)
    }
}

/// Which responses are compressed, for clients that accept it.
///
/// The length of a compressed body reveals what it has in common with text that an attacker adds to it
/// (BREACH). Here an attacker cannot make another user's client send a request: there are no cookies, and
/// bodies contain no tokens.
package struct CompressionPolicy: Sendable, Hashable {
    /// Sizes in bytes; smaller bodies gain nothing, and larger ones would hold up the others of an event loop.
    package var sizes = 1_024...(1 << 20)
    /// From 1, the fastest, to 9, the smallest; 0 compresses nothing.
    package var level = 4

    package init() {}
}

/// The codings that a client accepts (RFC 9110, section 12.5.3).
package enum AcceptEncoding {
    /// Whether gzip is accepted, with at least the weight of the identity encoding.
    package static func prefersGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var gzip: Int?
        var identity: Int?
        var others: Int?
        for member in field.listMembers {
            let parts = member.split(separator: ";").map(\.trimmed)
            guard let name = parts.first, let quality = quality(parts.dropFirst()) else { continue }
            if name.matches("gzip") || name.matches("x-gzip") {
                gzip = quality
            } else if name.matches("identity") {
                identity = quality
            } else if name == "*" {
                others = quality
            }
        }
        let liking = gzip ?? others ?? 0
        return liking > 0 && liking >= identity ?? 0
    }

    /// The quality value among the parameters of a member; nil if it is invalid.
    private static func quality(_ parameters: some Sequence<Substring.SubSequence>) -> Int? {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0].trimmed.matches("q") {
                return QualityValue.thousandths(pair[1].trimmed)
            }
        }
        return 1000
    }
}

/// The gzip format (RFC 1952), as zlib writes it.
package enum Gzip {
    /// Compresses bytes at a level from 1, the fastest, to 9; nil if zlib fails.
    ///
    /// zlib's state is created each time: storing it would cost a quarter of a megabyte for each.
    package static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        guard let length = UInt32(exactly: bytes.count), let level = Int32(exactly: level) else { return nil }
        // zlib stores the address of the stream, so it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        // 15 bits of window, and 16 for the format.
        let state = unsafe deflateInit2_(
            stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard state == Z_OK else { return nil }
        defer { unsafe deflateEnd(stream) }
        let bound = unsafe Int(deflateBound(stream, UInt(bytes.count)))
        var isWhole = false
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                // zlib only reads what `next_in` points to.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = length
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
                isWhole = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
            }
            count = isWhole ? unsafe Int(stream.pointee.total_out) : 0
        }
        return isWhole ? compressed : nil
    }
}
