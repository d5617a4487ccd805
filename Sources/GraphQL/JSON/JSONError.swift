/// A JSON error (RFC 8259): invalid text, or text that exceeds a limit.
///
/// Same name as the type of Upstream, which reads responses of providers straight into typed values: this one reads the values of
/// a request, whose types are those of the schema, and reports lines and columns.
public struct JSONError: Error, Hashable, Sendable {
    /// The reason of the error.
    public let reason: Reason
    /// The position in bytes from the start of the text.
    public let offset: Int
    /// The position as line and column, both from 1, as defined by `SourceLocation`.
    public let location: SourceLocation

    /// The reasons of JSON errors.
    public enum Reason: Hashable, Sendable {
        /// An unexpected byte; nil at the end of the text.
        case unexpected(found: UInt8?, expected: ExpectedToken)
        /// A number begins with 0 and continues with a digit.
        case leadingZero
        /// A string contains an unescaped byte below U+0020.
        case controlCharacter(UInt8)
        /// A backslash before a character that cannot be escaped.
        case invalidEscape
        /// `\uD800` to `\uDFFF` without the other half of the surrogate pair.
        case loneSurrogate
        /// Invalid UTF-8.
        case invalidUTF8
        /// An object contains the same name twice. RFC 8259 does not define the meaning.
        case duplicateName(String)
        /// Arrays and objects are nested deeper than `JSONLimits.depth`.
        case tooDeep(limit: Int)
        /// The text is longer than `JSONLimits.bytes`.
        case tooLong(limit: Int)
        /// The text has more values than `JSONLimits.values`.
        case tooManyValues(limit: Int)
    }

    /// The element that the grammar requires at a position.
    public enum ExpectedToken: String, Hashable, Sendable {
        case value = "a value"
        case nameOrBrace = "a name in double quotes or \"}\""
        case name = "a name in double quotes"
        case colon = "\":\" after the name"
        case commaOrBrace = "\",\" or \"}\""
        case commaOrBracket = "\",\" or \"]\""
        case digit = "a digit"
        case closingQuote = "the double quote that ends the string"
        case end = "nothing more"
    }
}

extension JSONError {
    init(_ failure: JSONFailure, in bytes: Span<UInt8>) {
        reason = failure.reason
        offset = failure.offset
        location = SourceLocation(ofByte: failure.offset, in: bytes)
    }
}

extension SourceLocation {
    /// Computes the line and column of a byte offset.
    init(ofByte offset: Int, in bytes: Span<UInt8>) {
        let before = (0..<min(offset, bytes.count)).map { bytes[$0] }
        self = SourceText(bytes: before).location(of: UInt32(clamping: offset))
    }
}

/// The error that the reader throws; line and column are computed only for the reported error.
struct JSONFailure: Error {
    let reason: JSONError.Reason
    let offset: Int
}

extension JSONError {
    /// The reason and the position.
    ///
    /// For example: `Expected a value, found "}", at line 2, column 14.`
    public var message: String {
        "\(reason.message), at line \(location.line), column \(location.column)."
    }
}

extension JSONError: CustomStringConvertible {
    /// The same text as `message`.
    public var description: String { message }
}

extension JSONError.Reason {
    /// The reason, without the position and the full stop.
    var message: String {
        switch self {
        case .unexpected(let found, .end): "Expected nothing after the value, found \(JSONError.name(found))"
        case .unexpected(let found, let expected):
            "Expected \(expected.rawValue), found \(JSONError.name(found))"
        case .leadingZero: "A number of more than one digit cannot begin with 0"
        case .controlCharacter(let byte): "\(JSONError.name(byte)) must be escaped in a string"
        case .invalidEscape:
            #"Only \", \\, \/, \b, \f, \n, \r, \t and \u with four hexadecimal digits are escapes"#
        case .loneSurrogate: "Half of a surrogate pair stands alone"
        case .invalidUTF8: "The text is not UTF-8"
        case .duplicateName(let name): "The object has the name \"\(name.shortened())\" twice"
        case .tooDeep(let limit): "Arrays and objects stand more than \(limit) levels deep"
        case .tooLong(let limit): "The text is longer than \(limit) bytes"
        case .tooManyValues(let limit): "The text has more than \(limit) values"
        }
    }
}

extension JSONError {
    /// Returns the text for a byte in messages.
    fileprivate static func name(_ byte: UInt8?) -> String {
        guard let byte else { return "the end of the text" }
        switch byte {
        case UInt8(ascii: "\""): return "a double quote"
        case 0x21..<0x7F: return "\"\(Character(Unicode.Scalar(byte)))\""
        case 0x0A, 0x0D: return "a line break"
        case 0x09: return "a tab"
        case 0x20: return "a space"
        case 0..<0x20, 0x7F: return "the control character \(hexadecimal(byte))"
        default: return "a character outside ASCII"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// Limits of the JSON reader.
public struct JSONLimits: Hashable, Sendable {
    /// The nesting depth of arrays and objects; the reader recurses once per level.
    public var depth: Int
    /// The length of a text in bytes.
    public var bytes: Int
    /// The number of values in a text, including arrays and objects.
    ///
    /// A value, for example `[]`, can need forty times as much memory as its text.
    public var values: Int

    /// 64 levels, 1 MiB, 20,000 values.
    public static let `default` = JSONLimits()

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: The maximum number of levels of arrays and objects, at least 0.
    ///   - bytes: The maximum length of the text, at least 0.
    ///   - values: The maximum number of values, at least 0.
    public init(depth: Int = 64, bytes: Int = 1 << 20, values: Int = 20_000) {
        self.depth = depth
        self.bytes = bytes
        self.values = values
    }
}
