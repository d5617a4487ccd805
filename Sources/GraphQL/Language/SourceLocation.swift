/// A line and a column in a text, as in the `locations` of a response (specification, section 7.1.6).
@frozen
public struct SourceLocation: Hashable, Sendable {
    /// The line, from 1.
    ///
    /// A line ends at a line feed, a carriage return, or both together.
    public var line: Int
    /// The column, from 1, in UTF-16 code units like in the reference implementation; a byte-order mark is
    /// one unit.
    public var column: Int

    /// Creates a location from a line and a column, both from 1.
    @inlinable
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension SourceText {
    /// Returns the line and column of a byte offset.
    ///
    /// An offset after the text counts as the end of the text.
    ///
    /// Reads the text up to the offset. Use it for errors, not for every node.
    public func location(of offset: UInt32) -> SourceLocation {
        var scanner = LineColumnScanner(bytes)
        return scanner.location(of: offset)
    }

    /// Returns the line and column of a span's first byte.
    public func location(of span: SourceSpan) -> SourceLocation {
        location(of: span.start)
    }
}

extension UInt8 {
    /// The number of UTF-16 code units of a character, from its first UTF-8 byte; 0 for continuation bytes.
    package var utf16Width: Int {
        switch self {
        case 0x80...0xBF: 0
        case 0xF0...0xFF: 2
        default: 1
        }
    }
}

/// A range of UTF-8 bytes in a source text.
///
/// Positions are byte offsets. `SourceText` computes line and column when an error is printed.
@frozen
public struct SourceSpan: Hashable, Sendable {
    /// The offset of the first byte.
    public var start: UInt32
    /// The offset after the last byte.
    public var end: UInt32

    /// Creates a span from the offset of its first byte and the offset after its last byte.
    @inlinable
    public init(start: UInt32, end: UInt32) {
        self.start = start
        self.end = end
    }
}

extension SourceSpan {
    /// Returns true if `other` is completely inside this span.
    package func contains(_ other: SourceSpan) -> Bool {
        start <= other.start && other.end <= end
    }
}

/// A single pass through a text that counts lines and columns.
struct LineColumnScanner {
    private let bytes: [UInt8]
    private var offset = 0
    private var location = SourceLocation(line: 1, column: 1)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the line and column of a byte offset.
    ///
    /// Offsets must not decrease from call to call. An offset after the text counts as the end of the text.
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
    /// Returns the line and column of each span, in the given order, from one pass: an error can have one
    /// location per field.
    package func locations(of spans: [SourceSpan]) -> [SourceLocation] {
        var locations = Array(repeating: SourceLocation(line: 1, column: 1), count: spans.count)
        var scanner = LineColumnScanner(bytes)
        for index in spans.indices.sorted(by: { spans[$0].start < spans[$1].start }) {
            locations[index] = scanner.location(of: spans[index].start)
        }
        return locations
    }
}
