import Brokerage

/// A JSON object for a request's body, written member by member.
struct JSONObjectText {
    private var bytes = [UInt8(ascii: "{")]

    /// The whole object.
    var body: [UInt8] { bytes + [UInt8(ascii: "}")] }

    mutating func add(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        begin(name)
        Self.append(value, to: &bytes)
    }

    mutating func add(_ name: StaticString, _ value: Decimal?) {
        guard let value else { return }
        begin(name)
        value.append(to: &bytes)
    }

    mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func add(_ name: StaticString, _ value: Bool) {
        begin(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func add(_ name: StaticString, _ value: JSONObjectText?) {
        guard let value else { return }
        begin(name)
        bytes.append(contentsOf: value.body)
    }

    mutating func add(_ name: StaticString, _ values: [JSONObjectText]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: value.body)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ name: StaticString, _ values: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.append(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        Self.append("\(name)", to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Escapes the characters that RFC 8259, section 7, requires to be escaped.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
