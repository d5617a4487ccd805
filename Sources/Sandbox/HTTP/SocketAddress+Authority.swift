import NIOCore

extension SocketAddress {
    /// `127.0.0.1:8081`, as it stands in a URL; a wildcard address is reached through the loopback.
    var authority: String {
        let port = port ?? 0
        switch ipAddress {
        case "0.0.0.0": return "127.0.0.1:\(port)"
        case "::": return "[::1]:\(port)"
        case .some(let address): return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case nil: return "localhost:\(port)"
        }
    }
}
