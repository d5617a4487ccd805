import Brokerage

/// Reads a JSON text from front to back straight into typed values: no tree, no dictionary, no `Codable`.
///
/// ```swift
/// let account = try JSONReader.read(body) { reader throws(JSONError) in
///     var equity: Decimal?
///     try reader.object { key, reader throws(JSONError) in
///         switch key {
///         case "equity": equity = try reader.decimal()
///         default: try reader.skip()
///         }
///     }
///     return Account(equity: try reader.required(equity, "equity"))
/// }
/// ```
///
/// The text is checked strictly by RFC 8259, also where it is skipped. An object that is read is refused if it has a key
/// twice, even if the values of the key are skipped: RFC 8259, section 4, does not define which of them is valid. The keys
/// of objects within a skipped value are not compared. Each method reads exactly one value, and fails if the next value is
/// of another kind.
@safe
@usableFromInline
package struct JSONReader: ~Copyable {
    /// The text, which ``read(_:maximumDepth:_:)`` keeps alive while the reader exists.
    ///
    /// A `Span` may not be stored before Swift has lifetimes for it, hence the pointer: all reads go through
    /// `byte(at:)` or check `count`.
    private let base: UnsafePointer<UInt8>
    let count: Int
    var position = 0
    var depth = 0
    private let maximumDepth: Int
    /// The positions of the keys of the objects that are being read: one place for each of the outermost
    /// four.
    let keys: UnsafeMutableBufferPointer<UInt64>
    var objectDepth = 0
    /// The tables of those objects that have many keys, inner objects after outer ones.
    var tables: [JSONKeyTable] = []
    /// What was noticed; nil without an inspection.
    var notes: [JSONNote]?

    @unsafe
    private init(
        _ base: UnsafePointer<UInt8>, count: Int, maximumDepth: Int, keys: UnsafeMutableBufferPointer<UInt64>
    ) {
        unsafe self.base = base
        self.count = count
        self.maximumDepth = maximumDepth
        unsafe self.keys = keys
    }

    /// Reads one text, which must hold one value and nothing else.
    ///
    /// - Parameters:
    ///   - text: UTF-8, without a byte order mark.
    ///   - maximumDepth: How many arrays and objects may be nested in each other.
    ///   - body: Reads the value.
    /// - Returns: what `body` made of it.
    /// - Throws: the first fault of the text, or what `body` throws.
    package static func read<Value>(
        _ text: [UInt8], maximumDepth: Int = 64,
        _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try checkUTF8(text)
        let inspection = JSONInspection.current
        let result: Result<Value, JSONError> = unsafe text.withUnsafeBufferPointer { buffer in
            // An empty array may have no address; any will do for a text of no bytes.
            let base = unsafe buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
            guard let base = unsafe base else { return .failure(JSONError(.unexpectedEnd, at: 0)) }
            // On the stack: a message of a stream is read in less time than an allocation of this size takes.
            return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4 * slotWords) { keys in
                for start in stride(from: 0, to: keys.count, by: Self.slotWords) { unsafe keys[start] = 0 }
                var reader = unsafe JSONReader(
                    base, count: buffer.count, maximumDepth: maximumDepth, keys: keys)
                if inspection != nil { reader.notes = [] }
                do throws(JSONError) {
                    let value = try body(&reader)
                    try reader.finish()
                    inspection?.add(reader.notes ?? [], nil, in: text)
                    return .success(value)
                } catch {
                    inspection?.add(reader.notes ?? [], error, in: text)
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private static func checkUTF8(_ text: [UInt8]) throws(JSONError) {
        do {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONError(.invalidUTF8, at: error.byteOffsets.lowerBound)
        }
    }

    private mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard position == count else { throw JSONError(.trailingContent, at: position) }
    }

    // MARK: Bytes

    /// 0 behind the end, which no JSON text has outside or inside of its strings.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        index < count ? unsafe base[index] : 0
    }

    /// Returns the result of `body` for the bytes of `range`, which must be inside the text.
    @inline(__always)
    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        let buffer = unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
        return body(unsafe Span(_unsafeElements: buffer))
    }

    /// Reads a number with the scanner of ``Brokerage/Decimal``, from `position` on.
    @inline(__always)
    mutating func scanDecimal() throws(Decimal.ParseFailure) -> Decimal {
        let buffer = unsafe UnsafeBufferPointer(start: base, count: count)
        return try Decimal.scan(unsafe Span(_unsafeElements: buffer), at: &position)
    }

    /// Loads eight bytes; there must be eight from `index` on.
    @inline(__always)
    func word(at index: Int) -> UInt64? {
        guard index &+ 8 <= count else { return nil }
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    func key(_ range: Range<Int>) -> JSONKey {
        unsafe JSONKey(
            start: base + range.lowerBound, count: range.count, available: count - range.lowerBound)
    }

    func string(_ range: Range<Int>) -> String {
        unsafe String(
            decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
    }

    @inline(__always)
    mutating func skipWhitespace() {
        // Providers send compact texts: mostly there is none.
        while byte(at: position) <= 0x20, isWhitespace(byte(at: position)) { position &+= 1 }
    }

    @inline(__always)
    private func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The fault of meeting something else than the grammar allows here.
    func unexpected(at index: Int) -> JSONError {
        index < count
            ? JSONError(.unexpectedByte(byte(at: index)), at: index) : JSONError(.unexpectedEnd, at: count)
    }

    // MARK: Nesting

    @inline(__always)
    mutating func enter(_ opening: UInt8, _ expectation: JSONError.ExpectedType) throws(JSONError) {
        skipWhitespace()
        guard byte(at: position) == opening else { throw mismatch(expectation) }
        guard depth < maximumDepth else { throw JSONError(.tooDeep(limit: maximumDepth), at: position) }
        depth &+= 1
        position &+= 1
        skipWhitespace()
    }

    @inline(__always)
    mutating func leave() {
        depth &-= 1
        position &+= 1
    }

    // MARK: Keys

    /// The keys of an object that is being read.
    struct SeenKeys {
        /// The start of the object's place in the reader's `keys`, which has the number of keys, then their
        /// positions.
        fileprivate let start: Int
        /// The number of keys in the place.
        ///
        /// Further keys are in a table.
        fileprivate var count = 0
        /// Whether these are the first keys of the last object at this place, in its order.
        ///
        /// They then need no comparison.
        fileprivate var areKnown: Bool
        /// A bit for each key that was compared.
        ///
        /// A key whose bit is not set is new.
        fileprivate var filterBits: UInt64 = 0
        fileprivate var hasTable = false
    }

    /// The number of words of a place.
    static let slotWords = 32

    mutating func beginKeys() -> SeenKeys {
        let start = objectDepth &* Self.slotWords
        objectDepth &+= 1
        return unsafe SeenKeys(start: start, areKnown: start < keys.count)
    }

    /// Reads a key, and checks that the object has not had it before.
    ///
    /// Most objects have the same keys as the previous object at the same place, in the same order. Such a
    /// key is neither scanned nor compared with others: its text is that of the known key.
    @inline(__always)
    mutating func key(in seen: inout SeenKeys) throws(JSONError) -> JSONKey {
        skipWhitespace()
        if seen.areKnown, unsafe seen.count < keys[seen.start] {
            let known = keyRange(of: seen.count, seen)
            let from = position &+ 1
            if byte(at: position) == UInt8(ascii: "\""),
                hasText(at: from, of: known.lowerBound, known.count &+ 1)
            {
                seen.count &+= 1
                position = from &+ known.count &+ 1
                return key(from..<(from &+ known.count))
            }
        }
        return try newKey(in: &seen)
    }

    /// Whether bytes of the text equal those of an earlier position, by whole words; false near the end of
    /// the text.
    @inline(__always)
    private func hasText(at index: Int, of earlier: Int, _ length: Int) -> Bool {
        var rest = length
        var offset = 0
        while let word = word(at: index &+ offset), let known = self.word(at: earlier &+ offset) {
            let difference = word.littleEndian ^ known.littleEndian
            if rest <= 8 { return difference &<< UInt64(truncatingIfNeeded: 64 &- (rest &<< 3)) == 0 }
            guard difference == 0 else { return false }
            rest &-= 8
            offset &+= 8
        }
        return false
    }

    private func keyRange(of index: Int, _ seen: SeenKeys) -> Range<Int> {
        let packed = unsafe keys[seen.start &+ 1 &+ index]
        let from = Int(truncatingIfNeeded: packed &>> 16)
        return from..<(from &+ Int(truncatingIfNeeded: packed & 0xFFFF))
    }

    @inline(never)
    private mutating func newKey(in seen: inout SeenKeys) throws(JSONError) -> JSONKey {
        if seen.areKnown {
            seen.areKnown = false
            for index in 0..<seen.count { seen.filterBits |= key(keyRange(of: index, seen)).filterBit }
        }
        let from = position &+ 1
        let key = try key()
        let range = from..<(position &- 1)
        // The text of a key with escapes does not identify the key.
        let fits = key.hasText(of: range.count) && range.count <= 0xFFFF
        if seen.hasTable || !fits || seen.count &+ 1 == Self.slotWords || !hasSlot(seen) {
            guard insertIntoTable(key.fingerprint, &seen) else { throw duplicate(key) }
            return key
        }
        if seen.filterBits & key.filterBit != 0 {
            for index in 0..<seen.count
            where self.key(keyRange(of: index, seen)).fingerprint == key.fingerprint {
                throw duplicate(key)
            }
        }
        seen.filterBits |= key.filterBit
        unsafe keys[seen.start &+ 1 &+ seen.count] = UInt64(from) &<< 16 | UInt64(range.count)
        seen.count &+= 1
        return key
    }

    private mutating func insertIntoTable(_ fingerprint: UInt64, _ seen: inout SeenKeys) -> Bool {
        if !seen.hasTable {
            seen.hasTable = true
            tables.append(JSONKeyTable())
            for index in 0..<seen.count {
                _ = insertIntoTable(key(keyRange(of: index, seen)).fingerprint, &seen)
            }
        }
        // The tables of inner objects have been removed with them.
        return tables[tables.count &- 1].insert(fingerprint)
    }

    /// Whether the object has a place, which objects nested too deep do not have.
    private func hasSlot(_ seen: SeenKeys) -> Bool { unsafe seen.start < keys.count }

    private func duplicate(_ key: JSONKey) -> JSONError {
        JSONError(.duplicateKey, at: position).inside(.key(key.printable))
    }

    @inline(__always)
    mutating func endKeys(_ seen: SeenKeys) {
        objectDepth &-= 1
        if !seen.areKnown { learn(seen) }
    }

    private mutating func learn(_ seen: SeenKeys) {
        if seen.hasTable { tables.removeLast() }
        if hasSlot(seen) { unsafe keys[seen.start] = UInt64(seen.count) }
    }

    // MARK: Kinds

    /// The kind of the next value, by its first byte; the value is not consumed.
    package mutating func kind() throws(JSONError) -> JSONKind {
        skipWhitespace()
        switch byte(at: position) {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"): return .true
        case UInt8(ascii: "f"): return .false
        case UInt8(ascii: "n"): return .null
        default: throw unexpected(at: position)
        }
    }

    /// The error for a next value of another type.
    @inline(never)
    mutating func mismatch(_ expectation: JSONError.ExpectedType) -> JSONError {
        do throws(JSONError) {
            let found = try kind()
            return JSONError(.expected(expectation, found: found), at: position)
        } catch {
            return error
        }
    }
}
