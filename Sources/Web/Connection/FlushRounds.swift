import NIOCore

/// The flush rounds of a server's event loops, one for each.
struct FlushRounds: Sendable {
    private let rounds: [ObjectIdentifier: NIOLoopBound<FlushRound>]

    init(_ group: any EventLoopGroup) async throws {
        var rounds: [ObjectIdentifier: NIOLoopBound<FlushRound>] = [:]
        for eventLoop in group.makeIterator() {
            rounds[ObjectIdentifier(eventLoop)] = try await eventLoop.submit {
                NIOLoopBound(FlushRound(eventLoop), eventLoop: eventLoop)
            }.get()
        }
        self.rounds = rounds
    }

    /// The round of an event loop that the caller is on; nil for one of another group.
    func round(of eventLoop: any EventLoop) -> FlushRound? {
        rounds[ObjectIdentifier(eventLoop)]?.value
    }
}
