extension JSONError: CustomStringConvertible {
    package var description: String {
        let place = pathDescription
        return (place.isEmpty ? "" : place + ": ") + "\(reason) (byte \(offset))"
    }

    /// `positions[3].qty`; empty at the top.
    package var pathDescription: String {
        var text = ""
        for step in path {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += (text.isEmpty ? "" : ".") + key
            }
        }
        return text
    }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(of: byte))"
        case .trailingContent: "there is more behind the value"
        case .invalidUTF8: "not UTF-8"
        case .controlCharacter: "a control character in a string"
        case .invalidEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidNumber: "a malformed number"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .expected(let expectation, let found): "expected \(expectation), found \(found)"
        case .unreadable(let expectation): "expected \(expectation), found a string that is none"
        case .outOfRange(let expectation): "\(expectation) out of range"
        case .missing(let key): "no \"\(key)\""
        case .duplicateKey: "the key occurs twice"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
}

extension JSONError.Expectation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .bool: "true or false"
        case .null: "null"
        case .integer: "an integer"
        case .decimal: "a decimal"
        case .instant: "an instant"
        case .date: "a date"
        case .oneOf(let names): "one of \(names)"
        }
    }
}

extension JSONKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true: "true"
        case .false: "false"
        case .null: "null"
        }
    }
}
