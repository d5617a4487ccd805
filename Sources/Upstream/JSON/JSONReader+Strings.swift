package import Brokerage

extension JSONReader {
    /// Reads a string, its escapes resolved.
    package mutating func string() throws(JSONError) -> String {
        let (range, isEscaped) = try scanString()
        return isEscaped ? String(decoding: try unescaped(range), as: UTF8.self) : string(range)
    }

    /// Reads a string without creating a `String`: `side = try reader.token { switch $0 { case "buy": … } }`.
    ///
    /// `map` receives the bytes of the string, and returns nil for an unknown name, which is an error; `names` lists
    /// the known names for its message: `"buy", "sell"`.
    @inlinable
    package mutating func token<Value>(
        oneOf names: StaticString, _ map: (JSONKey) -> Value?
    ) throws(JSONError) -> Value {
        let (token, start) = try tokenWithPlace()
        guard let value = map(token) else { throw unknownName(of: names, at: start) }
        return value
    }

    /// A string with the index of its first byte.
    @usableFromInline
    mutating func tokenWithPlace() throws(JSONError) -> (JSONKey, Int) {
        skipWhitespace()
        let start = position
        return (try token(), start)
    }

    @usableFromInline
    func unknownName(of names: StaticString, at position: Int) -> JSONError {
        JSONError(.unreadable(.oneOf("\(names)")), at: position)
    }

    /// Reads the name of a value of an enumeration, to which a provider may add values.
    ///
    /// An unknown name, for which `convert` returns nil, is nil, and reported by an inspection.
    package mutating func name<Value>(_ convert: (String) -> Value?) throws(JSONError) -> Value? {
        skipWhitespace()
        let start = position
        let value = convert(try string())
        if value == nil { note(.unknownName, at: start) }
        return value
    }

    /// Reads the name of a value of an enumeration, and keeps it also if it is unknown, which an inspection reports.
    package mutating func name(where isKnown: (String) -> Bool) throws(JSONError) -> String {
        skipWhitespace()
        let start = position
        let text = try string()
        if notes != nil, !isKnown(text) { note(.unknownName, at: start) }
        return text
    }

    /// Reads a string to be switched over like a key.
    package mutating func token() throws(JSONError) -> JSONKey {
        let (range, isEscaped) = try scanString()
        return isEscaped ? try unescapedKey(range, isStrict: false) : key(range)
    }

    /// Reads an RFC 3339 date-time.
    package mutating func instant() throws(JSONError) -> Instant {
        try parsed(.instant) { bytes in try? RFC3339.instant(bytes) }
    }

    /// Reads a date: `2026-11-20`.
    package mutating func date() throws(JSONError) -> CalendarDate {
        try parsed(.date) { bytes in CalendarDate(utf8: bytes) }
    }

    /// Reads a string without escapes as something else.
    mutating func parsed<Value>(
        _ expectation: JSONError.ExpectedType, _ parse: (Span<UInt8>) -> Value?
    ) throws(JSONError) -> Value {
        skipWhitespace()
        let start = position
        guard byte(at: start) == UInt8(ascii: "\"") else { throw mismatch(expectation) }
        let (range, isEscaped) = try scanString()
        guard !isEscaped, let value = withBytes(range, parse) else {
            throw JSONError(.unreadable(expectation), at: start)
        }
        return value
    }

    // MARK: Scanning

    mutating func key() throws(JSONError) -> JSONKey {
        skipWhitespace()
        // An object's key can only be a string: another kind of value there is a fault of the text.
        guard byte(at: position) == UInt8(ascii: "\"") else { throw unexpected(at: position) }
        let start = position &+ 1
        // Most keys end within a word.
        if let word = word(at: start)?.littleEndian {
            let hits = Self.special(in: word)
            let length = hits.trailingZeroBitCount / 8
            if hits != 0, byte(at: start &+ length) == UInt8(ascii: "\"") {
                position = start &+ length &+ 1
                return key(start..<(start &+ length))
            }
        }
        let (range, isEscaped) = try scanString()
        return isEscaped ? try unescapedKey(range, isStrict: true) : key(range)
    }

