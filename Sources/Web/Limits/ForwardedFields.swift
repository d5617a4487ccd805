extension RequestHeaders {
    /// Reads the client that the outermost trusted proxy names.
    ///
    /// The address is read from `X-Forwarded-For`, or if it is missing from `Forwarded` (RFC 7239), or from `X-Real-IP`.
    /// A proxy adds one of them and may pass on the others, which then come from the client: if another one names another
    /// address, it is unknown which of them is the proxy's. An address of the proxy's machine is not this machine.
    ///
    /// - Parameter proxies: The number of trusted proxies, at least 1.
    /// - Returns: The client; nil if no field names it by an address that can be read.
    package func forwardedClient(proxies: Int) -> ClientAddress? {
        let lists = [
            forwardedFor.map(ForwardedFields.nodes), self[.forwarded].map(ForwardedFields.nodesOfForwarded),
            self[.realIP].map(ForwardedFields.nodes),
        ]
        let named = lists.compactMap(\.self).map { nodes -> ClientAddress? in
            // Each proxy appends the address from which it got the request; earlier ones come from the client.
            guard nodes.count >= proxies else { return nil }
            return nodes[nodes.count - proxies].flatMap(ForwardedFields.address)
        }
        guard let first = named.first, let client = first,
            named.dropFirst().allSatisfy({ $0 == nil || $0 == client })
        else { return nil }
        return client.isThisMachine ? .localIntermediary : client
    }
}

/// The fields in which proxies name the clients of their requests.
private enum ForwardedFields {
    /// The members of a comma-separated list.
    static func nodes(_ field: String) -> [String?] {
        field.listMembers.filter { !$0.isEmpty }.map { String($0) }
    }

    /// The values of `for`, one for each element, nil for an element without it (RFC 7239, section 4).
    ///
    /// - Returns: An empty list for a malformed field, whose elements cannot be counted.
    static func nodesOfForwarded(_ field: String) -> [String?] {
        var (nodes, rest) = ([String?](), field.utf8[...])
        while true {
            var element: [String: String] = [:]
            while let next = first(of: &rest), next != UInt8(ascii: ",") {
                if next == UInt8(ascii: ";") {
                    rest.removeFirst()
                    continue
                }
                guard let name = text(&rest, while: \.isTokenCharacter)?.lowercased(),
                    rest.popFirst() == UInt8(ascii: "="),
                    let value = rest.first == UInt8(ascii: "\"")
                        ? quoted(&rest) : text(&rest, while: \.isUnquoted),
                    element.updateValue(value, forKey: name) == nil,
                    [nil, UInt8(ascii: ","), UInt8(ascii: ";")].contains(first(of: &rest))
                else { return [] }
            }
            if !element.isEmpty { nodes.append(element["for"]) }
            guard rest.popFirst() != nil else { return nodes }
        }
    }

    /// The first byte that is no white space; the bytes before it are removed.
    private static func first(of rest: inout Substring.UTF8View) -> UInt8? {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return rest.first
    }

    /// Removes bytes at the beginning; nil if there are none that meet the condition.
    private static func text(
        _ rest: inout Substring.UTF8View, while condition: (UInt8) -> Bool
    ) -> String? {
        let text = rest.prefix(while: condition)
        rest = rest.dropFirst(text.count)
        return text.isEmpty ? nil : String(Substring(text))
    }

    /// Removes a string in quotation marks, whose value is returned; nil if it has no end.
    private static func quoted(_ rest: inout Substring.UTF8View) -> String? {
        var value: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    /// Reads an address with a port or without one: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and
    /// `[2001:db8::1]:80`; nil for other texts, such as `unknown` and the hidden names of RFC 7239, section 6.3.
    static func address(_ node: String) -> ClientAddress? {
        if node.hasPrefix("[") {
            let inner = node.dropFirst().prefix { $0 != "]" }
            let rest = node[inner.endIndex...]
            guard inner.contains(":"), rest == "]" || rest.hasPrefix("]:") && isPort(rest.dropFirst(2)) else {
                return nil
            }
            return ClientAddress(inner)
        }
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return ClientAddress(node) }
        return isPort(parts[1]) ? ClientAddress(parts[0]) : nil
    }

    /// Whether a text is a number, or a hidden port (RFC 7239, section 6).
    private static func isPort(_ text: Substring) -> Bool {
        if text.hasPrefix("_") { return text.utf8.dropFirst().allSatisfy(\.isTokenCharacter) }
        return (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }
}

extension UInt8 {
    /// Whether a value without quotation marks may have the byte; some proxies write addresses with colons so.
    fileprivate var isUnquoted: Bool {
        isTokenCharacter || self == UInt8(ascii: ":") || self == UInt8(ascii: "[")
            || self == UInt8(ascii: "]")
    }
}
