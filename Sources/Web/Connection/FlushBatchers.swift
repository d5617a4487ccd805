import NIOCore

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
