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
/// The text is checked by RFC 8259 to the letter, also where it is skipped. Of a key that occurs twice each value is
/// seen, so with the assignments above the last one stays. Each method reads exactly one value, and fails if the next
/// value is of another kind.
@safe
package struct JSONReader: ~Copyable {
    /// The text, which ``read(_:maximumDepth:_:)`` keeps alive while the reader exists.
    ///
    /// A `Span` may not be stored before Swift has lifetimes for it, hence the pointer: all reads go through
    /// `byte(at:)` or check `count`.
    private let base: UnsafePointer<UInt8>
    let count: Int
    var position = 0
    private var depth = 0
    private let maximumDepth: Int

    @unsafe
    private init(_ base: UnsafePointer<UInt8>, count: Int, maximumDepth: Int) {
        unsafe self.base = base
        self.count = count
        self.maximumDepth = maximumDepth
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
        let result: Result<Value, JSONError> = unsafe text.withUnsafeBufferPointer { buffer in
            // An empty array may have no address; any will do for a text of no bytes.
            let base = unsafe buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
            guard let base = unsafe base else { return .failure(JSONError(.unexpectedEnd, at: 0)) }
            var reader = unsafe JSONReader(base, count: buffer.count, maximumDepth: maximumDepth)
            do throws(JSONError) {
                let value = try body(&reader)
                try reader.finish()
                return .success(value)
            } catch {
                return .failure(error)
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

    /// What `body` makes of the bytes of `range`, which must lie inside of the text.
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

    /// Eight bytes at once; only where the text has so many from `index` on.
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
    mutating func enter(_ opening: UInt8, _ expectation: JSONError.Expectation) throws(JSONError) {
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

    /// The fault of a next value that is not what was asked for.
    @inline(never)
    mutating func mismatch(_ expectation: JSONError.Expectation) -> JSONError {
        do throws(JSONError) {
            let found = try kind()
            return JSONError(.expected(expectation, found: found), at: position)
        } catch {
            return error
        }
    }
}
