/// A place in a document as people name it.
public struct SourceLocation: Hashable, Sendable {
    /// From 1.
    public var line: Int
    /// From 1, in UTF-16 code units as the reference implementation counts.
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
