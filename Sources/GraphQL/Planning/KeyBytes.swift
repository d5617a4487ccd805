/// The response keys of a plan as they stand in a response, with punctuation and escapes: `,"name":`.
///
/// Their memory never moves, and can be read 16 bytes past the end of each.
@safe
final class KeyBytes: @unchecked Sendable {
    // Sendable, although it holds memory: a planner fills it alone, and it never changes after the plan is made.
    private var chunks: [UnsafeMutableBufferPointer<UInt8>]
    private var used = 0

    private static let chunkSize = 4096
    private static let slack = 16

    init() {
        unsafe chunks = []
    }

    deinit {
        for position in unsafe 0..<chunks.count { unsafe chunks[position].deallocate() }
    }

    /// Keeps some bytes and says where they lie.
    func keep(_ bytes: [UInt8]) -> UnsafePointer<UInt8> {
        let needed = bytes.count + KeyBytes.slack
        if unsafe chunks.last.map({ used + needed > $0.count }) ?? true {
            let chunk = UnsafeMutableBufferPointer<UInt8>.allocate(
                capacity: max(KeyBytes.chunkSize, needed))
            unsafe chunk.initialize(repeating: 0)
            unsafe chunks.append(chunk)
            used = 0
        }
        let chunk = unsafe chunks[chunks.count - 1]
        let start = used
        for (offset, byte) in bytes.enumerated() { unsafe chunk[start + offset] = byte }
        used += bytes.count
        // A chunk is never empty, so it has an address.
        return unsafe UnsafePointer(chunk.baseAddress.unsafelyUnwrapped + start)
    }
}
