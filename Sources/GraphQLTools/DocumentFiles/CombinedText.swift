package import GraphQL

/// A text that is made of pieces of several texts, with the origin of each byte.
struct CombinedText {
    /// A piece of the text.
    enum Piece {
        /// A span of a text.
        case copy(SourceSpan, SourceText)
        /// Bytes that are in no file.
        case text(String)
    }

    private struct Origin {
        /// The offset of the piece in the combined text.
        let start: Int
        let source: SourceText
        /// The offset of the piece in its text.
        let offset: Int
    }

    private(set) var bytes: [UInt8] = []
    private var origins: [Origin] = []

    mutating func append(_ piece: Piece) {
        switch piece {
        case .copy(let span, let source):
            origins.append(Origin(start: bytes.count, source: source, offset: Int(span.start)))
            let end = min(Int(span.end), source.bytes.count)
            bytes += source.bytes[min(Int(span.start), end)..<end]
        case .text(let text): bytes += text.utf8
        }
    }

    /// Returns the place in a file from which a byte was copied; for other bytes that of the piece before it.
    ///
    /// - Returns: Nil if no piece has been copied.
    func place(of offset: Int) -> SourcePlace? {
        // The last piece that begins at or before the offset.
        var (low, high) = (0, origins.count)
        while low < high {
            let middle = (low + high) / 2
            if origins[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        guard let origin = low == 0 ? origins.first : origins[low - 1] else { return nil }
        let inside = origin.offset + max(0, offset - origin.start)
        return SourcePlace(origin.source, UInt32(clamping: min(inside, origin.source.bytes.count)))
    }

    /// Returns the offset of a line and column of the combined text.
    func offset(of location: SourceLocation) -> Int {
        var offset = 0
        var current = SourceLocation(line: 1, column: 1)
        while offset < bytes.count, current.line < location.line {
            let isFirstOfTwo = bytes[offset] == 0x0D && bytes[(offset + 1)...].first == 0x0A
            if bytes[offset] == 0x0A || bytes[offset] == 0x0D && !isFirstOfTwo { current.line += 1 }
            offset += 1
        }
        while offset < bytes.count, current.column < location.column {
            current.column += bytes[offset].utf16Width
            offset += 1
        }
        // The rest of the last character.
        while offset < bytes.count, bytes[offset].utf16Width == 0 { offset += 1 }
        return offset
    }
}

/// A position in a file.
package struct SourcePlace: Hashable {
    package let file: String
    package let location: SourceLocation

    init(_ source: SourceText, _ offset: UInt32) {
        file = source.name
        location = source.location(of: offset)
    }

    package init(file: String, location: SourceLocation) {
        self.file = file
        self.location = location
    }
}
