import GraphQL
import Storage

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

/// A short text with a form of its own: the code of a currency, or a symbol in a provider's notation.
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
    static var form: TextForm { .verbatim }
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
    static var form: TextForm { .verbatim }
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
