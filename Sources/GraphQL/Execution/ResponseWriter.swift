/// Writes a response as JSON (RFC 8259) into one growing buffer of UTF-8 bytes.
///
/// The write pass passes the writer as `inout`; it is never copied, so its buffer needs no reference
/// counting and no exclusivity check. If a position fails, the writer is rewound to its `Checkpoint`, and null is
/// written instead.
///
/// The writer owns plain memory instead of an array because every byte of a response passes through it: an
/// array's uniqueness and bounds checks take a third of the whole execution. All writes go through
/// `reserve`, which reserves `slack` bytes after the end, so that short sequences can be copied in whole
/// machine words.
///
/// The file is longer than 350 lines, because all writes use the private memory.
@safe
public struct ResponseWriter: ~Copyable {
    @usableFromInline
    var base: UnsafeMutablePointer<UInt8>
    @usableFromInline
    package var count = 0
    @usableFromInline
    package var capacity: Int

    /// The current position in the response; see `ResponsePath`.
    @usableFromInline
    var path: ResponsePath
    /// The failures so far, in response order.
    @usableFromInline
    var failures: [FieldFailure] = []
    /// The data of loads for this pass: columns and coerced arguments, by slot.
    @usableFromInline
    var slots: LoadSlots
    /// Records the deferred parts of the written objects; nil for a complete response.
    @usableFromInline
    var increments: IncrementRecorder?

    /// The maximum number of bytes of the text.
    private let limit: Int
    /// True if the text has become longer than its limit.
    ///
    /// Its bytes are then meaningless, and further writes overwrite them. A list or an object that detects
    /// this reports a failure, which no position above accepts as null.
    @usableFromInline
    package var isOverLimit = false
    /// The minimum number of bytes that the recorded failures add to the text.
    private var failureBytes = 0

    /// The number of bytes after the capacity that may be overwritten, but are never read.
    @usableFromInline
    static var slack: Int { 64 }

    /// True if the writer owns its memory, which it does after it has grown.
    var ownsMemory = false

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - memory: The initial memory of the response; it must outlive the writer.
    ///   - limit: The maximum number of bytes of the text.
    ///   - path: The initial memory of the path, with room for `ResponsePath.initialCapacity` segments.
    ///   - slots: The data of loads.
    init(
        in memory: UnsafeMutableBufferPointer<UInt8>, limit: Int, path: UnsafeMutablePointer<Int>,
        slots: LoadSlots
    ) {
        // An empty buffer has no address; all callers pass a non-empty one.
        unsafe base = memory.baseAddress.unsafelyUnwrapped
        self.limit = limit
        // Also if there is more memory, so that the limit needs no separate comparison.
        capacity = min(memory.count - ResponseWriter.slack, limit)
        unsafe self.path = ResponsePath(in: path)
        self.slots = slots
    }

    deinit {
        if ownsMemory { unsafe base.deallocate() }
    }

    /// A position to which the writer can be rewound.
    @usableFromInline
    struct Checkpoint {
        @usableFromInline let count: Int
        @usableFromInline let depth: Int

        @inlinable
        init(count: Int, depth: Int) {
            self.count = count
            self.depth = depth
        }
    }

    @inlinable
    @inline(__always)
    var checkpoint: Checkpoint { Checkpoint(count: count, depth: path.depth) }

    /// Discards the text written since the mark.
    @inlinable
    @inline(__always)
    mutating func rewind(to mark: Checkpoint) {
        count = mark.count
        path.depth = mark.depth
        if let increments { increments.discard(from: mark.count) }
    }

