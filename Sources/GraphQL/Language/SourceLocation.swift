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

/// A run of UTF-8 bytes in a source text: where a node stands.
///
/// Positions stay byte offsets until an error is shown; `SourceText` turns them into line and column then.
@frozen
public struct SourceSpan: Hashable, Sendable {
    /// Offset of the first byte.
    public var start: UInt32
    /// Offset behind the last byte.
    public var end: UInt32

    /// A span from its first byte to the one behind its last.
    @inlinable
    public init(start: UInt32, end: UInt32) {
        self.start = start
        self.end = end
    }
}

extension SourceSpan {
    /// Whether the whole of `other` lies in this span.
    func contains(_ other: SourceSpan) -> Bool {
        start <= other.start && other.end <= end
    }
}

/// One walk through a text, from its beginning, that counts lines and columns.
struct LineColumnScanner {
    private let bytes: [UInt8]
    private var offset = 0
    private var location = SourceLocation(line: 1, column: 1)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Line and column of a byte offset that is not before the last one; one behind the text counts as its end.
    mutating func location(of target: UInt32) -> SourceLocation {
        let end = min(Int(target), bytes.count)
        while offset < end { step() }
        return location
    }

    private mutating func step() {
        let byte = bytes[offset]
        if byte == .lineFeed, offset > 0, bytes[offset - 1] == .carriageReturn {
            location.column = 1
        } else if byte == .lineFeed || byte == .carriageReturn {
            location = SourceLocation(line: location.line + 1, column: 1)
        } else {
            location.column += byte.utf16Width
        }
        offset += 1
    }
}

extension SourceText {
    /// Line and column of many spans, in the order of the spans, from one walk: errors may name a place a field.
    package func locations(of spans: [SourceSpan]) -> [SourceLocation] {
        var locations = Array(repeating: SourceLocation(line: 1, column: 1), count: spans.count)
        var walk = LineColumnScanner(bytes)
        for index in spans.indices.sorted(by: { spans[$0].start < spans[$1].start }) {
            locations[index] = walk.location(of: spans[index].start)
        }
        return locations
    }
}
