/// A string that is compared by its bytes, for dictionaries and sets whose keys come from clients.
///
/// Two Swift strings are equal if they are canonically equivalent: `"é"` as one character and as two, or the
/// Kelvin sign and the letter K. To GraphQL, JSON and providers these are different texts, so that a value
/// stored for one must not be returned for the other.
///
/// The comparison and the hash of Swift's strings also take quadratic time for a character with many combining marks, so
/// that they are not for texts of clients of any length.
package struct UTF8Key: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: UTF8Key, other: UTF8Key) -> Bool { one.text.hasSameBytes(as: other.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Returns true if both strings have the same UTF-8 bytes; see `UTF8Key`.
    package func hasSameBytes(as other: String) -> Bool { utf8Span.span.isSame(as: other.utf8Span.span) }

    /// Hashes the UTF-8 bytes; see `UTF8Key`.
    package func hashBytes(into hasher: inout Hasher) {
        unsafe utf8Span.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // No text contains this byte, so two consecutive texts cannot hash like two other texts.
        hasher.combine(0xFF as UInt8)
    }
}
