import GraphQL
import Storage

// The texts that several inputs take; what they mean is checked where they are used.

/// An id of the schema, as a client sends it back.
struct IDText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...512 }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// A cursor of a page, as a client sends it back; the longest is the mark that a provider of news gives.
struct CursorText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...24_576 }
    static var mostBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// A short text with a meaning of its own: the code of a currency, a symbol as a provider spells it.
struct CodeText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...128 }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// What is searched for.
struct SearchText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...1_000 }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// What a client proves something with: a key, a token, the code of a consent.
struct SecretText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...16_384 }
    static var mostBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let secret: Secret

    init(bounded text: String) {
        secret = Secret(text)
    }
}

/// A name or a password as it was entered; `Username` and `Password` have the rules for new ones.
struct CredentialText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...1_024 }
    static var mostBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// An address that a browser is sent back to.
struct AddressText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...8_192 }
    static var mostBytes: Int { lengths.upperBound }
    static var form: TextForm { .verbatim }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}

/// What a client calls its session or a connection, like "Ann's phone".
struct LabelText: BoundedText {
    static var lengths: ClosedRange<Int> { 0...100 }
    let text: String

    init(bounded text: String) {
        self.text = text
    }
}
