import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A TCP client that sends exact bytes, and reads the response.
///
/// Blocking system calls run on a separate queue, so that they block no thread of the server's tasks.
package final class RawClient: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "raw client")
    /// The received bytes that were not yet returned.
    private let received = Mutex<[UInt8]>([])
    private let isClosed = Mutex(false)

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The timeout of a read, in seconds.
    private let timeout: Int
    /// Long enough for a machine with many tests.
    package static let patience = 60
    /// The time after which reads fail even if bytes arrive; it ends a test that receives only heartbeats.
    private let end = ContinuousClock.now + RawClient.maximumLifetime

    private static let maximumLifetime = Duration.seconds(300)

    package init(port: Int, receiveBuffer: Int32? = nil, patience timeout: Int = RawClient.patience) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
        self.descriptor = descriptor
        self.timeout = timeout
        var readTimeout = timeval(tv_sec: timeout, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &readTimeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var one: Int32 = 1
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes the descriptor: it runs when `init` throws here, since all properties are
        // initialized.
        guard outcome == 0 else { throw Failure(description: "cannot connect: errno \(errno)") }
    }

    deinit {
        close()
    }

    /// Closes both directions.
    package func close() {
        let wasClosed = isClosed.withLock { closed in
            defer { closed = true }
            return closed
        }
        if !wasClosed { _ = Glibc.close(descriptor) }
    }

    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) async throws {
        try await onQueue { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                    unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(description: "cannot send: errno \(errno)") }
                sent += count
            }
        }
    }

    /// Sends the last bytes together with the end of the client's side, in one segment; the server's side
    /// stays open.
    package func finish(_ text: String) async throws {
        let bytes = Array(text.utf8)
        try await onQueue { [descriptor] in
            let count = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_MORE))
            guard count == bytes.count, shutdown(descriptor, Int32(SHUT_WR)) == 0 else {
                throw Failure(description: "cannot finish: errno \(errno)")
            }
        }
    }

    /// Reads the next response; its body by Content-Length or chunks, or none after HEAD.
    package func response(toHead: Bool = false) async throws -> RawResponse {
        try await onQueue { [self] in
            while true {
                let parsed = try received.withLock { try RawResponse.take(from: &$0, toHead: toHead) }
                if let parsed { return parsed }
                guard try receive() else {
                    let rest = received.withLock { String(decoding: $0, as: UTF8.self) }
                    throw Failure(description: "the connection ended within a response: \(rest)")
                }
            }
        }
    }

    /// Reads the given number of bytes, as text.
    package func take(_ count: Int) async throws -> String {
        String(decoding: try await takeBytes(count), as: UTF8.self)
    }

    /// Reads the given number of bytes.
    package func takeBytes(_ count: Int) async throws -> [UInt8] {
        try await onQueue { [self] in
            while received.withLock({ $0.count < count }) {
                guard try receive() else { throw Failure(description: "the connection ended") }
            }
            return received.withLock { received in
                defer { received.removeFirst(count) }
                return Array(received.prefix(count))
            }
        }
    }

    /// Reads the next line, without its end.
    package func line() async throws -> String {
        try await onQueue { [self] in
            while true {
                let line: String? = received.withLock { received in
                    guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                    defer { received.removeFirst(end + 1) }
                    let line = received[..<end]
                    return String(
                        decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
                }
                if let line { return line }
                guard try receive() else { throw Failure(description: "the connection ended") }
            }
        }
    }

    /// Waits until bytes are received.
    package func firstBytes() async throws {
        try await onQueue { [self] in
            guard try receive() else { throw Failure(description: "the connection ended") }
        }
    }

    /// Reads until the server closes its side.
    package func rest() async throws -> String {
        try await onQueue { [self] in
            while try receive() {}
            return received.withLock { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Receives bytes; returns false at the end of the connection or after a reset.
    private func receive() throws -> Bool {
        guard ContinuousClock.now < end else {
            throw Failure(description: "the expected bytes did not arrive within \(Self.maximumLifetime)")
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(description: "nothing came for \(timeout) seconds") }
        received.withLock { $0 += buffer.prefix(count) }
        return count > 0
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
