import GraphQL

/// A text from a client with a limit of its length.
///
/// Every argument and input field of type `String` or `ID` is read as one.
///
/// There are two limits: a number of bytes in UTF-8, which is checked first, and a number of characters.
/// Characters are counted as Unicode scalars, whose size is limited, and not as graphemes, one of which may
/// have any length.
protocol BoundedText: GraphQLInput {
    /// The allowed lengths in Unicode scalars.
    static var lengths: ClosedRange<Int> { get }
    /// The limit in bytes of UTF-8, including white space at both ends.
    static var maximumBytes: Int { get }
    static var form: TextForm { get }
    init(bounded text: String)
}

/// A bounded text that is stored as it is.
protocol StoredText: BoundedText {
    init(text: String)
}

extension StoredText {
    init(bounded text: String) {
        self.init(text: text)
    }
}

/// The characters that a text may contain.
enum TextForm {
    /// One line, without control characters.
    ///
    /// White space at both ends is removed.
    case singleLine
    /// Several lines, without control characters other than line feeds and tabs.
    ///
    /// White space at both ends is removed.
    case multiline
    /// Any text, unchanged: an id, a secret.
    case verbatim
}

extension BoundedText {
    static var maximumBytes: Int { 4 * lengths.upperBound }
    static var form: TextForm { .singleLine }

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { String.bindInput(to: &binder) }

    static var sample: Self { Self(bounded: "sample") }

    init(input: InputValue?) throws(InputError) {
        let given = try String(input: input)
        guard given.utf8.count <= Self.maximumBytes else {
            throw InputError("It has \(given.utf8.count) bytes; at most \(Self.maximumBytes) are allowed.")
        }
        let text =
            switch Self.form {
            case .singleLine, .multiline: given.trimmed
            case .verbatim: given
            }
        let length = text.unicodeScalars.count
        guard Self.lengths.contains(length) else {
            throw InputError(
                length == 0
                    ? "It is empty."
                    : "It has \(length) characters; at most \(Self.lengths.upperBound) are allowed.")
        }
        guard text.unicodeScalars.allSatisfy(Self.form.allows) else {
            throw InputError("It contains a control character.")
        }
        self.init(bounded: text)
    }
}

extension TextForm {
    fileprivate func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .singleLine: scalar.properties.generalCategory != .control
        case .multiline: scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t"
        case .verbatim: true
        }
    }
}

/// A list from a client with a limit of its length.
struct BoundedList<Element: GraphQLInput>: GraphQLInput {
    /// The most entries of any list of the schema.
    static var maximumCount: Int { 500 }

    let elements: [Element]

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { [Element].bindInput(to: &binder) }

    static var sample: BoundedList { BoundedList(elements: []) }

    private init(elements: [Element]) {
        self.elements = elements
    }

    init(input: InputValue?) throws(InputError) {
        if case .list(let items) = input, items.count > Self.maximumCount {
            throw InputError("It has \(items.count) entries; at most \(Self.maximumCount) are allowed.")
        }
        elements = try [Element](input: input)
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let count = start.reversed().drop(while: \.isWhitespace).count
        return String(start.prefix(count))
    }

    /// The beginning of the text for a message, in Unicode scalars, as one character may have any length.
    func beginning(_ count: Int) -> String {
        String(unicodeScalars.prefix(count))
    }
}
