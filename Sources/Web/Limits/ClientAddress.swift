package import NIOCore

/// The address of a connection or request, as limits count it.
package enum ClientAddress: Hashable, Sendable {
    case ipv4(UInt32)
    /// The first 64 bits: one customer of a provider has at least all that begins with them.
    case ipv6Network(UInt64)
    /// This machine, for other clients: a proxy that does not name its client, or is not trusted to do so, or a browser
    /// with a page of another site.
    ///
    /// All of them count as one address.
    case localIntermediary
    /// A socket without an IP address, such as a Unix domain socket.
    case unknown

    package init(_ address: SocketAddress?) {
        switch address {
        case .v4: self = address?.ipAddress.flatMap(ClientAddress.ipv4).map { .ipv4($0) } ?? .unknown
        case .v6: self = address?.ipAddress.flatMap { ClientAddress(ipv6: $0) } ?? .unknown
        case .unixDomainSocket, nil: self = .unknown
        }
    }

    /// Reads an address; nil for an invalid text.
    package init?(_ text: some StringProtocol) {
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
        self.init(address)
    }

    /// Reads an address in the form that the system gives it (RFC 5952).
    private init?(ipv6 text: String) {
        // Of eight groups, those that are zero in a row are left out at one place.
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let groups = halves.map { half in half.split(separator: ":").flatMap(ClientAddress.groups) }
        guard let first = groups.first, let last = groups.last else { return nil }
        let rest = groups.count > 1 ? last : []
        guard first.count + rest.count <= 8 else { return nil }
        let all = first + [UInt16](repeating: 0, count: 8 - first.count - rest.count) + rest
        let tail = UInt32(all[6]) << 16 | UInt32(all[7])
        if all.starts(with: [0, 0, 0, 0, 0, 0xFFFF]) {
            self = .ipv4(tail)
        } else if all.dropLast().allSatisfy({ $0 == 0 }), tail == 1 {
            self = .ipv4(0x7F00_0001)
        } else {
            self = .ipv6Network(all.prefix(4).reduce(0) { $0 << 16 | UInt64($1) })
        }
    }

    /// A group of an IPv6 address, or the two groups of an IPv4 address at its end.
    private static func groups(_ text: Substring) -> [UInt16] {
        guard text.contains(".") else { return UInt16(text, radix: 16).map { [$0] } ?? [] }
        guard let number = ipv4(String(text)) else { return [] }
        return [UInt16(number >> 16), UInt16(truncatingIfNeeded: number)]
    }

    private static func ipv4(_ text: String) -> UInt32? {
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else { return nil }
        return parts.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether it is the loopback of this machine, `::1` included.
    package var isThisMachine: Bool {
        switch self {
        case .ipv4(let number): number >> 24 == 127
        case .ipv6Network, .localIntermediary: false
        case .unknown: true
        }
    }
}
