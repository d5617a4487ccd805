/// Functions for block strings, which are delimited by `"""` (specification, section 2.9.4).
public enum BlockString {
    /// Returns the value of the text between the quotes (`BlockStringValue` of the specification).
    ///
    /// Resolves escaped quotes, removes the common indentation and the blank lines at both ends, and joins
    /// the lines with line feeds.
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

    /// Returns the lines of a raw text with escaped quotes resolved.
    ///
    /// Quotes do not affect the indentation.
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
    /// Returns a text between triple quotes.
    ///
    /// The text is on separate lines if that is more readable, or if it could not be parsed back otherwise.
    /// The lines are not indented; a printer may indent all of them equally.
    public static func literal(_ text: String) -> String {
        let escaped = escapingTripleQuotes(in: text)
        let lines = escaped.split(separator: .lineFeed, omittingEmptySubsequences: false)
        let isSingleLine = lines.count == 1
        // Without this break, the first line would count towards the common indentation of the indented
        // other lines.
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

    /// Returns true if a text is unchanged after it is printed as a block string and parsed again.
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
