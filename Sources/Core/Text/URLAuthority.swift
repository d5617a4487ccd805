/// The host and the port of a URL (RFC 3986, section 3.2).
///
/// In a URL, an IPv6 address is in brackets (section 3.2.2); in settings and of sockets it is without brackets.
package enum URLAuthority {
    /// Returns a host as a URL has it.
    ///
    /// - Parameter host: A name, or an address without brackets.
    /// - Returns: The name or the IPv4 address itself; an IPv6 address in brackets.
    package static func host(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Returns the host and the port by which a client on the same machine reaches a server.
    ///
    /// - Parameters:
    ///   - address: The name or address that the server listens on, without brackets. A loopback address replaces
    ///     `0.0.0.0` and `::`, which mean all addresses of the machine.
    ///   - port: The port that it listens on.
    /// - Returns: Both as in a URL, such as `127.0.0.1:8081` or `[::1]:8081`.
    package static func local(_ address: String, port: Int) -> String {
        switch address {
        case "0.0.0.0": "127.0.0.1:\(port)"
        case "::": "[::1]:\(port)"
        default: "\(host(address)):\(port)"
        }
    }
}
