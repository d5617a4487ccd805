/// The bytes of a document, and how to name places in them.
public struct SourceText: Sendable {
    /// The UTF-8 bytes, checked by the lexer alone: anything at all may stand here.
    public let bytes: [UInt8]
    /// What error messages call it: a file's path, or "GraphQL request".
    public let name: String

    /// A text that is at hand as a string.
    public init(_ text: String, name: String = "GraphQL request") {
        self.init(bytes: Array(text.utf8), name: name)
    }

    /// A text that is at hand as bytes.
    public init(bytes: [UInt8], name: String = "GraphQL request") {
        self.bytes = bytes
        self.name = name
    }

    /// The text of a span; what lies outside the text is left out, what is no UTF-8 is repaired.
    public func text(_ span: SourceSpan) -> String {
        let end = min(Int(span.end), bytes.count)
        let start = min(Int(span.start), end)
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
