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
    private let extent: AcceptedHosts

    private enum AcceptedHosts {
        /// Names and addresses of the loopback interface, and the configured ones.
        case loopback
        /// Also every address, and every name that public DNS does not resolve.
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
        let address = (host.contains(":") ? "[\(host)]" : host).lowercased()
        self.init(
            names: names, address: address,
            extent: HostPolicy.isLoopback(address.utf8Span.span) ? .loopback : .network)
    }

    private init(names: [String], address: String, extent: AcceptedHosts) {
        self.names = names
        self.address = address
        self.extent = extent
    }

    /// The form of a configured host with which hosts of requests are compared.
    ///
    /// - Parameter text: A host: `example.com`, `example.com:8443` or `[::1]:8080`.
    /// - Returns: The host in that form; nil for a text that is the host of no request, such as `*.example.com`.
    package static func normalized(_ text: String) -> String? { HostName.normalized(text) }

    /// Whether requests for a host are accepted.
    ///
    /// The form of `field` must be valid.
    func accepts(_ field: Span<UInt8>) -> Bool {
        if extent == .any { return true }
        let host = field.extracting(0..<HostPolicy.endOfHost(field))
        if HostPolicy.isLoopback(host) || address.utf8Span.span.matches(host) { return true }
        for name in names {
            let name = name.utf8Span.span
            if name.extracting(0..<HostPolicy.endOfHost(name)).matches(host) { return true }
        }
        return extent == .network && !HostPolicy.isPublicName(host)
    }

    /// Whether a page of this origin is the server's own: its host is that of the request, or a configured
    /// one.
    func isOwn(origin: String, askedFor host: String?) -> Bool {
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

    /// Whether a host is one of the names and addresses of this machine in every browser (RFC 6761, section
    /// 6.3).
    private static func isLoopback(_ host: Span<UInt8>) -> Bool {
        host.matches("localhost") || host.hasSuffix(".localhost") || host.matches("[::1]")
            || ipv4(host).map { $0[0] == 127 } ?? false
    }

    /// Whether public DNS may resolve a host: it is neither an address nor of one label, and its last label is not reserved
    /// (`local` by RFC 6762, `internal` by ICANN).
    private static func isPublicName(_ host: Span<UInt8>) -> Bool {
        guard !host.isEmpty, host[0] != UInt8(ascii: "["), host.firstIndex(of: UInt8(ascii: ".")) != nil,
            ipv4(host) == nil
        else { return false }
        return !host.hasSuffix(".local") && !host.hasSuffix(".internal")
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
