/// A line of a head or a trailer: `name: value` (RFC 9112, section 5).
struct HeaderLine {
    /// The range of the name.
    let name: Range<Int>
    /// The range of the value, without surrounding white space.
    let value: Range<Int>
    /// The start of the next line.
    let end: Int

    /// Reads the line that begins at an index.
    ///
    /// - Throws: The defect. White space before the colon and folded lines are rejected.
    init(in bytes: Span<UInt8>, at start: Int) throws(HTTPError) {
        let colon = try HeaderLine.colon(in: bytes, from: start)
        var valueStart = colon + 1
        while valueStart < bytes.count, bytes[valueStart].isWhiteSpace { valueStart += 1 }
        let lineEnd = try HeaderLine.lineEnd(in: bytes, from: valueStart)
        var valueEnd = lineEnd
        while valueEnd > valueStart, bytes[valueEnd - 1].isWhiteSpace { valueEnd -= 1 }
        name = start..<colon
        value = valueStart..<valueEnd
        end = lineEnd + 2
    }

    private static func colon(in bytes: Span<UInt8>, from start: Int) throws(HTTPError) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
        guard index > start, index < bytes.count, bytes[index] == UInt8(ascii: ":") else {
            throw wrongCharacter
        }
        return index
    }

    /// The index of the CR; tabs are the only control characters that a value may have.
    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) throws(HTTPError) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isValueCharacter { index += 1 }
        guard index + 1 < bytes.count, bytes[index] == .carriageReturn, bytes[index + 1] == .lineFeed else {
            throw wrongCharacter
        }
        return index
    }

    private static var wrongCharacter: HTTPError {
        .malformed(.syntax("a header field has a character that it may not have"))
    }
}

extension UInt8 {
    /// Space or tab.
    fileprivate var isWhiteSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether the byte is allowed in the value of a field (RFC 9110, section 5.5), and in the extension of
    /// a chunk.
    var isValueCharacter: Bool { self >= UInt8(ascii: " ") && self != 0x7F || self == UInt8(ascii: "\t") }

    /// Whether the byte is allowed in the name of a field, and in a method (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
