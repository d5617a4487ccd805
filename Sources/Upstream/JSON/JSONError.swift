/// What is wrong with a JSON text, and where.
///
/// ``description`` reads `positions[3].qty: expected a decimal, found true (byte 118)`. It holds keys and literals,
/// never a value out of the text, so that it may be logged.
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
    /// All up to ``tooDeep(limit:)`` are errors of the text by RFC 8259, or exceed a limit; the others are
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
        case expected(Expectation, found: JSONKind)
        /// A string that should have been a number or a time, and is not.
        case unreadable(Expectation)
        /// A number, or a numeric string, past the range of the type that it is read into.
        case outOfRange(Expectation)
        case missing(key: String)
        /// An object has the key twice.
        ///
        /// It is not defined which of the values is valid.
        case duplicateKey
    }

    /// What a reader asked for.
    package enum Expectation: Hashable, Sendable {
        case object, array, string, bool, null, integer, decimal, instant, date
        /// One of a set of names that the reader knows.
        case oneOf(String)
    }

    /// A step into an object or an array.
    package enum PathStep: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The error as seen from one level further out.
    func inside(_ step: PathStep) -> JSONError {
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
