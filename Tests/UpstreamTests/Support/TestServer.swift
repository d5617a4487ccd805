import Glibc
import Synchronization

/// A small real HTTP/1.1 server on a port of its own, for one test: a thread for each connection, kept alive.
final class TestServer: Sendable {
    struct Request: Sendable {
        var method: String
        var target: String
        var head: String
        var body: [UInt8]
        /// Counted from 1 over all connections.
        var number: Int
    }

    enum Reply: Sendable {
        case status(Int, headers: [String] = [], body: [UInt8] = [])
        /// These bytes, and the end of the connection.
        case raw([UInt8])
        /// The end of the connection without an answer.
        case disconnect
        /// The server ends without a response, and accepts no further connection.
        case shutDown
        /// Nothing, until the server stops or the client goes.
        case silence
    }

    private struct State {
        /// Whether the listener is open.
        var isListening = true
        var connectionCount = 0
        var requests: [Request] = []
        var open: Set<Int32> = []
        var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var goneWaiters: [CheckedContinuation<Void, Never>] = []
        var closedCount = 0
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let greeting: [UInt8]
    private let answer: @Sendable (Request) -> Reply

    /// `greeting` is sent on each connection before anything is read.
    init(greeting: [UInt8] = [], _ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.greeting = greeting
        self.answer = answer
        listener = try Self.boundSocket()
        guard listen(listener, 512) == 0 else { throw Failure(errno: errno) }
        port = try Self.port(of: listener)
        startThread { [self] in acceptConnections() }
    }

    struct Failure: Error {
        var errno: Int32
    }

    /// A port at which nobody listens: the system gives it to nobody, so that no other test's server has it.
    static let deadPort: UInt16 = 1

    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var requests: [Request] { state.withLock { $0.requests } }

    /// Returns once so many requests have come in.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count < count { state.waiters.append((count, continuation)) }
                return state.requests.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns once a client has closed a connection.
    func clientWentAway() async {
        await withCheckedContinuation { continuation in
            let isGone = state.withLock { state in
                if state.closedCount == 0 { state.goneWaiters.append(continuation) }
                return state.closedCount > 0
            }
            if isGone { continuation.resume() }
        }
    }

    /// Ends the listener and all connections.
    ///
    /// The lock is held, and descriptors are closed under it: a closed one may belong to a connection of another test,
    /// which would be interrupted.
    func stop() {
        state.withLock { state in
            if state.isStopped { return }
            state.isStopped = true
            if state.isListening { shutdown(listener, Int32(SHUT_RDWR)) }
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: Threads

    private func acceptConnections() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            state.withLock { state in
                state.connectionCount += 1
                state.open.insert(connection)
                if state.isStopped { shutdown(connection, Int32(SHUT_RDWR)) }
            }
            startThread { [self] in serve(connection) }
        }
        state.withLock { state in
            state.isListening = false
            close(listener)
        }
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        _ = write(connection, greeting)
        serving: while let request = readRequest(connection, &buffer) {
            switch answer(request) {
            case .status(let status, let headers, let body):
                var head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n"
                for header in headers { head += header + "\r\n" }
                guard write(connection, Array((head + "\r\n").utf8) + body) else { break serving }
            case .raw(let bytes):
                _ = write(connection, bytes)
                break serving
            case .disconnect:
                break serving
            case .shutDown:
                stop()
                break serving
            case .silence:
                while readMore(connection, &buffer) {}
            }
        }
        let waiters = state.withLock { state in
            state.open.remove(connection)
            close(connection)
            state.closedCount += 1
            defer { state.goneWaiters = [] }
            return state.goneWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func readRequest(_ connection: Int32, _ buffer: inout [UInt8]) -> Request? {
        var end = headEnd(buffer)
        while end == nil {
            guard readMore(connection, &buffer) else { return nil }
            end = headEnd(buffer)
        }
        guard let end else { return nil }
        let head = String(decoding: buffer[..<end], as: UTF8.self)
        let length = head.split(separator: "\r\n").compactMap { line in
            line.lowercased().hasPrefix("content-length:") ? Int(line.dropFirst(15).drop { $0 == " " }) : nil
        }
        let total = end + (length.first ?? 0)
        while buffer.count < total {
            guard readMore(connection, &buffer) else { return nil }
        }
        let words = head.split(separator: " ", maxSplits: 2)
        var request = Request(
            method: String(words[0]), target: String(words[1]), head: head, body: Array(buffer[end..<total]),
            number: 0)
        buffer.removeFirst(total)
        let waiters = state.withLock { state in
            request.number = state.requests.count + 1
            state.requests.append(request)
            let ready = state.waiters.filter { $0.count <= state.requests.count }
            state.waiters.removeAll { $0.count <= state.requests.count }
            return ready
        }
        for waiter in waiters { waiter.1.resume() }
        return request
    }

    private func headEnd(_ buffer: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { Array(buffer[$0..<($0 + 4)]) == mark }.map { $0 + 4 }
    }

    private func readMore(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Sockets

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// A socket at a free port of this machine.
    static func boundSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = unsafe withAddress(port: 0) { unsafe bind(descriptor, $0, $1) }
        guard status == 0 else { throw Failure(errno: errno) }
        return descriptor
    }

    /// A socket that is connected to a port of this machine.
    static func connectedSocket(port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = unsafe withAddress(port: port) { unsafe connect(descriptor, $0, $1) }
        guard status == 0 else { throw Failure(errno: errno) }
        return descriptor
    }

    private static func withAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = loopback(port: port)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func port(of socket: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket, $0, &size)
            }
        }
        guard status == 0 else { throw Failure(errno: errno) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// Runs `body` on a thread of its own: it may block.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    // The thread takes over the reference.
    let context = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
    unsafe pthread_create(
        &thread, nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        }, context)
    pthread_detach(thread)
}
