extension ResponseWriter {
    /// So much is written on the stack, for which Swift provides up to a kibibyte.
    private static var roomOnStack: Int { 1024 }

    /// What `write` writes.
    ///
    /// - Parameters:
    ///   - expected: how many bytes that will be. Few are written on the stack, and many where they stay; more than
    ///     were expected are copied once.
    ///   - limit: the most bytes; above it, `isOverLimit` is true for `write`.
    ///   - slots: what loads have left.
    ///   - write: the write pass.
    /// - Returns: the bytes; meaningless above the limit.
    static func bytes(
        expecting expected: Int, limit: Int = .max, slots: LoadSlots = .none,
        _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: ResponsePath.usualDepth) { path in
            // Of this capacity it is never empty, so it has an address.
            let path = unsafe path.baseAddress.unsafelyUnwrapped
            if expected + slack > roomOnStack {
                return unsafe bytes(in: expected, limit: limit, path, slots, write)
            }
            return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: roomOnStack) { room in
                var writer = unsafe ResponseWriter(in: room, limit: limit, path: path, slots: slots)
                write(&writer)
                return writer.bytes
            }
        }
    }

    /// Writes into the memory of the array that is returned.
    private static func bytes(
        in capacity: Int, limit: Int, _ path: UnsafeMutablePointer<Int>, _ slots: LoadSlots,
        _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        var copy: [UInt8]?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity + slack) { room, count in
            var writer = unsafe ResponseWriter(in: room, limit: limit, path: path, slots: slots)
            write(&writer)
            // Also where far fewer bytes came than were expected: an array keeps all the room that it was made with.
            if writer.ownsMemory || writer.count < capacity / 2 && capacity > 4096 {
                copy = writer.bytes
            } else {
                count = writer.count
            }
        }
        return copy ?? bytes
    }
}
