/// A defect of a JSON text, with its position.
///
/// ``description`` reads `positions[3].qty: expected a decimal, found true (byte 118)`. It contains keys and literals,
/// never a value of the text, so that it may be logged.
@usableFromInline
package struct JSONError: Error, Hashable, Sendable {
    package let reason: Reason
    /// Bytes from the start of the text.
    package let offset: Int
    /// From the outermost object or array inwards.
    package private(set) var path: [PathStep] = []

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason for which reading stopped.
    ///
    /// All up to ``tooMany(limit:)`` are errors of the text by RFC 8259, or exceed a limit; the others are
    /// errors of its content.
    package enum Reason: Hashable, Sendable {
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case trailingContent
        case invalidUTF8
        /// U+0000 to U+001F must be escaped in a string.
        case controlCharacter
        case invalidEscape
        /// A `\u` escape is half of a surrogate pair.
        case loneSurrogate
        /// `007`, `1.`, `.5`, `+1`, `1e`.
        case invalidNumber
        /// More nested arrays and objects than the bound given.
        case tooDeep(limit: Int)
        /// A list or an object has more elements than the bound given.
        case tooMany(limit: Int)
        case expected(ExpectedType, found: JSONKind)
        /// A string that should have been a number or a time, and is not.
        case unreadable(ExpectedType)
        /// A number, or a numeric string, past the range of the type that it is read into.
        case outOfRange(ExpectedType)
        case missing(key: String)
        /// An object has the key twice.
        ///
        /// It is not defined which of the values is valid.
        case duplicateKey
    }

    /// Whether the text is valid JSON up to here, and only its content is not as required.
    package var isOfContent: Bool {
        switch reason {
        case .expected, .unreadable, .outOfRange, .missing: true
        case .unexpectedEnd, .unexpectedByte, .trailingContent, .invalidUTF8, .controlCharacter,
            .invalidEscape,
            .loneSurrogate, .invalidNumber, .tooDeep, .tooMany, .duplicateKey:
            false
        }
    }

    /// The type that a reader requires.
    package enum ExpectedType: Hashable, Sendable {
        case object, array, string, bool, null, integer, decimal, instant, date
        /// One of a set of known names.
        case oneOf(String)
    }

    /// A step into an object or an array.
    @usableFromInline
    package enum PathStep: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The error as seen from one level further out.
    @usableFromInline
    package func inside(_ step: PathStep) -> JSONError {
        var outer = self
        // Errors are rare and paths short, so inserting in front costs nothing that counts.
        outer.path.insert(step, at: 0)
        return outer
    }
}

/// The kinds of value that JSON has.
package enum JSONKind: Hashable, Sendable {
    case object, array, string, number, `true`, `false`, null
}

extension JSONError: CustomStringConvertible {
    @usableFromInline
    package var description: String {
        let place = pathDescription
        return (place.isEmpty ? "" : place + ": ") + "\(reason) (byte \(offset))"
    }

    /// `positions[3].qty`; empty at the top.
    ///
    /// Control characters of keys are spaces.
    package var pathDescription: String {
        var text = ""
        for step in path {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += (text.isEmpty ? "" : ".") + key
            }
        }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(of: byte))"
        case .trailingContent: "there is more behind the value"
        case .invalidUTF8: "not UTF-8"
        case .controlCharacter: "a control character in a string"
        case .invalidEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidNumber: "a malformed number"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .tooMany(let limit): "more than \(limit) elements"
        case .expected(let expectation, let found): "expected \(expectation), found \(found)"
        case .unreadable(let expectation): "expected \(expectation), found a string that is none"
        case .outOfRange(let expectation): "\(expectation) out of range"
        case .missing(let key): "no \"\(key)\""
        case .duplicateKey: "the key occurs twice"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
}

extension JSONError.ExpectedType: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .bool: "true or false"
        case .null: "null"
        case .integer: "an integer"
        case .decimal: "a decimal"
        case .instant: "an instant"
        case .date: "a date"
        case .oneOf(let names): "one of \(names)"
        }
    }
}

extension JSONKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true: "true"
        case .false: "false"
        case .null: "null"
        }
    }
}
