import Glibc
import NIOPosix

/// Finds the addresses of host names by the system's resolver, which blocks a thread.
///
/// A resolver that does not respond delays other look-ups, and nothing else.
package final class HostResolver: Sendable {
    /// The one of the process, whose threads end with it.
    package static let shared = HostResolver()

    private let threads: NIOThreadPool

    private init() {
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
    }

    /// All addresses of a host, in the order of the resolver; an address in text form has itself.
    ///
    /// - Parameter host: A name, or an address without brackets.
    /// - Returns: The addresses; empty if the name does not exist, or if the resolver does not respond.
    package func addresses(of host: String) async -> [IPAddress] {
        (try? await threads.runIfActive { Self.look(up: host) }) ?? []
    }

    private static func look(up host: String) -> [IPAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var entry = unsafe first
        while let current = unsafe entry {
            if let address = unsafe current.pointee.ai_addr, let found = unsafe IPAddress(address),
                !addresses.contains(found)
            {
                addresses.append(found)
            }
            unsafe entry = current.pointee.ai_next
        }
        return addresses
    }
}