    /// The bytes written so far.
    var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: base, count: count))
    }

    // MARK: - Room

    /// Makes room for `additional` bytes.
    @inlinable
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if count &+ additional > capacity { grow(by: additional) }
    }

    @inline(never)
    @usableFromInline
    mutating func grow(by additional: Int) {
        if isOverLimit || additional > limit - count { exceedLimit() }
        if count + additional <= capacity { return }
        // Above the limit the buffer has one value only, for which its writer expects room.
        let larger = max(min(capacity * 2, limit), count + additional)
        unsafe grow(into: .allocate(capacity: larger + ResponseWriter.slack))
        capacity = larger
    }

    /// Discards the text: further writes overwrite it.
    private mutating func exceedLimit() {
        isOverLimit = true
        count = 0
        failures = []
    }

    private mutating func grow(into memory: UnsafeMutablePointer<UInt8>) {
        unsafe memory.update(from: base, count: count)
        if ownsMemory { unsafe base.deallocate() }
        unsafe base = memory
        ownsMemory = true
    }

    // MARK: - Failures

    /// Records a failure at the current position of the writer.
    @inline(never)
    @usableFromInline
    mutating func fail(_ error: any Error) {
        guard !isOverLimit else { return }
        let failure = FieldFailure(path: path.copy, error: error)
        failureBytes += failure.minimumBytes
        guard failureBytes <= limit - count else { return exceedLimit() }
        failures.append(failure)
    }

    /// Records a deferred part at the current position of the writer.
    ///
    /// Its entry counts before it is written, because a part takes more memory than its text.
    mutating func record(_ increment: Increment) {
        guard !isOverLimit, let increments else { return }
        increments.add(increment, at: count)
        if increments.bytes > limit - count { exceedLimit() }
    }

    // MARK: - Bytes

    /// Writes one byte.
    @inlinable
    @inline(__always)
    mutating func write(byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count &+= 1
    }

    /// The last byte of the text; nil if it is empty.
    var lastByte: UInt8? { count > 0 ? unsafe base[count - 1] : nil }

    /// Replaces a byte that has been written.
    mutating func replace(at position: Int, with byte: UInt8) {
        if position < count { unsafe base[position] = byte }
    }

    /// Writes text that is valid JSON.
    @inlinable
    @inline(__always)
    public mutating func write(json text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        unsafe (base + count).update(from: text.utf8Start, count: length)
        count &+= length
    }

    /// Writes bytes that are valid JSON.
    @inlinable
    public mutating func write(json bytes: Span<UInt8>) {
        let length = bytes.count
        reserve(length)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe (base + count).update(from: start, count: length)
        }
        count &+= length
    }

    /// Writes an encoded response key: `{"name":` or `,"name":`.
    ///
    /// Its memory must be readable 16 bytes past its end.
    @inlinable
    @inline(__always)
    mutating func write(key: UnsafePointer<UInt8>, length: Int) {
        reserve(length)
        let target = unsafe UnsafeMutableRawPointer(base + count)
        let source = unsafe UnsafeRawPointer(key)
        var offset = 0
        repeat {
            unsafe target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self),
                toByteOffset: offset, as: SIMD16<UInt8>.self)
            offset &+= 16
        } while offset < length
        count &+= length
    }

    // MARK: - Literals

    /// Writes the literal `null`.
    @inlinable
    @inline(__always)
    public mutating func writeNull() {
        reserve(4)
        // "null", least significant byte first.
        unsafe UnsafeMutableRawPointer(base + count).storeBytes(
            of: UInt32(0x6c6c_756e).littleEndian, as: UInt32.self)
        count &+= 4
    }

    /// Writes the literal `true` or `false`.
    @inlinable
    @inline(__always)
    public mutating func write(_ value: Bool) {
        if value { write(json: "true") } else { write(json: "false") }
    }

    /// Writes digits or other ASCII that a scalar formats itself: at most `maximum` bytes, stored in the
    /// span as they appear in the response.
    @inlinable
    public mutating func write(upTo maximum: Int, _ form: (inout OutputSpan<UInt8>) -> Void) {
        reserve(maximum)
        let buffer = unsafe UnsafeMutableBufferPointer(start: base + count, count: maximum)
        var span = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        form(&span)
        count &+= unsafe span.finalize(for: buffer)
    }
}

