/// A JSON object for the body of a request (RFC 8259), written member by member.
///
/// It has no numbers with decimals: Saxo reads numbers, Alpaca strings, so each of them adds its own form.
package struct JSONObjectText {
    /// The whole object.
    package private(set) var bytes = Array("{}".utf8)

    package init() {}

    package mutating func add(_ name: StaticString, _ value: String?) {
        if let value { add(name, json: Self.quoted(value)) }
    }

    package mutating func add(_ name: StaticString, _ value: Int) {
        add(name, json: String(value).utf8)
    }

    package mutating func add(_ name: StaticString, _ value: Bool) {
        add(name, json: (value ? "true" : "false").utf8)
    }

    package mutating func add(_ name: StaticString, _ value: JSONObjectText?) {
        if let value { add(name, json: value.bytes) }
    }

    package mutating func add(_ name: StaticString, _ values: [JSONObjectText]) {
        add(name, list: values.map(\.bytes))
    }

    package mutating func add(_ name: StaticString, _ values: [String]) {
        add(name, list: values.map(Self.quoted))
    }

    private mutating func add(_ name: StaticString, list values: [[UInt8]]) {
        add(name, json: Array("[".utf8) + values.joined(separator: ",".utf8) + Array("]".utf8))
    }

    /// Adds a member whose value is JSON already.
    package mutating func add(_ name: StaticString, json value: some Sequence<UInt8>) {
        bytes.removeLast()
        if bytes.count > 1 { bytes += ",".utf8 }
        bytes += Self.quoted("\(name)") + ":".utf8
        bytes += value
        bytes += "}".utf8
    }

    /// Escapes the characters that RFC 8259, section 7, requires to be escaped.
    private static func quoted(_ text: String) -> [UInt8] {
        var bytes = Array("\"".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        return bytes + "\"".utf8
    }
}
