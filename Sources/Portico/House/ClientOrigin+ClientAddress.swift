import Gateway
import Web

extension ClientOrigin {
    init(_ client: ClientAddress) {
        switch client {
        case .ipv4(let address): self.init(UInt64(address))
        // No network of the Internet begins with 32 zero bits (RFC 4291, section 2.4), so none has the number of an
        // IPv4 address.
        case .ipv6Network(let network): self.init(network)
        // A multicast network, from which no request comes.
        case .localIntermediary: self.init(.max - 1)
        case .unknown: self = .unknown
        }
    }
}
