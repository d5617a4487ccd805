package import NIOCore

extension SocketAddress {
    /// Whether the peer is on this machine: 127.0.0.0/8, ::1, or the former written as the latter's kind.
    package var isLoopback: Bool {
        guard let text = ipAddress else { return false }
        return text.hasPrefix("127.") || text == "::1" || text.hasPrefix("::ffff:127.")
    }
}