    /// The bytes between the quotes, and whether there are escapes among them.
    @inline(__always)
    mutating func scanString() throws(JSONError) -> (Range<Int>, isEscaped: Bool) {
        skipWhitespace()
        guard byte(at: position) == UInt8(ascii: "\"") else { throw mismatch(.string) }
        let start = position &+ 1
        var index = start
        var isEscaped = false
        while true {
            index = plainEnd(from: index)
            switch byte(at: index) {
            case UInt8(ascii: "\""):
                position = index &+ 1
                return (start..<index, isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                // Escapes are checked when they are resolved; here it only matters not to mistake `\"` for the end.
                index &+= 2
            default:
                guard index < count else { throw JSONError(.unexpectedEnd, at: count) }
                throw JSONError(.controlCharacter, at: index)
            }
        }
    }

    /// The first quote, backslash or control character from `index` on, or the end.
    @inline(__always)
    private func plainEnd(from index: Int) -> Int {
        var index = index
        while let word = word(at: index)?.littleEndian {
            let hits = Self.special(in: word)
            if hits != 0 { return index &+ hits.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count {
            let byte = byte(at: index)
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            index &+= 1
        }
        return index
    }

    /// The highest bit of the first byte of a word that is a quote, a backslash or a control character; 0 if
    /// there is none.
    ///
    /// A byte below 0x20, or equal to `"` or `\`, borrows into its highest bit. Bytes from 0x80 on are masked
    /// out. A borrow can reach only past the first hit, never before it: bits after the first one have no
    /// meaning.
    @inline(__always)
    private static func special(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let below = word &- (ones &* 0x20)
        return ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | below & ~word) & highs
    }

    mutating func skipString(isKey: Bool = false) throws(JSONError) {
        let (range, isEscaped) = try scanString()
        if isEscaped { _ = try unescaped(range, isStrict: isKey) }
    }
}

extension JSONReader {
    /// The bytes of a string with its escapes resolved; RFC 8259, section 7.
    ///
    /// Half of a surrogate pair is U+FFFD: the grammar allows it (section 8.2), and a text that was cut in an emoji has it. With
    /// `isStrict` it is an error: keys with different halves would be equal.
    func unescaped(_ range: Range<Int>, isStrict: Bool = false) throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = byte(at: index)
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                index += 1
                continue
            }
            if self.byte(at: index + 1) == UInt8(ascii: "u") {
                let start = index
                let scalar = try unicodeEscape(at: &index, end: range.upperBound)
                if isStrict, scalar == nil { throw JSONError(.loneSurrogate, at: start) }
                bytes.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}").map(Array.init) ?? [])
            } else {
                bytes.append(try shortEscape(at: index))
                index += 2
            }
        }
        return bytes
    }

    func unescapedKey(_ range: Range<Int>, isStrict: Bool) throws(JSONError) -> JSONKey {
        let bytes = try unescaped(range, isStrict: isStrict)
        return unsafe bytes.withUnsafeBytes { buffer in
            // An empty array may have no address, and a key of no bytes reads none.
            guard let base = buffer.baseAddress else { return key(range.lowerBound..<range.lowerBound) }
            return unsafe JSONKey(start: base, count: buffer.count, available: buffer.count)
        }
    }

    private func shortEscape(at index: Int) throws(JSONError) -> UInt8 {
        switch byte(at: index + 1) {
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "/"): return UInt8(ascii: "/")
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: throw JSONError(.invalidEscape, at: index)
        }
    }

    /// One `\u` with four hexadecimal digits, or two that make a surrogate pair; nil for half of a pair.
    private func unicodeEscape(at index: inout Int, end: Int) throws(JSONError) -> Unicode.Scalar? {
        let first = try hexadecimal(at: &index, end: end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Only surrogates are no scalars here: a high one must be followed by the escape of a low one.
        guard first < 0xDC00, index + 1 < end, byte(at: index) == UInt8(ascii: "\\"),
            byte(at: index + 1) == UInt8(ascii: "u")
        else { return nil }
        var next = index
        let second = try hexadecimal(at: &next, end: end)
        // An escape of another character is read on its own.
        guard (0xDC00...0xDFFF).contains(second) else { return nil }
        index = next
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private func hexadecimal(at index: inout Int, end: Int) throws(JSONError) -> UInt32 {
        guard index + 6 <= end else { throw JSONError(.invalidEscape, at: index) }
        var value: UInt32 = 0
        for position in (index + 2)..<(index + 6) {
            guard let digit = Self.hexadecimalDigit(byte(at: position)) else {
                throw JSONError(.invalidEscape, at: index)
            }
            value = value << 4 | digit
        }
        index += 6
        return value
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
