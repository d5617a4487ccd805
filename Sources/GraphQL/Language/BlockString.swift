/// Strings between `"""` (specification, section 2.9.4).
public enum BlockString {
    /// What the text between the quotes means: escaped quotes resolved, common indentation and the blank lines at
    /// both ends removed, lines joined by line feeds (BlockStringValue of the specification).
    static func value(of content: ArraySlice<UInt8>) -> String {
        let lines = unescapedLines(of: content)
        guard let first = lines.firstIndex(where: { !isBlank($0) }),
            let last = lines.lastIndex(where: { !isBlank($0) })
        else { return "" }
        let indentation = lines.dropFirst().filter { !isBlank($0) }.map(indentation(of:)).min() ?? 0
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        for index in first...last {
            if index > first { result.append(.lineFeed) }
            result.append(contentsOf: index == 0 ? lines[index] : lines[index].dropFirst(indentation))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The lines of a raw text, escaped quotes resolved; indentation is not touched by that, since quotes are none.
    private static func unescapedLines(of content: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var line: [UInt8] = []
        var rest = content
        while let byte = rest.popFirst() {
            switch byte {
            case .carriageReturn, .lineFeed:
                if byte == .carriageReturn && rest.first == .lineFeed { rest.removeFirst() }
                lines.append(line[...])
                line = []
            case .backslash where rest.starts(with: [.quote, .quote, .quote]):
                line.append(contentsOf: rest.prefix(3))
                rest.removeFirst(3)
            default: line.append(byte)
            }
        }
        lines.append(line[...])
        return lines
    }

    private static func indentation(of line: ArraySlice<UInt8>) -> Int {
        line.prefix { $0 == .space || $0 == .tab }.count
    }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        indentation(of: line) == line.count
    }
}

extension BlockString {
    /// A text between triple quotes.
    ///
    /// It stands on lines of its own where that reads better, or where it could not be read back otherwise. Its lines
    /// are not indented; whoever prints it may indent all of them alike.
    public static func literal(_ text: String) -> String {
        let escaped = escapingTripleQuotes(in: text)
        let lines = escaped.split(separator: .lineFeed, omittingEmptySubsequences: false)
        let isSingleLine = lines.count == 1
        // All lines but the first are indented: the first would be taken for part of the indentation's measure.
        let needsFirstBreak =
            !isSingleLine && lines.dropFirst().allSatisfy { $0.first.map(isWhitespace) ?? true }
        let endsInTripleQuote = escaped.suffix(4).elementsEqual([.backslash, .quote, .quote, .quote])
        let last = escaped.last
        let needsLastBreak = last == .backslash || (last == .quote && !endsInTripleQuote)
        let isSpread = !isSingleLine || text.utf16.count > 70 || needsLastBreak || endsInTripleQuote
        let startsWithSpace = isSingleLine && (escaped.first.map(isWhitespace) ?? false)
        let before = (isSpread && !startsWithSpace) || needsFirstBreak ? "\n" : ""
        let after = isSpread ? "\n" : ""
        return "\"\"\"\(before)\(String(decoding: escaped, as: UTF8.self))\(after)\"\"\""
    }

    /// Whether a text survives being printed as a block string and read again.
    public static func canHold(_ text: String) -> Bool {
        let lines = text.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false)
        guard let first = lines.first, let last = lines.last, !text.isEmpty else { return true }
        let hasControlCharacter = text.utf8.contains { $0 < 0x10 && $0 != .lineFeed && $0 != .tab }
        let isPadded = first.allSatisfy(isWhitespace) || last.allSatisfy(isWhitespace)
        let filled = lines.filter { !$0.allSatisfy(isWhitespace) }
        let isIndented = lines.count > 1 && filled.allSatisfy { $0.first.map(isWhitespace) ?? false }
        return !hasControlCharacter && !isPadded && !isIndented
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab
    }

    private static func escapingTripleQuotes(in text: String) -> [UInt8] {
        var escaped: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == .quote && rest.starts(with: [.quote, .quote]) {
                escaped.append(contentsOf: [.backslash, .quote, .quote, .quote])
                rest.removeFirst(2)
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }
}