extension ResponseWriter {
    /// The number of bytes written on the stack, for which Swift provides up to a kibibyte.
    private static var stackCapacity: Int { 1024 }

    /// Returns the bytes that `write` writes.
    ///
    /// - Parameters:
    ///   - expected: The expected number of bytes. Few are written on the stack, and many directly into
    ///     their final memory; more than expected are copied once.
    ///   - limit: The maximum number of bytes; above it, `isOverLimit` is true for `write`.
    ///   - slots: The data of loads.
    ///   - write: The write pass.
    /// - Returns: The bytes; meaningless above the limit.
    package static func bytes(
        expecting expected: Int, limit: Int = .max, slots: LoadSlots = .none,
        _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: ResponsePath.initialCapacity) { path in
            // With this capacity it is never empty, so it has an address.
            let path = unsafe path.baseAddress.unsafelyUnwrapped
            if expected + slack > stackCapacity {
                return unsafe bytes(in: expected, limit: limit, path, slots, write)
            }
            return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stackCapacity) { memory in
                var writer = unsafe ResponseWriter(in: memory, limit: limit, path: path, slots: slots)
                write(&writer)
                return writer.bytes
            }
        }
    }

    /// Writes into the memory of the returned array.
    private static func bytes(
        in capacity: Int, limit: Int, _ path: UnsafeMutablePointer<Int>, _ slots: LoadSlots,
        _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        var copy: [UInt8]?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity + slack) { memory, count in
            var writer = unsafe ResponseWriter(in: memory, limit: limit, path: path, slots: slots)
            write(&writer)
            // Also copies a response far shorter than expected, because an array retains its initial
            // capacity.
            if writer.ownsMemory || writer.count < capacity / 2 && capacity > 4096 {
                copy = writer.bytes
            } else {
                count = writer.count
            }
        }
        return copy ?? bytes
    }
}

extension ResponseWriter {
    /// Writes the errors of a response (specification, section 7.1.2).
    mutating func write(_ errors: [GraphQLError]) {
        write(list: errors) { $0.write($1) }
    }

    /// Writes one error.
    mutating func write(_ error: GraphQLError) {
        write(json: "{\"message\":")
        write(error.message)
        if !error.locations.isEmpty {
            write(json: ",\"locations\":")
            write(list: error.locations) { writer, location in
                writer.write(json: "{\"line\":")
                writer.write(location.line)
                writer.write(json: ",\"column\":")
                writer.write(location.column)
                writer.write(json: "}")
            }
        }
        if let path = error.path {
            write(json: ",\"path\":")
            write(path)
        }
        if !error.extensions.fields.isEmpty {
            write(json: ",\"extensions\":")
            write(.object(error.extensions))
        }
        write(json: "}")
    }

    /// Writes a path in a response.
    mutating func write(_ path: [PathSegment]) {
        write(list: path) { writer, segment in
            switch segment {
            case .key(let key): writer.write(key)
            case .index(let index): writer.write(index)
            }
        }
    }

    /// Writes a value as JSON; enum values become strings.
    mutating func write(_ value: InputValue) {
        switch value {
        case .null: writeNull()
        case .boolean(let value): write(value)
        case .int(let number): write(number)
        case .number(let text): write(json: text.utf8Span.span)
        case .string(let text), .enum(let text): write(text)
        case .list(let items): write(list: items) { $0.write($1) }
        case .object(let object):
            write(json: "{")
            for (position, field) in object.fields.enumerated() {
                if position > 0 { write(json: ",") }
                write(field.name)
                write(json: ":")
                write(field.value)
            }
            write(json: "}")
        }
    }

    private mutating func write<Item>(list items: [Item], _ write: (inout ResponseWriter, Item) -> Void) {
        self.write(json: "[")
        for (position, item) in items.enumerated() {
            if position > 0 { self.write(json: ",") }
            write(&self, item)
        }
        self.write(json: "]")
    }
}
