/// The bytes of a document, with functions to locate positions in them.
public struct SourceText: Sendable {
    /// The UTF-8 bytes.
    ///
    /// Only the lexer checks them, so they may be invalid.
    public let bytes: [UInt8]
    /// The name in error messages: the path of a file, or "GraphQL request".
    public let name: String

    /// Creates a source text from a string.
    public init(_ text: String, name: String = "GraphQL request") {
        self.init(bytes: Array(text.utf8), name: name)
    }

    /// Creates a source text from bytes.
    public init(bytes: [UInt8], name: String = "GraphQL request") {
        self.bytes = bytes
        self.name = name
    }

    /// Returns the text of a span.
    ///
    /// Positions outside of the text are ignored, and invalid UTF-8 is repaired.
    public func text(_ span: SourceSpan) -> String {
        let end = min(Int(span.end), bytes.count)
        let start = min(Int(span.start), end)
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

extension SourceText {
    /// The location of the first comment (specification, section 2.1.4); nil if there is none, or if the
    /// text contains an invalid token.
    ///
    /// The parser discards comments, so the printer cannot print them. A formatter checks this property
    /// before it rewrites a file.
    package var firstComment: SourceLocation? {
        let span = bytes.span
        var end = 0
        while true {
            guard let token = try? Lexer.token(from: end, in: span) else { return nil }
            // Only white space, commas and comments occur between two tokens.
            for position in end..<Int(token.span.start) where bytes[position] == UInt8(ascii: "#") {
                return location(of: UInt32(clamping: position))
            }
            if token.kind == .endOfText { return nil }
            end = Int(token.span.end)
        }
    }
}

extension SourceText {
    /// Returns an excerpt for a location: the text's name with line and column, the line with its
    /// neighbours, and a caret.
    ///
    /// Lines of more than 120 columns, as in minified documents, are printed in pieces of 80.
    public func excerpt(at location: SourceLocation) -> String {
        let lines = lines(around: location.line)
        let line = lines.line ?? ""
        let heading = "\(name):\(location.line):\(location.column)\n"
        let gutter = "\(location.line) |"
        guard line.utf16.count > 120 else {
            return heading
                + SourceText.withGutter([
                    ("\(location.line - 1) |", lines.before),
                    (gutter, line),
                    ("|", SourceText.caret(at: location.column)),
                    ("\(location.line + 1) |", lines.after),
                ])
        }
        let pieces = SourceText.pieces(of: line)
        let index = max(0, min((location.column - 1) / 80, pieces.count - 1))
        var rows: [(String, String?)] = pieces[...index].map { ("|", $0) }
        rows[0].0 = gutter
        rows.append(("|", SourceText.caret(at: location.column - index * 80)))
        rows.append(("|", index + 1 < pieces.count ? pieces[index + 1] : nil))
        return heading + SourceText.withGutter(rows)
    }

    /// Returns a line by its number from 1, and its neighbours if they exist.
    private func lines(around number: Int) -> (before: String?, line: String?, after: String?) {
        var lines: [Int: String] = [:]
        var current = 1
        var start = 0
        for index in bytes.indices {
            let isEnd = bytes[index] == .lineFeed || bytes[index] == .carriageReturn
            let isFirstOfTwo = bytes[index] == .carriageReturn && bytes[(index + 1)...].first == .lineFeed
            guard isEnd && !isFirstOfTwo else { continue }
            if abs(current - number) <= 1 { lines[current] = text(ofLine: start..<index) }
            current += 1
            start = index + 1
            if current > number + 1 { break }
        }
        if abs(current - number) <= 1 { lines[current] = text(ofLine: start..<bytes.count) }
        return (lines[number - 1], lines[number], lines[number + 1])
    }

    private func text(ofLine range: Range<Int>) -> String {
        let line = bytes[range]
        return String(decoding: line.last == .carriageReturn ? line.dropLast() : line, as: UTF8.self)
    }

    /// Returns a long line in pieces of 80 UTF-16 code units; a piece is one shorter if it would split a
    /// surrogate pair.
    private static func pieces(of line: String) -> [String] {
        var pieces: [String] = []
        var piece = String.UnicodeScalarView()
        var width = 0
        for scalar in line.unicodeScalars {
            let scalarWidth = UTF16.width(scalar)
            if width + scalarWidth > 80 {
                pieces.append(String(piece))
                piece = String.UnicodeScalarView()
                width = 0
            }
            piece.append(scalar)
            width += scalarWidth
        }
        pieces.append(String(piece))
        return pieces
    }

    private static func caret(at column: Int) -> String {
        String(repeating: " ", count: max(0, column - 1)) + "^"
    }

    /// Formats rows with their line numbers; a row without text is omitted.
    private static func withGutter(_ rows: [(gutter: String, text: String?)]) -> String {
        let shown = rows.filter { $0.text != nil }
        let width = shown.map(\.gutter.utf8.count).max() ?? 0
        return shown.map { row in
            let padding = String(repeating: " ", count: width - row.gutter.utf8.count)
            let text = row.text ?? ""
            return padding + row.gutter + (text.isEmpty ? "" : " " + text)
        }.joined(separator: "\n")
    }
}
