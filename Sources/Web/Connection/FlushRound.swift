import NIOCore

/// Lets the answers of one event loop leave together.
///
/// Whoever writes to a socket pays for what the kernel does with it, down to the waking of its reader where that is on
/// the same machine. Answers that leave one behind the other cost less than each between two questions; so they wait for
/// the end of the loop's turn, or until there are so many.
final class FlushRound {
    /// After so many answers the round ends early.
    private static let size = 16

    private let eventLoop: any EventLoop
    private var connections: [ConnectionHandler] = []

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Has a connection flushed with the others.
    func add(_ connection: ConnectionHandler) {
        connections.append(connection)
        switch connections.count {
        case 1: eventLoop.assumeIsolated().execute { self.end() }
        case FlushRound.size: end()
        default: break
        }
    }

    private func end() {
        guard !connections.isEmpty else { return }
        var ending: [ConnectionHandler] = []
        swap(&ending, &connections)
        for connection in ending { connection.flush() }
        ending.removeAll(keepingCapacity: true)
        if connections.isEmpty { swap(&ending, &connections) }
    }
}
