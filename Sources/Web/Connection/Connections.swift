import NIOCore
import Synchronization

/// The open connections of a server: counted, and known so that they can be drained.
///
/// A lock, because connections come and go on event loops of their own.
final class Connections: Sendable {
    private let limits: ServerLimits
    private let state = Mutex(State())

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Streams of HTTP/2: each connection bounds its own.
        var streams: [ObjectIdentifier: any Channel] = [:]
        /// How many each address has, where those are limited.
        var counts: [ClientAddress: Int] = [:]
        var isDraining = false
    }

    /// Whether a new connection is served.
    enum Entry {
        case admitted
        case full
        /// Its address has as many as it may have.
        case greedy
        case draining
    }

    init(limits: ServerLimits) {
        self.limits = limits
    }

    /// Counts a connection until it is closed, whatever protocol it speaks by then.
    func add(_ channel: any Channel, from address: ClientAddress) -> Entry {
        let isCounted = !(limits.exemptsThisMachine && address.isThisMachine)
        let entry: Entry = state.withLock { state in
            if state.isDraining { return .draining }
            guard state.channels.count < limits.connections else { return .full }
            if isCounted {
                guard state.counts[address, default: 0] < limits.connectionsPerAddress else { return .greedy }
                state.counts[address, default: 0] += 1
            }
            state.channels[ObjectIdentifier(channel)] = channel
            return .admitted
        }
        if case .admitted = entry {
            channel.closeFuture.whenComplete { _ in self.remove(channel, from: isCounted ? address : nil) }
        }
        return entry
    }

    /// Knows a stream of HTTP/2 until it is closed, so that it is told of draining.
    func add(stream: any Channel) {
        let id = ObjectIdentifier(stream)
        let isDraining = state.withLock { state in
            state.streams[id] = stream
            return state.isDraining
        }
        stream.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        if isDraining { stream.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
    }

    private func remove(_ channel: any Channel, from address: ClientAddress?) {
        state.withLock { state in
            state.channels.removeValue(forKey: ObjectIdentifier(channel))
            guard let address, let count = state.counts[address] else { return }
            state.counts[address] = count > 1 ? count - 1 : nil
        }
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    var count: Int { state.withLock { $0.channels.count } }

    /// Takes no more connections, closes those that are idle, lets the others finish what they are at, and closes
    /// what is left when the time is over.
    func drain(within bound: TimeAmount, on eventLoop: any EventLoop) async {
        let (channels, streams) = state.withLock { state in
            state.isDraining = true
            return (Array(state.channels.values), Array(state.streams.values))
        }
        for channel in streams + channels { channel.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
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

/// Tells the handlers of a connection that the server is stopping.
package struct DrainEvent: Sendable {}
