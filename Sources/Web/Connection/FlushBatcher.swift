import NIOCore

/// Flushes the responses of one event loop together.
///
/// The kernel's work for a write to a socket, such as waking the reader, is part of the writer's time.
/// Consecutive writes of responses cost less than writes between requests. So responses are flushed at the
/// end of the event loop's tick, or when their number reaches a limit.
final class FlushBatcher {
    /// The number of responses at which they are flushed early.
    private static let size = 16

    private let eventLoop: any EventLoop
    private var connections: [HTTPConnectionHandler] = []

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Has a connection flushed with the others.
    func add(_ connection: HTTPConnectionHandler) {
        connections.append(connection)
        switch connections.count {
        case 1: eventLoop.assumeIsolated().execute { self.end() }
        case FlushBatcher.size: end()
        default: break
        }
    }

    private func end() {
        guard !connections.isEmpty else { return }
        var ending: [HTTPConnectionHandler] = []
        swap(&ending, &connections)
        for connection in ending { connection.flush() }
        ending.removeAll(keepingCapacity: true)
        if connections.isEmpty { swap(&ending, &connections) }
    }
}

/// The flush rounds of a server's event loops, one for each.
struct FlushBatchers: Sendable {
    private let rounds: [ObjectIdentifier: NIOLoopBound<FlushBatcher>]

    init(_ group: any EventLoopGroup) async throws {
        var rounds: [ObjectIdentifier: NIOLoopBound<FlushBatcher>] = [:]
        for eventLoop in group.makeIterator() {
            rounds[ObjectIdentifier(eventLoop)] = try await eventLoop.submit {
                NIOLoopBound(FlushBatcher(eventLoop), eventLoop: eventLoop)
            }.get()
        }
        self.rounds = rounds
    }

    /// The round of an event loop that the caller is on; nil for one of another group.
    func round(of eventLoop: any EventLoop) -> FlushBatcher? {
        rounds[ObjectIdentifier(eventLoop)]?.value
    }
}
