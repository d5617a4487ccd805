import NIOCore
import Synchronization

/// The open connections of a server: counted, and known so that they can be drained.
///
/// A lock, because connections come and go on event loops of their own.
final class Connections: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isDraining = false
    }

    /// Whether a new connection is served.
    enum Entry {
        case admitted
        case full
        case draining
    }

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ channel: any Channel) -> Entry {
        state.withLock { state in
            if state.isDraining { return .draining }
            guard state.channels.count < limit else { return .full }
            state.channels[ObjectIdentifier(channel)] = channel
            return .admitted
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Takes no more connections, closes those that are idle, lets the others finish what they are at, and closes
    /// what is left when the time is over.
    func drain(within bound: TimeAmount, on eventLoop: any EventLoop) async {
        let channels = state.withLock { state in
            state.isDraining = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
        let deadline = eventLoop.scheduleTask(in: bound) {
            for channel in channels { channel.close(promise: nil) }
        }
        for channel in channels {
            // How a connection ended is of no matter: it has.
            try? await channel.closeFuture.get()
        }
        deadline.cancel()
    }
}

/// Tells a connection that the server is stopping.
struct DrainEvent: Sendable {}
