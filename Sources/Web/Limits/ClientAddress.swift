package import NIOCore

/// Where a connection or a request comes from, as limits count it.
package enum ClientAddress: Hashable, Sendable {
    case ipv4(UInt32)
    /// The first 64 bits: one customer of a provider has at least all that begins with them.
    case ipv6Network(UInt64)
    /// This machine, for other clients: a proxy that is not trusted to name its clients, or a browser with a
    /// page of another site.
    ///
    /// All of them count as one address.
    case localIntermediary
    /// A socket without an address, such as one of a path.
    case unknown

    package init(_ address: SocketAddress?) {
        switch address {
        case .v4: self = address?.ipAddress.flatMap(ClientAddress.ipv4).map { .ipv4($0) } ?? .unknown
        case .v6: self = address?.ipAddress.flatMap { ClientAddress(ipv6: $0) } ?? .unknown
        case .unixDomainSocket, nil: self = .unknown
        }
    }

    /// Reads an address as people write it; nil where it is none.
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

    /// A group of an IPv6 address, or the two that an IPv4 address at its end stands for.
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

    /// The address that the outermost of so many trusted proxies has seen.
    ///
    /// Each proxy adds the address that it is asked from to the end of `X-Forwarded-For`; what stands before is what
    /// the client says of itself, and is not believed.
    ///
    /// - Returns: the connection's own where there are no proxies, or they have said nothing that is an address.
    func originatingClient(proxies: Int, forwardedFor field: String?) -> ClientAddress {
        guard proxies > 0, let field else { return self }
        let hops = Array(field.listMembers)
        guard hops.count >= proxies, let client = ClientAddress(hops[hops.count - proxies]) else {
            return self
        }
        return client
    }
}
