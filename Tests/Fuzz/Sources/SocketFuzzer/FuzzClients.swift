import NIOCore
import NIOPosix
import SocketInputs
import Synchronization
import TestSupport

/// Clients that each send an input on a separate connection, many at a time, and check the responses.
final class FuzzClients: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let port: Int

    private static let concurrency = 32

    init(port: Int) {
        self.port = port
    }

    /// - Throws: ``Finding`` for the first wrong response.
    func send(_ count: Int, seed: UInt64) async throws {
        let source = InputSource(seed: seed, count: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.concurrency {
                group.addTask { [self] in
                    while let (number, input) = source.next() { try await send(input, number) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func send(_ input: SocketInput, _ number: Int) async throws {
        let promise = group.any().makePromise(of: ByteBuffer.self)
        do {
            _ = try await ClientBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(FuzzHandler(input, promise))
                    }
                }
                // Each address of this machine has its own ports, so that a port is not reused for a while.
                .bind(to: SocketAddress(ipAddress: "127.0.0.\(2 + number % 100)", port: 0))
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            promise.fail(error)
        }
        let response = try await promise.futureResult.get()
        try Verdict(input.demand).check(response) { "input \(number): \($0): \(String(input: input.bytes))" }
    }

    func close() async throws {
        try await group.shutdownGracefully()
    }
}

/// The inputs, shared by all clients.
private final class InputSource: Sendable {
    private struct State {
        var inputs: SocketInputs
        var next = 0
    }

    private let count: Int
    // Several clients access it.
    private let state: Mutex<State>

    init(seed: UInt64, count: Int) {
        self.count = count
        state = Mutex(State(inputs: SocketInputs(seed: seed)))
    }

    func next() -> (number: Int, input: SocketInput)? {
        state.withLock { state in
            guard state.next < count else { return nil }
            defer { state.next += 1 }
            return (state.next, state.inputs.next())
        }
    }
}

extension String {
    /// Formats the first bytes for a terminal.
    fileprivate init(input bytes: [UInt8]) {
        let shown = bytes.prefix(4_000).flatMap {
            Unicode.ASCII.isASCII($0) && $0 >= 32
                ? [Character(Unicode.Scalar($0))] : Array("\\x" + String($0, radix: 16))
        }
        self = String(shown)
    }
}
