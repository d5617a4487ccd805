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
