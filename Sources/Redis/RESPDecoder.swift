/// A decoder of replies, which is given the bytes of a connection in parts of any length.
///
/// It is bounded: a server cannot make it use more memory than its limits allow, and no bytes make it trap. Each byte is
/// examined once, also if a reply arrives byte by byte. Streamed strings and aggregates are refused; Redis does not send
/// them.
package struct RESPDecoder: Sendable {
    /// The limits of one reply.
    package struct Limits: Sendable {
        /// Bytes of a string.
        package var string = 2 << 20
        /// Bytes of a line: a simple string, a number, an error.
        package var line = 4 << 10
        /// All values of a reply, also nested ones.
        package var values = 65_536
        /// All bytes of a reply.
        package var bytes = 16 << 20
        /// Levels of arrays and maps.
        package var depth = 8

        package init() {}
    }

    /// Why bytes are no reply; the connection cannot be used any more.
    package enum Fault: Error, Hashable, Sendable {
        /// The first byte of a value is that of no type.
        case unknownType(UInt8)
        /// A length or a number is malformed.
        case badNumber
        /// A line or a string does not end with CR LF.
        case badEnd
        /// A reply exceeds a limit.
        case tooLarge
        case tooDeep
    }

    /// An aggregate whose elements are being read.
    private struct Aggregate {
        let type: UInt8
        var missing: Int
        var elements: [RESPValue] = []
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    /// Bytes before it have been read.
    private var position = 0
    /// No line ends between ``position`` and here.
    private var searched = 0
    private var open: [Aggregate] = []
    /// The type and the length of the string that is being read.
    private var string: (type: UInt8, length: Int)?
    /// Values and bytes of the reply that is being read.
    private var (valueCount, byteCount) = (0, 0)

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Adds bytes that were received.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0, position * 2 >= buffer.count {
            buffer.removeFirst(position)
            searched -= position
            position = 0
        }
        buffer += bytes
    }

    /// Returns the next complete reply or push message; nil if more bytes are needed.
    package mutating func next() throws(Fault) -> RESPValue? {
        while var value = try readValue() {
            while true {
                guard var last = open.popLast() else {
                    (valueCount, byteCount) = (0, 0)
                    return value
                }
                last.elements.append(value)
                last.missing -= 1
                if last.missing > 0 {
                    open.append(last)
                    break
                }
                // Attributes precede the value that they describe, and are not used.
                if last.type == UInt8(ascii: "|") { break }
                value = Self.aggregate(last.type, last.elements)
            }
        }
        return nil
    }

    /// Reads a scalar or an empty aggregate; an aggregate with elements is opened, and its first element is read.
    private mutating func readValue() throws(Fault) -> RESPValue? {
        while true {
            if let (type, length) = string {
                guard let bytes = try readString(length) else { return nil }
                string = nil
                return try Self.string(type, bytes)
            }
            guard let line = try readLine() else { return nil }
            guard let type = line.first else { throw .badEnd }
            valueCount += 1
            guard valueCount <= limits.values else { throw .tooLarge }
            let text = line.dropFirst()
            switch type {
            case UInt8(ascii: "+"), UInt8(ascii: "("): return .bytes(Array(text))
            case UInt8(ascii: "-"): return .error(code: Self.code(text))
            case UInt8(ascii: ":"): return .integer(try Self.integer(text))
            case UInt8(ascii: ","): return .double(try Self.double(text))
            case UInt8(ascii: "#"): return .boolean(try Self.boolean(text))
            case UInt8(ascii: "_"): return .null
            case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
                guard let length = try Self.length(text, atMost: limits.string) else { return .null }
                string = (type, length)
            case UInt8(ascii: "*"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "%"),
                UInt8(ascii: "|"):
                guard let count = try Self.length(text, atMost: limits.values) else { return .null }
                let isMap = type == UInt8(ascii: "%") || type == UInt8(ascii: "|")
                if count == 0 {
                    if type == UInt8(ascii: "|") { continue }
                    return Self.aggregate(type, [])
                }
                guard open.count < limits.depth else { throw .tooDeep }
                open.append(Aggregate(type: type, missing: isMap ? 2 * count : count))
            default: throw .unknownType(type)
            }
        }
    }

    // MARK: Bytes

    /// A line without its end; nil if it is not complete.
    private mutating func readLine() throws(Fault) -> ArraySlice<UInt8>? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.count
            guard buffer.count - position <= limits.line else { throw .tooLarge }
            return nil
        }
        guard end > position, buffer[end - 1] == UInt8(ascii: "\r") else { throw .badEnd }
        guard end - position <= limits.line else { throw .tooLarge }
        let line = buffer[position..<(end - 1)]
        try advance(to: end + 1)
        return line
    }

    /// The bytes of a string; nil if they have not all arrived.
    private mutating func readString(_ length: Int) throws(Fault) -> [UInt8]? {
        let end = position + length
        guard buffer.count >= end + 2 else { return nil }
        guard buffer[end] == UInt8(ascii: "\r"), buffer[end + 1] == UInt8(ascii: "\n") else { throw .badEnd }
        let bytes = Array(buffer[position..<end])
        try advance(to: end + 2)
        return bytes
    }

    private mutating func advance(to end: Int) throws(Fault) {
        byteCount += end - position
        guard byteCount <= limits.bytes else { throw .tooLarge }
        position = end
        searched = end
    }

    // MARK: Values

    private static func aggregate(_ type: UInt8, _ elements: [RESPValue]) -> RESPValue {
        switch type {
        case UInt8(ascii: "%"): .map(elements)
        case UInt8(ascii: ">"): .push(elements)
        default: .array(elements)
        }
    }

    private static func string(_ type: UInt8, _ bytes: [UInt8]) throws(Fault) -> RESPValue {
        switch type {
        case UInt8(ascii: "!"): return .error(code: code(bytes[...]))
        // A verbatim string begins with three characters of its format and a colon.
        case UInt8(ascii: "="):
            guard bytes.count >= 4, bytes[3] == UInt8(ascii: ":") else { throw .badEnd }
            return .bytes(Array(bytes.dropFirst(4)))
        default: return .bytes(bytes)
        }
    }

    /// The first word of an error, if it has the form of a code; `ERR` otherwise.
    private static func code(_ text: ArraySlice<UInt8>) -> String {
        let word = text.prefix { $0 != UInt8(ascii: " ") }
        let isCode =
            !word.isEmpty && word.count <= 32
            && word.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isCode ? String(decoding: word, as: UTF8.self) : "ERR"
    }

    private static func integer(_ text: ArraySlice<UInt8>) throws(Fault) -> Int64 {
        guard let number = Int64(String(decoding: text, as: UTF8.self)) else { throw .badNumber }
        return number
    }

    /// A length; nil for -1, the null of version 2.
    private static func length(_ text: ArraySlice<UInt8>, atMost limit: Int) throws(Fault) -> Int? {
        let number = try integer(text)
        if number == -1 { return nil }
        guard number >= 0 else { throw .badNumber }
        guard number <= limit else { throw .tooLarge }
        return Int(number)
    }

    private static func double(_ text: ArraySlice<UInt8>) throws(Fault) -> Double {
        guard let number = Double(String(decoding: text, as: UTF8.self)) else { throw .badNumber }
        return number
    }

    private static func boolean(_ text: ArraySlice<UInt8>) throws(Fault) -> Bool {
        switch text.elementsEqual("t".utf8) ? true : text.elementsEqual("f".utf8) ? false : nil {
        case let value?: return value
        case nil: throw .badNumber
        }
    }
}
