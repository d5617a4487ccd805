package import Brokerage

/// A JSON document of the sandbox, with exact decimal numbers and ordered members.
///
/// `Codable` would convert numbers through binary floating point and does not fix the order of members. The
/// same seed and clock must produce the same bytes.
///
/// The sandbox has its own reader and writer on purpose: it replaces the providers, so a mistake in common code would be on both
/// sides of each test. Upstream reads the responses of providers, GraphQL the requests of clients.
///
/// The file is longer than 350 lines, because it contains the parser and the writer of the same form.
package enum JSONDocument: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Decimal)
    /// A number written with an exponent, as .NET writes small ones: `5E-05`. The parser never returns it.
    case scientific(Decimal)
    case string(String)
    case array([JSONDocument])
    case object([Member])

    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: JSONDocument
    }
}

extension JSONDocument {
    /// Returns a decimal as a JSON string, without trailing zeros, as in Alpaca's trading API.
    package static func text(_ decimal: Decimal) -> JSONDocument {
        .string(decimal.withoutTrailingZeros.description)
    }

    /// Returns a decimal as a JSON number, without trailing zeros.
    package static func number(shortest decimal: Decimal) -> JSONDocument {
        .number(decimal.withoutTrailingZeros)
    }

    /// Returns an integer as a JSON number.
    package static func integer(_ value: Int) -> JSONDocument { .number(Decimal(value)) }

    /// Returns `null` for nil.
    package static func optional<Value>(_ value: Value?, _ write: (Value) -> JSONDocument) -> JSONDocument {
        value.map(write) ?? .null
    }

    /// The member of that name; nil for a missing member or another kind of value.
    package subscript(_ name: String) -> JSONDocument? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The value as an integer; nil for fractions and numbers out of the range of `Int`.
    package var integer: Int? {
        guard case .number(let number) = self else { return nil }
        let shortest = number.withoutTrailingZeros
        return shortest.scale == 0 ? Int(exactly: shortest.coefficient) : nil
    }
}

extension [JSONDocument.Member] {
    mutating func append(_ name: String, _ value: JSONDocument) {
        append(JSONDocument.Member(name: name, value: value))
    }
}

extension JSONDocument: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONDocument)...) {
        self = .object(elements.map { Member(name: $0, value: $1) })
    }
}

extension JSONDocument: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONDocument...) { self = .array(elements) }
}

extension JSONDocument: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONDocument: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .number(Decimal(value)) }
}

extension JSONDocument: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONDocument: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) { self = .null }
}

extension JSONDocument {
    /// A JSON syntax error with its position.
    package struct SyntaxError: Error, Hashable, CustomStringConvertible {
        package let expected: String
        /// The offset in bytes, from 0.
        package let offset: Int

        package init(expected: String, offset: Int) {
            self.expected = expected
            self.offset = offset
        }

        package var description: String { "expected \(expected) at byte \(offset)" }
    }

    /// The maximum nesting depth; the sandbox's scripts need three.
    package static let maximumDepth = 32

    /// Parses one document by RFC 8259; throws ``SyntaxError`` for anything else.
    ///
    /// Nesting beyond ``maximumDepth`` and numbers that an exact ``Decimal`` cannot represent are errors
    /// too.
    package init(parsing bytes: [UInt8]) throws(SyntaxError) {
        var reader = Reader(bytes: bytes)
        self = try reader.document()
    }
}

private struct Reader {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func failure(_ expected: String) -> JSONDocument.SyntaxError {
        JSONDocument.SyntaxError(expected: expected, offset: offset)
    }

