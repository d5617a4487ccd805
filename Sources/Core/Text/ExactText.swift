/// A text that equals only a text with the same bytes in UTF-8.
///
/// Swift's strings are equal if they are canonically equivalent. Providers may respond differently to two such
/// texts, so queries compare bytes.
@usableFromInline
package struct ExactText: Hashable, Sendable {
    @usableFromInline package let text: String

    @inlinable
    package init(_ text: String) { self.text = text }

    @inlinable
    package static func == (one: ExactText, other: ExactText) -> Bool {
        let (one, other) = (one.text.utf8Span.span, other.text.utf8Span.span)
        return one.count == other.count && one.indices.allSatisfy { one[$0] == other[$0] }
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        unsafe text.utf8Span.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // No text contains this byte, so that two consecutive texts cannot hash like two other texts.
        hasher.combine(0xFF as UInt8)
    }
}
