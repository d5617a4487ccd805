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
    func locations(of spans: [SourceSpan]) -> [SourceLocation] {
        var locations = Array(repeating: SourceLocation(line: 1, column: 1), count: spans.count)
        var walk = LineColumnScanner(bytes)
        for index in spans.indices.sorted(by: { spans[$0].start < spans[$1].start }) {
            locations[index] = walk.location(of: spans[index].start)
        }
        return locations
    }
}
