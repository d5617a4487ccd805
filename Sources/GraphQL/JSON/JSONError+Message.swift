extension JSONError {
    /// What is wrong and where.
    ///
    /// For example: `Expected a value, found "}", at line 2, column 14.`
    public var message: String {
        "\(reason.message), at line \(location.line), column \(location.column)."
    }
}

extension JSONError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension JSONError.Reason {
    /// What is wrong, without the place and the full stop.
    var message: String {
        switch self {
        case .unexpected(let found, .end): "Expected nothing after the value, found \(JSONError.name(found))"
        case .unexpected(let found, let expected):
            "Expected \(expected.rawValue), found \(JSONError.name(found))"
        case .leadingZero: "A number of more than one digit cannot begin with 0"
        case .controlCharacter(let byte): "\(JSONError.name(byte)) must be escaped in a string"
        case .invalidEscape:
            #"Only \", \\, \/, \b, \f, \n, \r, \t and \u with four hexadecimal digits are escapes"#
        case .loneSurrogate: "Half of a surrogate pair stands alone"
        case .invalidUTF8: "The text is not UTF-8"
        case .duplicateName(let name): "The object has the name \"\(name)\" twice"
        case .tooDeep(let limit): "Arrays and objects stand more than \(limit) levels deep"
        case .tooLong(let limit): "The text is longer than \(limit) bytes"
        case .tooManyValues(let limit): "The text has more than \(limit) values"
        }
    }
}

extension JSONError {
    /// A byte as a message shows it.
    fileprivate static func name(_ byte: UInt8?) -> String {
        guard let byte else { return "the end of the text" }
        switch byte {
        case UInt8(ascii: "\""): return "a double quote"
        case 0x21..<0x7F: return "\"\(Character(Unicode.Scalar(byte)))\""
        case 0x0A, 0x0D: return "a line break"
        case 0x09: return "a tab"
        case 0x20: return "a space"
        case 0..<0x20, 0x7F: return "the control character \(hexadecimal(byte))"
        default: return "a character outside ASCII"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
