import Brokerage
import GraphQL
import PorticoCore
import Storage

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

/// A bounded text that is stored unchanged.
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
    /// Any text without U+0000, which PostgreSQL does not store, unchanged: an id, an address.
    case verbatim
    /// Any text, unchanged: a secret, of which the database has only a hash or the encrypted bytes.
    case secret
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
            case .verbatim, .secret: given
            }
        let length = text.unicodeScalars.count
        guard Self.lengths.contains(length) else {
            throw InputError(
                length == 0
                    ? "It is empty."
                    : "It has \(length) characters; at most \(Self.lengths.upperBound) are allowed.")
        }
        guard text.unicodeScalars.allSatisfy(Self.form.allows) else {
            throw InputError(
                Self.form == .verbatim
                    ? "It contains the character U+0000. Remove this character."
                    : "It contains a control character.")
        }
        self.init(bounded: text)
    }
}

extension TextForm {
    fileprivate func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .singleLine: scalar.properties.generalCategory != .control
        case .multiline: scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t"
        case .verbatim: scalar != "\0"
        case .secret: true
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
        try Self.checkCount(of: input)
        elements = try [Element](input: input)
    }

    /// Checks the length before any entry is read.
    static func checkCount(of input: InputValue?) throws(InputError) {
        if case .list(let items) = input, items.count > maximumCount {
            throw InputError("It has \(items.count) entries; at most \(maximumCount) are allowed.")
        }
    }
}

/// A list from a client for a field that returns one item for each entry: an invalid entry is the error of its own item.
///
/// It has the limit of ``BoundedList``.
struct ItemwiseList<Element: GraphQLInput>: GraphQLInput {
    private let elements: [Result<Element, InputError>]

    static func bindInput(to binder: inout SchemaBinder) -> BoundType { [Element].bindInput(to: &binder) }

    static var sample: ItemwiseList { ItemwiseList(elements: []) }

    private init(elements: [Result<Element, InputError>]) {
        self.elements = elements
    }

    init(input: InputValue?) throws(InputError) {
        try BoundedList<Element>.checkCount(of: input)
        guard case .list(let items) = input else { throw InputError("Expected a list.") }
        elements = items.map { item in
            Result { () throws(InputError) in try Element(input: item) }
        }
    }

    /// The entries of the argument with a name, with the error of each invalid one.
    func entries(of argument: String) -> [Result<Element, FieldError>] {
        elements.enumerated().map { index, element in
            element.mapError { .argument("\(argument)[\(index)]", $0.reason) }
        }
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

// Texts that several inputs use. Their content is checked where they are used.

/// An id of the schema, as a client sends it.
struct IDText: StoredText {
    static var lengths: ClosedRange<Int> { 0...512 }
    static var form: TextForm { .verbatim }
    let text: String
}

/// A cursor of a page, as a client sends it.
///
/// The longest is the cursor of a provider of news.
struct CursorText: StoredText {
    static var lengths: ClosedRange<Int> { 0...24_576 }
    static var maximumBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let text: String
}

/// A short text with its own form: the code of a currency, or a symbol of a provider.
struct CodeText: StoredText {
    static var lengths: ClosedRange<Int> { 0...128 }
    static var form: TextForm { .verbatim }
    let text: String
}

/// The text of a search.
struct SearchText: StoredText {
    static var lengths: ClosedRange<Int> { 1...100 }
    let text: String
}

/// A secret with which a client authenticates: a key, a token, the code of an authorization.
struct SecretText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...16_384 }
    static var maximumBytes: Int { lengths.upperBound }
    static var form: TextForm { .secret }
    let secret: Secret

    init(bounded text: String) {
        secret = Secret(text)
    }
}

/// A name or a password as it was entered.
///
/// `Username` and `Password` have the rules for new ones.
struct CredentialText: StoredText {
    static var lengths: ClosedRange<Int> { 0...1_024 }
    static var maximumBytes: Int { lengths.upperBound }
    static var form: TextForm { .secret }
    let text: String
}

/// An address to which a browser is redirected.
struct AddressText: StoredText {
    static var lengths: ClosedRange<Int> { 0...8_192 }
    static var maximumBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let text: String
}

/// The label that a client gives its session or a connection, such as "Ann's phone".
struct LabelText: StoredText {
    static var lengths: ClosedRange<Int> { 0...100 }
    let text: String
}

/// A number above zero from a user, with a bounded number of digits so that arithmetic does not overflow.
protocol BoundedDecimal: GraphQLInput {
    /// The largest.
    static var maximum: Decimal { get }
    /// Digits after the point.
    static var maximumFractionDigits: Int { get }
    init(value: Decimal)
}

extension BoundedDecimal {
    static func bindInput(to binder: inout SchemaBinder) -> BoundType { Decimal.bindInput(to: &binder) }

    static var sample: Self { Self(value: 1) }

    init(input: InputValue?) throws(InputError) {
        let value = try Decimal(input: input)
        guard value > .zero else { throw InputError("It is \(value); it must be above 0.") }
        guard value <= Self.maximum else {
            throw InputError("It is \(value); it may be \(Self.maximum) at most.")
        }
        guard value.withoutTrailingZeros.scale <= Self.maximumFractionDigits else {
            throw InputError(
                "It is \(value); it may have \(Self.maximumFractionDigits) digits after the point at most.")
        }
        self.init(value: value)
    }
}

/// A field of a change, for which null has no meaning: if it is omitted, the value is not changed.
enum PatchField<Value: GraphQLInput>: GraphQLInput {
    case unchanged
    case set(Value)

    static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Optional<Value>.bindInput(to: &binder)
    }

    static var sample: PatchField { .unchanged }

    init(input: InputValue?) throws(InputError) {
        switch input {
        case nil: self = .unchanged
        case .null: throw InputError("It cannot be null; leave it out to keep what there is.")
        case .some(let value): self = .set(try Value(input: value))
        }
    }

    /// Nil for what stays.
    var value: Value? {
        switch self {
        case .unchanged: nil
        case .set(let value): value
        }
    }
}

/// A field of an input that changes something which may be absent: left out it stays, null takes it away.
enum RemovablePatchField<Value: GraphQLInput>: GraphQLInput {
    case unchanged
    case removed
    case set(Value)

    static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Optional<Value>.bindInput(to: &binder)
    }

    static var sample: RemovablePatchField { .unchanged }

    init(input: InputValue?) throws(InputError) {
        switch input {
        case nil: self = .unchanged
        case .null: self = .removed
        case .some(let value): self = .set(try Value(input: value))
        }
    }
}
