/// A strict JSON reader for UTF-8 bytes (RFC 8259): no comments, no trailing commas, no NaN, no byte order
/// mark.
///
/// The bytes are a parameter of every function, because a span cannot be stored; all calls must pass the
/// same bytes.
///
/// Same name as the type of Upstream, which reads responses of providers straight into typed values: this one reads the values of
/// a request, whose types are those of the schema, and reports lines and columns.
struct JSONReader {
    /// The offset of the next byte.
    private(set) var offset = 0
    private var depth = 0
    private let maximumDepth: Int
    private var valueCount = 0
    private let maximumValues: Int

    /// Creates a reader at the start of the text.
    ///
    /// - Throws: `.tooLong`, before a byte is read.
    init(_ bytes: Span<UInt8>, limits: JSONLimits) throws(JSONFailure) {
        guard bytes.count <= limits.bytes else {
            throw JSONFailure(reason: .tooLong(limit: limits.bytes), offset: 0)
        }
        maximumDepth = limits.depth
        maximumValues = limits.values
    }

    // MARK: - Values

    /// Reads the next value.
    mutating func value(in bytes: Span<UInt8>) throws(JSONFailure) -> InputValue {
        let first = peek(in: bytes)
        guard valueCount < maximumValues else {
            throw JSONFailure(reason: .tooManyValues(limit: maximumValues), offset: offset)
        }
        valueCount += 1
        switch first {
        case UInt8(ascii: "\""): return .string(try string(in: bytes))
        case UInt8(ascii: "{"): return .object(try object(in: bytes))
        case UInt8(ascii: "["): return .list(try list(in: bytes))
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number(in: bytes)
        case UInt8(ascii: "t"): return try literal("true", .boolean(true), in: bytes)
        case UInt8(ascii: "f"): return try literal("false", .boolean(false), in: bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, in: bytes)
        default: throw unexpected(.value, in: bytes)
        }
    }

    /// Reads an object from its opening brace.
    mutating func object(in bytes: Span<UInt8>) throws(JSONFailure) -> InputObject {
        var fields: [(name: String, value: InputValue)] = []
        var names = KeysSeen()
        try enter()
        while let (name, nameOffset) = try nextName(in: bytes, isFirst: fields.isEmpty) {
            guard names.insert(name, into: fields) else {
                throw JSONFailure(reason: .duplicateName(name), offset: nameOffset)
            }
            fields.append((name, try value(in: bytes)))
        }
        return InputObject(fields)
    }

    private mutating func list(in bytes: Span<UInt8>) throws(JSONFailure) -> [InputValue] {
        var items: [InputValue] = []
        try enter()
        if peek(in: bytes) == UInt8(ascii: "]") {
            exit()
            return items
        }
        while true {
            items.append(try value(in: bytes))
            switch peek(in: bytes) {
            case UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "]"):
                exit()
                return items
            default: throw unexpected(.commaOrBracket, in: bytes)
            }
        }
    }

    private mutating func literal(
        _ text: StaticString, _ value: InputValue, in bytes: Span<UInt8>
    ) throws(JSONFailure) -> InputValue {
        guard matches(text, in: bytes) else { throw unexpected(.value, in: bytes) }
        offset += text.utf8CodeUnitCount
        return value
    }

    private func matches(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
        let length = text.utf8CodeUnitCount
        guard length <= bytes.count - offset else { return false }
        return text.withUTF8Buffer { expected in
            (0..<length).allSatisfy { unsafe expected[$0] == bytes[offset + $0] }
        }
    }

    // MARK: - Structure

    /// Enters the array or object at its opening bracket or brace.
    mutating func enter() throws(JSONFailure) {
        guard depth < maximumDepth else {
            throw JSONFailure(reason: .tooDeep(limit: maximumDepth), offset: offset)
        }
        depth += 1
        offset += 1
    }

    /// Leaves the array or object at its closing bracket or brace.
    private mutating func exit() {
        depth -= 1
        offset += 1
    }

    /// Reads the name of the object's next member and the colon, and returns the name with its offset; nil
    /// at the end of the object.
    mutating func nextName(
        in bytes: Span<UInt8>, isFirst: Bool
    ) throws(JSONFailure) -> (name: String, offset: Int)? {
        let next = peek(in: bytes)
        if next == UInt8(ascii: "}") {
            exit()
            return nil
        }
        if !isFirst {
            guard next == UInt8(ascii: ",") else { throw unexpected(.commaOrBrace, in: bytes) }
            offset += 1
        }
        guard peek(in: bytes) == UInt8(ascii: "\"") else {
            throw unexpected(isFirst ? .nameOrBrace : .name, in: bytes)
        }
        let nameOffset = offset
        let name = try string(in: bytes)
        guard peek(in: bytes) == UInt8(ascii: ":") else { throw unexpected(.colon, in: bytes) }
        offset += 1
        return (name, nameOffset)
    }

    /// Returns true if another array element follows, and reads the comma before it; leaves the array at its
    /// end.
    mutating func nextElement(in bytes: Span<UInt8>, isFirst: Bool) throws(JSONFailure) -> Bool {
        let next = peek(in: bytes)
        if next == UInt8(ascii: "]") {
            exit()
            return false
        }
        if !isFirst {
            guard next == UInt8(ascii: ",") else { throw unexpected(.commaOrBracket, in: bytes) }
            offset += 1
        }
        return true
    }

    /// Checks that only white space remains.
    mutating func end(in bytes: Span<UInt8>) throws(JSONFailure) {
        guard peek(in: bytes) == nil else { throw unexpected(.end, in: bytes) }
    }

    // MARK: - Bytes

    /// Skips white space and returns the next byte without consuming it; nil at the end.
    mutating func peek(in bytes: Span<UInt8>) -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return byte
            }
        }
        return nil
    }

    func byte(at position: Int, in bytes: Span<UInt8>) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    mutating func move(to position: Int) {
        offset = position
    }

    func unexpected(_ expected: JSONError.ExpectedToken, in bytes: Span<UInt8>) -> JSONFailure {
        JSONFailure(
            reason: .unexpected(found: byte(at: offset, in: bytes), expected: expected), offset: offset)
    }
}

