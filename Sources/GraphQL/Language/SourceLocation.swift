/// A place in a text as people read it, and as `locations` in a response says it (specification, section 7.1.6).
@frozen
public struct SourceLocation: Hashable, Sendable {
    /// The line, from 1; lines end at a line feed, a carriage return, or both together.
    public var line: Int
    /// The column, from 1, in UTF-16 code units as the reference implementation counts; a byte-order mark is one.
    public var column: Int

    /// A place from its line and column, both from 1.
    @inlinable
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension SourceText {
    /// Line and column of a byte offset; one behind the text counts as its end.
    ///
    /// Reads the text up to the offset: meant for errors, not for every node.
    public func location(of offset: UInt32) -> SourceLocation {
        var walk = LineColumnScanner(bytes)
        return walk.location(of: offset)
    }

    /// Line and column of a span's first byte.
    public func location(of span: SourceSpan) -> SourceLocation {
        location(of: span.start)
    }
}

extension UInt8 {
    /// How many UTF-16 code units a character has, told from its first UTF-8 byte; later bytes have none.
    var utf16Width: Int {
        switch self {
        case 0x80...0xBF: 0
        case 0xF0...0xFF: 2
        default: 1
        }
    }
}