    mutating func document() throws(JSONDocument.SyntaxError) -> JSONDocument {
        let value = try value(depth: 0)
        skipSpace()
        guard next == nil else { throw failure("the end of the document") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONDocument.SyntaxError) -> JSONDocument {
        guard depth < JSONDocument.maximumDepth else {
            throw failure("at most \(JSONDocument.maximumDepth) levels of nesting")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONDocument.SyntaxError) -> JSONDocument {
        var members: [JSONDocument.Member] = []
        offset += 1
        skipSpace()
        if consume("}") { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a member name") }
            let name = try string()
            skipSpace()
            guard consume(":") else { throw failure("':'") }
            members.append(JSONDocument.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw failure("',' or '}'") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONDocument.SyntaxError) -> JSONDocument {
        var elements: [JSONDocument] = []
        offset += 1
        skipSpace()
        if consume("]") { return .array([]) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw failure("',' or ']'") }
        return .array(elements)
    }

    private mutating func literal(_ text: StaticString, _ value: JSONDocument) throws(JSONDocument
        .SyntaxError) -> JSONDocument
    {
        let expected = Array("\(text)".utf8)
        guard bytes[offset...].starts(with: expected) else { throw failure("a value") }
        offset += expected.count
        return value
    }

    /// The grammar of JSON is stricter than that of ``Decimal``: no plus, no leading zero.
    private mutating func number() throws(JSONDocument.SyntaxError) -> JSONDocument {
        let signless = next == UInt8(ascii: "-") ? offset + 1 : offset
        guard signless < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[signless]) else {
            throw failure("a value")
        }
        if bytes[signless] == UInt8(ascii: "0"), signless + 1 < bytes.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[signless + 1])
        {
            throw failure("a number without leading zeros")
        }
        var end = offset
        guard let number = try? Decimal.scan(bytes.span, at: &end) else {
            throw failure("a number of at most 38 digits")
        }
        offset = end
        return .number(number)
    }

    private mutating func string() throws(JSONDocument.SyntaxError) -> String {
        var text: [UInt8] = []
        offset += 1
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("UTF-8 text")
                }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw failure("an escaped control character")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw failure("'\"'")
    }

    private mutating func escape() throws(JSONDocument.SyntaxError) -> [UInt8] {
        offset += 1
        guard let kind = next else { throw failure("an escape") }
        offset += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [kind]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        default:
            offset -= 1
            throw failure("an escape")
        }
    }

    /// Parses the scalar after `\u`, of two units if the first is a high surrogate.
    private mutating func scalar() throws(JSONDocument.SyntaxError) -> Character {
        let high = try hexUnit()
        var code = UInt32(high)
        if (0xD800..<0xDC00).contains(high), consume("\\"), consume("u") {
            let low = try hexUnit()
            guard (0xDC00..<0xE000).contains(low) else { throw failure("a low surrogate") }
            code = 0x10000 + ((UInt32(high) - 0xD800) << 10) + (UInt32(low) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("a pair of surrogates") }
        return Character(scalar)
    }

    private mutating func hexUnit() throws(JSONDocument.SyntaxError) -> UInt16 {
        guard bytes.count - offset >= 4 else { throw failure("four hexadecimal digits") }
        var unit: UInt16 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
        }
        offset += 4
        return unit
    }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }
}

extension JSONDocument {
    /// The document in compact form, UTF-8, members in order (RFC 8259).
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): number.append(to: &output)
        case .scientific(let number): Self.writeScientific(number, to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            Self.write(elements, between: "[", and: "]", to: &output) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: "{", and: "}", to: &output) { member, output in
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
        }
    }

    /// Writes one digit before the point, and at least two of the exponent.
    private static func writeScientific(_ number: Decimal, to output: inout [UInt8]) {
        let digits = Array(number.coefficient.magnitude.description.utf8)
        let exponent = digits.count - 1 - number.scale
        if number.isNegative { output.append(UInt8(ascii: "-")) }
        output.append(digits[0])
        if digits.count > 1 { output.append(contentsOf: [UInt8(ascii: ".")] + digits.dropFirst()) }
        output.append(contentsOf: exponent < 0 ? "E-".utf8 : "E+".utf8)
        if abs(exponent) < 10 { output.append(UInt8(ascii: "0")) }
        output.append(contentsOf: abs(exponent).description.utf8)
    }

    private static func write<Element>(
        _ elements: [Element], between open: Unicode.Scalar, and close: Unicode.Scalar,
        to output: inout [UInt8],
        _ body: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            body(element, &output)
        }
        output.append(UInt8(ascii: close))
    }

    /// Writes a string; only quotes, backslashes and control characters are escaped.
    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20: output.append(contentsOf: escape(ofControl: byte))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(ofControl byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
