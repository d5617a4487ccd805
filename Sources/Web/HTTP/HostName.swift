/// The host that a request is for, as its Host field or the URL of its target names it: `example.com:8080`.
enum HostName {
    /// Whether a text is a host, with a port or without one (RFC 3986, section 3.2).
    ///
    /// Stricter in one thing: a name has no comma, which is what two fields look like that somebody on the way has joined.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        let end = isAddress(text) ? endOfAddress(text) : endOfName(text)
        guard let end else { return false }
        guard end < text.count else { return true }
        // A colon, and up to five digits.
        guard text[end] == UInt8(ascii: ":"), text.count - end <= 6 else { return false }
        for index in (end + 1)..<text.count where text[index] &- UInt8(ascii: "0") > 9 { return false }
        return true
    }

    private static func isAddress(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text[0] == UInt8(ascii: "[")
    }

    /// Behind an address of IPv6 in brackets; nil where it is none.
    private static func endOfAddress(_ text: Span<UInt8>) -> Int? {
        var index = 1
        while index < text.count, text[index].isAddressCharacter { index += 1 }
        guard index > 1, index < text.count, text[index] == UInt8(ascii: "]") else { return nil }
        return index + 1
    }

    /// Behind a name or an address of IPv4; nil where it is none.
    private static func endOfName(_ text: Span<UInt8>) -> Int? {
        var index = 0
        while index < text.count, text[index].isNameCharacter { index += 1 }
        return index > 0 ? index : nil
    }
}

extension UInt8 {
    /// Hexadecimal digits, colons and dots.
    fileprivate var isAddressCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Of `reg-name`, but for the comma.
    fileprivate var isNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "&")...UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