/// The names of an object so far.
///
/// A small object is searched linearly, a large one through a hash set, so that the time is not quadratic in
/// the number of names.
private struct KeysSeen {
    private var hashed: Set<UTF8Key> = []
    private static let maximumLinearSearch = 12

    /// Returns false if the name already exists.
    mutating func insert(_ name: String, into fields: [(name: String, value: InputValue)]) -> Bool {
        guard fields.count >= Self.maximumLinearSearch else {
            return !fields.contains { $0.name.hasSameBytes(as: name) }
        }
        if fields.count == Self.maximumLinearSearch { hashed = Set(fields.map { UTF8Key($0.name) }) }
        return hashed.insert(UTF8Key(name)).inserted
    }
}

extension JSONReader {
    /// Reads a number (RFC 8259, section 6): an integer if it fits into 64 bits, otherwise its digits.
    mutating func number(in bytes: Span<UInt8>) throws(JSONFailure) -> InputValue {
        let start = offset
        var integer = Integer()
        if byte(at: offset, in: bytes) == UInt8(ascii: "-") {
            integer.isNegative = true
            move(to: offset + 1)
        }
        let first = offset
        try digits(in: bytes) { integer.append($0) }
        if offset - first > 1, bytes[first] == UInt8(ascii: "0") {
            throw JSONFailure(reason: .leadingZero, offset: first)
        }
        let isWhole = try !fraction(in: bytes)
        let isPlain = try !exponent(in: bytes)
        if isWhole, isPlain, let value = integer.value { return .int(value) }
        // The bytes are digits, signs, a dot and an e, so they are ASCII.
        var text = ""
        text.reserveCapacity(offset - start)
        for position in start..<offset { text.unicodeScalars.append(Unicode.Scalar(bytes[position])) }
        return .number(text)
    }

    /// Reads an optional fraction; returns true if there is one.
    private mutating func fraction(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard byte(at: offset, in: bytes) == UInt8(ascii: ".") else { return false }
        move(to: offset + 1)
        try digits(in: bytes) { _ in }
        return true
    }

    /// Reads an optional exponent; returns true if there is one.
    private mutating func exponent(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard let mark = byte(at: offset, in: bytes), mark | 0x20 == UInt8(ascii: "e") else { return false }
        move(to: offset + 1)
        if let sign = byte(at: offset, in: bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            move(to: offset + 1)
        }
        try digits(in: bytes) { _ in }
        return true
    }

    /// Reads one or more digits.
    private mutating func digits(in bytes: Span<UInt8>, _ take: (UInt8) -> Void) throws(JSONFailure) {
        var end = offset
        while let byte = byte(at: end, in: bytes), byte &- UInt8(ascii: "0") < 10 {
            take(byte &- UInt8(ascii: "0"))
            end += 1
        }
        guard end > offset else { throw unexpected(.digit, in: bytes) }
        move(to: end)
    }
}

/// An integer that is read digit by digit, with overflow detection.
private struct Integer {
    var isNegative = false
    /// The negated value; nil after an overflow.
    ///
    /// It is zero or negative, because there is one more negative integer than positive ones.
    private var negated: Int? = 0

    mutating func append(_ digit: UInt8) {
        guard let number = negated else { return }
        let (tens, isTooFar) = number.multipliedReportingOverflow(by: 10)
        let (sum, isOver) = tens.subtractingReportingOverflow(Int(digit))
        negated = isTooFar || isOver ? nil : sum
    }

    var value: Int? {
        guard let negated else { return nil }
        if isNegative { return negated }
        return negated == .min ? nil : -negated
    }
}
