/// A text that is no JSON (RFC 8259), or more of it than is read.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// Where, in bytes from the start of the text.
    public let offset: Int
    /// Where, for people: the line from 1, the column from 1, as `SourceLocation` counts.
    public let location: SourceLocation

    /// What is wrong with a text.
    public enum Reason: Hashable, Sendable {
        /// Something else had to stand here; nil where the text ends.
        case unexpected(found: UInt8?, expected: Expectation)
        /// A number begins with 0 and goes on.
        case leadingZero
        /// A byte below U+0020 stands in a string as it is.
        case controlCharacter(UInt8)
        /// A backslash is followed by something that it cannot escape.
        case invalidEscape
        /// `\uD800` to `\uDFFF` without its other half names no character.
        case loneSurrogate
        /// Bytes that are no UTF-8.
        case invalidUTF8
        /// An object gives the same name twice. RFC 8259 leaves the meaning open, so none is guessed.
        case duplicateName(String)
        /// More arrays and objects inside one another than `JSONLimits.depth`.
        case tooDeep(limit: Int)
        /// Longer than `JSONLimits.bytes`.
        case tooLong(limit: Int)
        /// More values than `JSONLimits.values`.
        case tooManyValues(limit: Int)
    }

    /// What the grammar has at a place.
    public enum Expectation: String, Hashable, Sendable {
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
    /// Line and column of a byte offset.
    init(ofByte offset: Int, in bytes: Span<UInt8>) {
        let before = (0..<min(offset, bytes.count)).map { bytes[$0] }
        self = SourceText(bytes: before).location(of: UInt32(clamping: offset))
    }
}

/// What the reader throws: the line and the column are found out only where somebody is told of them.
struct JSONFailure: Error {
    let reason: JSONError.Reason
    let offset: Int
}

extension JSONError {
    /// What is wrong and where.
    ///
    /// For example: `Expected a value, found "}", at line 2, column 14.`
    public var message: String {
        "\(reason.message), at line \(location.line), column \(location.column)."
    }
}

extension JSONError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension JSONError.Reason {
    /// What is wrong, without the place and the full stop.
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
        case .duplicateName(let name): "The object has the name \"\(name)\" twice"
        case .tooDeep(let limit): "Arrays and objects stand more than \(limit) levels deep"
        case .tooLong(let limit): "The text is longer than \(limit) bytes"
        case .tooManyValues(let limit): "The text has more than \(limit) values"
        }
    }
}

extension JSONError {
    /// A byte as a message shows it.
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

/// How much JSON is read before it is refused.
public struct JSONLimits: Hashable, Sendable {
    /// How many arrays and objects may stand inside one another; the reader recurses once for each.
    public var depth: Int
    /// How many bytes a text may have.
    public var bytes: Int
    /// The most values of a text, including arrays and objects.
    ///
    /// A value can take forty times as much memory as its text, for example `[]`.
    public var values: Int

    /// 64 levels, 1 MiB, 20,000 values.
    public static let `default` = JSONLimits()

    /// - Parameters:
    ///   - depth: levels of arrays and objects, at least 0.
    ///   - bytes: length of the text, at least 0.
    ///   - values: the most values; at least 0.
    public init(depth: Int = 64, bytes: Int = 1 << 20, values: Int = 20_000) {
        self.depth = depth
        self.bytes = bytes
        self.values = values
    }
}
