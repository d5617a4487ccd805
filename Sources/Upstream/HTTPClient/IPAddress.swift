import Glibc
import PorticoCore

/// An address of IPv4 or IPv6.
package enum IPAddress: Hashable, Sendable {
    /// The 32 bits, the first byte highest.
    case v4(UInt32)
    /// The 128 bits, the first byte highest.
    case v6(high: UInt64, low: UInt64)

    /// Reads an address in the form of `inet_pton`: dotted decimal, or the forms of RFC 4291, section 2.2.
    package init?(_ text: String) {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6)
    }

    private init(_ address: in6_addr) {
        let halves = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (
                high: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self = .v6(high: UInt64(bigEndian: halves.high), low: UInt64(bigEndian: halves.low))
    }

    /// Reads an address that the system has returned; nil for one of another family.
    @unsafe
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let v4 = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self = .v4(UInt32(bigEndian: v4.sin_addr.s_addr))
        case AF_INET6:
            let v6 = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(v6.sin6_addr)
        default: return nil
        }
    }

    /// The address, or its /64 network, whose addresses one host can have.
    package var network: IPAddress {
        switch self {
        case .v4: self
        case .v6(let high, _): .v6(high: high, low: 0)
        }
    }

    /// Whether it is an address of this machine; Linux connects to the IPv4 address that a mapped one contains.
    package var isLoopback: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low): high == 0 && (low == 1 || low >> 24 == 0xFF_FF7F)
        }
    }

    /// Whether the Internet routes packets to it: IPv4 and IPv6 special-purpose address registries of IANA (RFC 6890).
    ///
    /// Addresses of IPv6 that contain one of IPv4 (mapped, 6to4, Teredo, NAT64) are not public, because a gateway may send
    /// packets to the contained address.
    package var isPublic: Bool {
        switch self {
        case .v4(let bits):
            !Self.specialV4.contains { bits >> (32 - $0.length) == $0.bits >> (32 - $0.length) }
        case .v6(let high, _):
            // Global unicast only (2000::/3), which has none of the loopback, local, multicast and mapped addresses, and
            // neither of the two networks of NAT64.
            high >> 61 == 0b001
                && !Self.specialV6.contains { high >> (64 - $0.length) == $0.bits >> (64 - $0.length) }
        }
    }

    private static let specialV4: [(bits: UInt32, length: UInt32)] = [
        // This network; private use; shared address space; loopback; link-local.
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        // Private use; protocol assignments; documentation; 6to4 relays; private use.
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
        // Benchmarking; documentation; multicast; reserved, with the broadcast address.
        (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    private static let specialV6: [(bits: UInt64, length: UInt64)] = [
        // Protocol assignments, with Teredo; documentation; 6to4; documentation.
        (0x2001_0000_0000_0000, 23), (0x2001_0DB8_0000_0000, 32), (0x2002_0000_0000_0000, 16),
        (0x3FFF_0000_0000_0000, 20),
    ]
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or eight groups of hexadecimal digits.
    package var description: String {
        switch self {
        case .v4(let bits):
            return [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
        case .v6(let high, let low):
            let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { half >> $0 & 0xFFFF } }
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
    }

    /// The address as the host of a URL.
    var urlHost: String { URLAuthority.host(description) }
}
