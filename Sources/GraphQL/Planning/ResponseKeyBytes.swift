/// The response keys of a plan, encoded with punctuation: `,"name":`.
///
/// Their memory never moves, and is readable 16 bytes past the end of each.
@safe
final class ResponseKeyBytes: @unchecked Sendable {
    // Sendable, although it owns memory: only the planner writes to it, and it is immutable after planning.
    private var chunks: [UnsafeMutableBufferPointer<UInt8>]
    private var used = 0
    /// The allocated memory of the keys in bytes.
    private(set) var capacity = 0

    private static let firstChunkSize = 512
    private static let chunkSize = 4096
    private static let slack = 16

    init() {
        unsafe chunks = []
    }

    deinit {
        for position in unsafe 0..<chunks.count { unsafe chunks[position].deallocate() }
    }

    /// Stores an encoded response key.
    ///
    /// - Parameters:
    ///   - name: The key; a name (specification, section 2.1.9) needs no escapes.
    ///   - isFirst: True for the first key of its object.
    ///   - constant: A string that is the field's value, which needs no escapes either.
    /// - Returns: The address and the number of the bytes.
    func store(
        _ name: Span<UInt8>, isFirst: Bool, constant: String?
    ) -> (bytes: UnsafePointer<UInt8>, length: Int) {
        let value = constant.map(\.utf8.count).map { $0 + 2 } ?? 0
        let length = name.count + 4 + value
        ensureCapacity(for: length)
        let start = used
        append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
        append(UInt8(ascii: "\""))
        for index in name.indices { append(name[index]) }
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
        if let constant {
            append(UInt8(ascii: "\""))
            for byte in constant.utf8 { append(byte) }
            append(UInt8(ascii: "\""))
        }
        let chunk = unsafe chunks[chunks.count - 1]
        // A chunk is never empty, so it has an address.
        return unsafe (UnsafePointer(chunk.baseAddress.unsafelyUnwrapped + start), length)
    }

    private func ensureCapacity(for length: Int) {
        let needed = length + ResponseKeyBytes.slack
        if unsafe chunks.last.map({ used + needed <= $0.count }) ?? false { return }
        let size = unsafe chunks.isEmpty ? ResponseKeyBytes.firstChunkSize : ResponseKeyBytes.chunkSize
        let chunk = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(size, needed))
        unsafe chunk.initialize(repeating: 0)
        unsafe chunks.append(chunk)
        capacity += chunk.count
        used = 0
    }

    private func append(_ byte: UInt8) {
        unsafe chunks[chunks.count - 1][used] = byte
        used += 1
    }
}
