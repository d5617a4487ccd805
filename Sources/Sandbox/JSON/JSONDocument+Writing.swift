import Brokerage

extension JSONDocument {
    /// The document in the fewest bytes, UTF-8, members in their order (RFC 8259).
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): number.append(to: &output)
        case .scientific(let number): Self.writeScientific(number, to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            Self.write(elements, between: "[", and: "]", to: &output) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: "{", and: "}", to: &output) { member, output in
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
        }
    }

    /// One digit before the point, two at least of the exponent.
    private static func writeScientific(_ number: Decimal, to output: inout [UInt8]) {
        let digits = Array(number.coefficient.magnitude.description.utf8)
        let exponent = digits.count - 1 - number.scale
        if number.isNegative { output.append(UInt8(ascii: "-")) }
        output.append(digits[0])
        if digits.count > 1 { output.append(contentsOf: [UInt8(ascii: ".")] + digits.dropFirst()) }
        output.append(contentsOf: exponent < 0 ? "E-".utf8 : "E+".utf8)
        if abs(exponent) < 10 { output.append(UInt8(ascii: "0")) }
        output.append(contentsOf: abs(exponent).description.utf8)
    }

    private static func write<Element>(
        _ elements: [Element], between open: Unicode.Scalar, and close: Unicode.Scalar,
        to output: inout [UInt8],
        _ body: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            body(element, &output)
        }
        output.append(UInt8(ascii: close))
    }

    /// Escapes only what must be: the quote, the backslash and control characters.
    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20: output.append(contentsOf: escape(ofControl: byte))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(ofControl byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
