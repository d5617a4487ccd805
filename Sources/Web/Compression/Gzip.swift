import CZlib

/// The gzip format (RFC 1952), as zlib writes it.
enum Gzip {
    /// Compresses bytes at once, at a level from 1, the fastest, to 9; nil where zlib cannot.
    ///
    /// zlib's state is made anew each time: keeping it would cost a quarter of a megabyte for each that is kept.
    static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        guard let length = UInt32(exactly: bytes.count), let level = Int32(exactly: level) else { return nil }
        // zlib keeps the address of the stream, so it must not move.
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
