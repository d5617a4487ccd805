import NIOCore

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

    /// The normal form of a configured host, with which a host of a request can be compared.
    ///
    /// It is in lower case (RFC 3986, section 6.2.2.1), and an address of IPv6 is in the form of RFC 5952.
    ///
    /// - Parameter text: A name or an address, with a port or without one.
    /// - Returns: The normal form; nil for a text that no client sends: a pattern such as `*.example.com`, a
    ///   name with an empty label, or a port that is not from 1 to 65,535.
    static func normalized(_ text: some StringProtocol) -> String? {
        let text = text.lowercased()
        guard isValid(text.utf8Span.span) else { return nil }
        let bracket = text.firstIndex(of: "]").map(text.index(after:))
        let end = bracket ?? text.firstIndex(of: ":") ?? text.endIndex
        guard let host = bracket == nil ? name(text[..<end]) : address(text[..<end].dropFirst().dropLast())
        else { return nil }
        guard end < text.endIndex else { return host }
        guard let port = UInt16(text[end...].dropFirst()), port > 0 else { return nil }
        return "\(host):\(port)"
    }

    private static func address(_ text: Substring) -> String? {
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0), case .v6 = address else {
            return nil
        }
        return address.ipAddress.map { "[\(hexadecimal($0))]" }
    }

    /// An IPv6 address whose end is not in the form of IPv4: clients write hexadecimal groups only (WHATWG URL
    /// standard, "IPv6 serializer").
    private static func hexadecimal(_ address: String) -> String {
        let bytes = address.split(separator: ":").last?.split(separator: ".").compactMap { UInt16($0) } ?? []
        guard bytes.count == 4, let colon = address.lastIndex(of: ":") else { return address }
        let groups = [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
        return address[...colon] + groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// A name of labels of letters, digits, hyphens and underscores; it may end with a dot.
    private static func name(_ text: Substring) -> String? {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
        return isName ? String(text) : nil
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
