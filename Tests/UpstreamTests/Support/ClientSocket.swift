import Glibc

/// The sockets of this process that are connected to a port of this machine.
enum ClientSocket {
    /// The TCP_USER_TIMEOUT of each socket, in milliseconds.
    static func userTimeouts(ofPeer port: UInt16) -> [UInt32] {
        (0..<Int32(4_096)).compactMap { descriptor in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(descriptor, $0, &size)
                }
            }
            guard status == 0, address.sin_family == sa_family_t(AF_INET),
                UInt16(bigEndian: address.sin_port) == port
            else { return nil }
            var milliseconds = UInt32(0)
            var length = socklen_t(MemoryLayout<UInt32>.size)
            guard
                unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, &length)
                    == 0
            else { return nil }
            return milliseconds
        }
    }
}
