/// Reads JSON from UTF-8 bytes, value by value, as RFC 8259 has it and nothing beside: no comments, no trailing
/// commas, no NaN, no byte order mark.
///
/// The bytes are a parameter of every step, since a span cannot be stored; they must be the same each time.
struct JSONReader {
    /// Where the next byte stands.
    private(set) var offset = 0
    private var depth = 0
    private let maximumDepth: Int
    private var valueCount = 0
    private let maximumValues: Int

    /// - Throws: `.tooLong`, before a byte is read.
    init(_ bytes: Span<UInt8>, limits: JSONLimits) throws(JSONFailure) {
        guard bytes.count <= limits.bytes else {
            throw JSONFailure(reason: .tooLong(limit: limits.bytes), offset: 0)
        }
        maximumDepth = limits.depth
        maximumValues = limits.values
    }

    // MARK: - Values

    /// The value that stands next.
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

    /// An object whose brace stands next.
    mutating func object(in bytes: Span<UInt8>) throws(JSONFailure) -> InputObject {
        var fields: [(name: String, value: InputValue)] = []
        var names = KeysSeen()
        try enter()
        while let (name, place) = try nextName(in: bytes, isFirst: fields.isEmpty) {
            guard names.insert(name, into: fields) else {
                throw JSONFailure(reason: .duplicateName(name), offset: place)
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

    /// Steps into the array or object whose bracket or brace stands next.
    mutating func enter() throws(JSONFailure) {
        guard depth < maximumDepth else {
            throw JSONFailure(reason: .tooDeep(limit: maximumDepth), offset: offset)
        }
        depth += 1
        offset += 1
    }

    /// Steps over the bracket or brace that ends the array or object.
    private mutating func exit() {
        depth -= 1
        offset += 1
    }

    /// The name of the object's next member and where it stands, with the colon behind it read; nil when the object
    /// has ended.
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
        let place = offset
        let name = try string(in: bytes)
        guard peek(in: bytes) == UInt8(ascii: ":") else { throw unexpected(.colon, in: bytes) }
        offset += 1
        return (name, place)
    }

    /// Whether another element of an array stands next, with the comma before it read; at its end, the array is left.
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

    /// Makes sure that nothing but white space is left.
    mutating func end(in bytes: Span<UInt8>) throws(JSONFailure) {
        guard peek(in: bytes) == nil else { throw unexpected(.end, in: bytes) }
    }

    // MARK: - Bytes

    /// The next byte that is no white space, which stays unread; nil at the end.
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

    func unexpected(_ expected: JSONError.Expectation, in bytes: Span<UInt8>) -> JSONFailure {
        JSONFailure(
            reason: .unexpected(found: byte(at: offset, in: bytes), expected: expected), offset: offset)
    }
}

/// The names of an object so far: looked up one by one while they are few, hashed once they are many, so that an
/// object of many names costs no quadratic time.
private struct KeysSeen {
    private var many: Set<UTF8Key> = []
    private static let few = 12

    /// False where the name is there already.
    mutating func insert(_ name: String, into fields: [(name: String, value: InputValue)]) -> Bool {
        guard fields.count >= Self.few else { return !fields.contains { $0.name.hasSameBytes(as: name) } }
        if fields.count == Self.few { many = Set(fields.map { UTF8Key($0.name) }) }
        return many.insert(UTF8Key(name)).inserted
    }
}

extension JSONReader {
    /// A number (RFC 8259, section 6): an integer where it fits into 64 bits, else the digits as they stand.
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
        // Digits, signs, a dot and an e: ASCII.
        var text = ""
        text.reserveCapacity(offset - start)
        for position in start..<offset { text.unicodeScalars.append(Unicode.Scalar(bytes[position])) }
        return .number(text)
    }

    /// Whether a fraction stood there.
    private mutating func fraction(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard byte(at: offset, in: bytes) == UInt8(ascii: ".") else { return false }
        move(to: offset + 1)
        try digits(in: bytes) { _ in }
        return true
    }

    /// Whether an exponent stood there.
    private mutating func exponent(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard let mark = byte(at: offset, in: bytes), mark | 0x20 == UInt8(ascii: "e") else { return false }
        move(to: offset + 1)
        if let sign = byte(at: offset, in: bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            move(to: offset + 1)
        }
        try digits(in: bytes) { _ in }
        return true
    }

    /// At least one digit.
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

/// The digits of a whole number, as long as they fit.
private struct Integer {
    var isNegative = false
    /// Nil once they did not fit; kept at or below zero, since there is one more negative number than positive ones.
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
