/// The text of a document as a key: two texts are one document only where all their bytes are the same.
///
/// Strings are equal already where they look the same: `"é"` is one character or two, and a field that is given the
/// one must not get the answer for the other.
struct DocumentKey: Hashable, Sendable {
    private let text: String
    private let digest: UInt64

    init(_ text: String) {
        self.text = text
        digest = SeededDigest.digest(of: text.utf8Span.span)
    }

    static func == (one: DocumentKey, other: DocumentKey) -> Bool {
        guard one.digest == other.digest else { return false }
        let (left, right) = (one.text.utf8Span.span, other.text.utf8Span.span)
        return left.count == right.count && left.isSame(as: right)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

extension Span<UInt8> {
    /// Whether another text, which is as long, has the same bytes.
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var offset = 0
                while offset &+ 8 <= left.count {
                    let one = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let two = unsafe right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if one != two { return false }
                    offset &+= 8
                }
                while offset < left.count {
                    let (one, two) = unsafe (left[offset], right[offset])
                    if one != two { return false }
                    offset &+= 1
                }
                return true
            }
        }
    }
}
