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
