import Glibc
import NIOPosix
import PorticoCore

/// Finds the addresses of host names by the system's resolver, which blocks a thread.
///
/// A resolver that does not respond delays other look-ups, and nothing else. Each client has one look-up at a time, so that slow
/// names of one client leave the other threads to others.
package final class HostResolver: Sendable {
    /// The one of the process, whose threads end with it.
    package static let shared = HostResolver()

    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) -> [IPAddress]
    private let queue = KeyedTaskQueue<String>()

    /// - Parameter lookUp: Returns the addresses of a host, and blocks its thread.
    package init(_ lookUp: @escaping @Sendable (String) -> [IPAddress] = HostResolver.look(up:)) {
        self.lookUp = lookUp
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
    }

    /// All addresses of a host, in the order of the resolver; an address in text form has itself.
    ///
    /// - Parameters:
    ///   - host: A name, or an address without brackets.
    ///   - client: The client whose look-ups are made one after the other; nil if nothing limits them.
    /// - Returns: The addresses; empty if the name does not exist, or if the resolver does not respond.
    package func addresses(of host: String, for client: String? = nil) async -> [IPAddress] {
        let (threads, lookUp) = (threads, lookUp)
        guard let client else { return (try? await threads.runIfActive { lookUp(host) }) ?? [] }
        let task = queue.enqueue(client) { try await threads.runIfActive { lookUp(host) } }
        // A look-up that has not begun when the caller is cancelled is not made.
        return await withTaskCancellationHandler {
            (try? await task.value) ?? []
        } onCancel: {
            task.cancel()
        }
    }

    package static func look(up host: String) -> [IPAddress] {
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
