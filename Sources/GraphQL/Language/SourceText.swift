/// The bytes of a document, and how to name places in them.
public struct SourceText: Sendable {
    /// The UTF-8 bytes. A byte-order mark at their start is skipped by the lexer and counts in no column.
    public let bytes: [UInt8]
    /// What error messages call it: a file's path, or "GraphQL request".
    public let name: String

    public init(_ text: String, name: String = "GraphQL request") {
        self.init(bytes: Array(text.utf8), name: name)
    }

    public init(bytes: [UInt8], name: String = "GraphQL request") {
        self.bytes = bytes
        self.name = name
    }
}
