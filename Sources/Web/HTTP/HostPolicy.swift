import NIOCore
import PorticoCore

/// The hosts that a server accepts, by the Host field of HTTP/1.1 and `:authority` of HTTP/2.
///
/// The check prevents DNS rebinding: a page of any site can make its own name resolve to the address of a
/// server in its reader's network, and read the responses as if they were the site's own. Such a request has
/// the name of the site as its host. So a name that public DNS can resolve must be configured. An address,
/// and a name that public DNS does not resolve, cannot belong to such a site: a server that listens beyond
/// this machine accepts all of them, since with a port mapping it does not know by which of them clients
/// reach it. Ports are not compared, for the same reason.
package struct HostPolicy: Sendable, Hashable {
    /// Configured names and addresses in lower case, each with its port if it has one.
    private let names: [String]
    /// The name or address that the server listens on.
    private let address: String
    private let acceptedHosts: AcceptedHosts

    private enum AcceptedHosts {
        /// Names and addresses of the loopback interface, and the configured ones.
        case loopback
        /// Also every address, and every name for private networks.
        case network
        case any
    }

    /// Accepts every host.
    package static let any = HostPolicy(names: [], address: "", extent: .any)

    /// The policy of a server.
    ///
    /// - Parameters:
    ///   - host: The name or address that it listens on.
    ///   - names: Further hosts by which clients reach it, in the form that `normalized` returns.
    package init(listeningOn host: String, names: [String] = []) {
        let address = URLAuthority.host(host).lowercased()
        self.init(
            names: names, address: address,
            extent: HostPolicy.isLoopback(address.utf8Span.span) ? .loopback : .network)
    }

    private init(names: [String], address: String, extent: AcceptedHosts) {
        self.names = names
        self.address = address
        self.acceptedHosts = extent
    }

    /// The form of a configured host with which hosts of requests are compared.
    ///
    /// - Parameter text: A host: `example.com`, `example.com:8443` or `[::1]:8080`.
    /// - Returns: The host in that form; nil for a text that is not the host of any request, such as
    ///   `*.example.com`.
    package static func normalized(_ text: String) -> String? { HostName.normalized(text) }

    /// Whether requests for a host are accepted.
    ///
    /// The form of `field` must be valid.
    package func accepts(_ field: Span<UInt8>) -> Bool {
        if acceptedHosts == .any { return true }
        let host = field.extracting(0..<HostPolicy.endOfHost(field))
        if HostPolicy.isLoopback(host) || address.utf8Span.span.matches(host) { return true }
        for name in names {
            let name = name.utf8Span.span
            if name.extracting(0..<HostPolicy.endOfHost(name)).matches(host) { return true }
        }
        return acceptedHosts == .network && !HostPolicy.isPublicName(host)
    }

    /// Whether a page of this origin is the server's own: its host is that of the request, or a configured
    /// one.
    package func isOwn(origin: String, host: String?) -> Bool {
        guard let mark = origin.firstRange(of: "://") else { return false }
        let authority = origin[mark.upperBound...].lowercased()
        if names.contains(authority) { return true }
        guard let host = host?.lowercased() else { return false }
        // Browsers omit the default port, and some proxies add it.
        return [authority, authority + ":80", authority + ":443"].contains(host)
    }

    // MARK: - Kinds of hosts

    /// The end of the name or address in `name:port`, without a final dot of a name.
    private static func endOfHost(_ field: Span<UInt8>) -> Int {
        var end = field.count
        if let bracket = field.firstIndex(of: UInt8(ascii: "]")) {
            end = bracket + 1
        } else if let colon = field.firstIndex(of: UInt8(ascii: ":")) {
            end = colon
        }
        if end > 1, field[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return end
    }

    /// Whether an origin, in the form of browsers, is of the loopback interface.
    static func isLoopback(origin: String) -> Bool {
        guard CORSPolicy.normalized(origin) == origin, let authority = origin.split(separator: "/").last
        else { return false }
        let port = authority.lastIndex(of: ":").flatMap { authority.hasSuffix("]") ? nil : $0 }
        return isLoopback(String(authority[..<(port ?? authority.endIndex)]).utf8Span.span)
    }

    /// Whether a host is one of the names and addresses of this machine in every browser (RFC 6761, section
    /// 6.3).
    private static func isLoopback(_ host: Span<UInt8>) -> Bool {
        host.matches("localhost") || host.hasSuffix(".localhost") || host.matches("[::1]")
            || ipv4(host).map { $0[0] == 127 } ?? false
    }

    /// Whether public DNS may resolve a host: it is neither an address nor of one label, and it does not end with a name for
    /// private networks (`local` by RFC 6762, `internal` by ICANN, `test` by RFC 6761, `home.arpa` by RFC 8375), or with
    /// `svc`, with which Kubernetes ends the names of services and which no registry has.
    private static func isPublicName(_ host: Span<UInt8>) -> Bool {
        guard !host.isEmpty, host[0] != UInt8(ascii: "["), host.firstIndex(of: UInt8(ascii: ".")) != nil,
            ipv4(host) == nil
        else { return false }
        return
            !(host.hasSuffix(".local") || host.hasSuffix(".internal") || host.hasSuffix(".svc")
            || host.hasSuffix(".test") || host.hasSuffix(".home.arpa"))
    }

    /// The bytes of an IPv4 address in the form that browsers use for all: four decimal numbers.
    private static func ipv4(_ host: Span<UInt8>) -> InlineArray<4, UInt8>? {
        guard !host.isEmpty, host[0] &- UInt8(ascii: "0") < 10 else { return nil }
        var bytes = InlineArray<4, UInt8>(repeating: 0)
        var (position, digits, number) = (0, 0, 0)
        for index in host.indices {
            let digit = host[index] &- UInt8(ascii: "0")
            if digit < 10, digits < 3 {
                number = number * 10 + Int(digit)
                digits += 1
            } else if host[index] == UInt8(ascii: "."), digits > 0, number < 256, position < 3 {
                bytes[position] = UInt8(number)
                (position, digits, number) = (position + 1, 0, 0)
            } else {
                return nil
            }
        }
        guard position == 3, digits > 0, number < 256 else { return nil }
        bytes[3] = UInt8(number)
        return bytes
    }
}

extension Span<UInt8> {
    fileprivate func firstIndex(of byte: UInt8) -> Int? {
        for index in indices where self[index] == byte { return index }
        return nil
    }

    /// Whether the bytes end with the given text, ignoring ASCII case.
    ///
    /// The text must be in lower case.
    fileprivate func hasSuffix(_ lowercased: StaticString) -> Bool {
        let length = lowercased.utf8CodeUnitCount
        return count >= length && extracting((count - length)..<count).matches(lowercased)
    }

    /// Whether the other bytes are the same, ignoring ASCII case.
    ///
    /// These bytes must be in lower case.
    fileprivate func matches(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices {
            let (letter, byte) = (self[index], other[index])
            guard byte == letter || (byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter) else {
                return false
            }
        }
        return true
    }
}

/// The host that a request is for, as its Host field or the URL of its target names it: `example.com:8080`.
package enum HostName {
    /// Whether a text is a host, with a port or without one (RFC 3986, section 3.2).
    ///
    /// Stricter in two points: a name has no comma, because an intermediary may have joined two fields, and it has at most
    /// the 253 bytes of a name of DNS (RFC 1035, section 2.3.4), because a response can contain it.
    package static func isValid(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 253 + 6 else { return false }
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

    /// The index after an IPv6 address in brackets; nil if there is none.
    private static func endOfAddress(_ text: Span<UInt8>) -> Int? {
        var index = 1
        while index < text.count, text[index].isAddressCharacter { index += 1 }
        guard index > 1, index < text.count, text[index] == UInt8(ascii: "]") else { return nil }
        return index + 1
    }

    /// The index after a name or an IPv4 address; nil if there is none.
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
