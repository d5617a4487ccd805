import NIOCore
import NIOSSL
import Synchronization

/// The open connections of a server: counted, and known so that they can be drained.
///
/// A lock, because connections come and go on event loops of their own.
package final class OpenConnections: Sendable {
    private let limits: ServerLimits
    private let state = Mutex(State())
    /// Not in the state, because it is read for each response.
    private let stopping = Atomic(false)

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Streams of HTTP/2: each connection bounds its own.
        var streams: [ObjectIdentifier: any Channel] = [:]
        /// The number of connections of each address, if those are limited.
        var counts: [ClientAddress: Int] = [:]
        var isDraining = false
    }

    /// Whether a new connection is served.
    enum Entry {
        case admitted
        case full
        /// The address has its maximum of connections.
        case addressFull
    }

    init(limits: ServerLimits) {
        self.limits = limits
    }

    /// Counts a connection until it is closed, also after an upgrade.
    func add(_ channel: any Channel, from address: ClientAddress) -> Entry {
        let isCounted = !(limits.exemptsThisMachine && address.isThisMachine)
        let entry: Entry = state.withLock { state in
            guard state.channels.count < limits.connections else { return .full }
            if isCounted {
                guard state.counts[address, default: 0] < limits.connectionsPerAddress else {
                    return .addressFull
                }
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

    /// Adds a stream of HTTP/2 until it is closed, so that it is drained.
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

    /// Whether the shutdown has been announced or has begun: each response ends its connection.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Whether the server is shutting down, and refuses new requests.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    package var count: Int { state.withLock { $0.channels.count } }

    /// Lets each response end its connection from now on, before `drain`.
    ///
    /// Idle connections stay open: a request that is already on its way would be lost.
    func announceShutdown() { stopping.store(true, ordering: .relaxed) }

    /// Ends all connections, so that the server can stop.
    ///
    /// Idle connections are closed at once, the others after their responses. During this time the listener
    /// accepts new connections, so that clients and health checks get the response that the server is
    /// shutting down. When no request is in flight, or the grace period is over, the listener is closed, and
    /// requests without a response get one with the reason. Connections that are still open after the linger
    /// time are closed.
    ///
    /// After `announceShutdown` the listener is closed first: load balancers that have not noticed the announcement
    /// try another server when a connection is refused, and pass on a 503.
    func drain(_ listener: any Channel) async {
        if stopping.exchange(true, ordering: .relaxed) { await close(listener) }
        let (channels, streams) = state.withLock { state in
            state.isDraining = true
            return (Array(state.channels.values), Array(state.streams.values))
        }
        for channel in streams + channels { channel.pipeline.fireUserInboundEventTriggered(DrainEvent()) }
        await OpenConnections.end(of: channels, within: limits.drainTimeout, on: listener.eventLoop)
        listener.close(promise: nil)
        // The reason of a failed close has no effect: the listener accepts no more connections.
        try? await listener.closeFuture.get()
        let (rest, restOfStreams) = state.withLock { state in
            (Array(state.channels.values), Array(state.streams.values))
        }
        for channel in restOfStreams + rest {
            channel.pipeline.fireUserInboundEventTriggered(GracePeriodEndEvent())
        }
        await OpenConnections.end(of: rest, within: limits.lingerTimeout, on: listener.eventLoop)
        for channel in rest { channel.eventLoop.execute { channel.closeWithoutHandshake() } }
        for channel in rest { try? await channel.closeFuture.get() }
    }

    /// Closes the listener, and waits for the requests of connections that it has accepted: a client may not have sent its
    /// first request yet.
    private func close(_ listener: any Channel) async {
        listener.close(promise: nil)
        try? await listener.closeFuture.get()
        let channels = state.withLock { Array($0.channels.values) }
        await OpenConnections.end(of: channels, within: limits.lingerTimeout, on: listener.eventLoop)
    }

    /// Waits until all channels are closed, or the time is over.
    private static func end(
        of channels: [any Channel], within bound: TimeAmount, on eventLoop: any EventLoop
    ) async {
        let end = eventLoop.makePromise(of: Void.self)
        EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: eventLoop).cascade(to: end)
        let timer = eventLoop.scheduleTask(in: bound) { end.succeed() }
        try? await end.futureResult.get()
        timer.cancel()
    }
}

extension Channel {
    /// Closes a connection without the closing handshake of TLS, in which the server would wait for a silent
    /// client.
    ///
    /// Must be called on the channel's event loop.
    func closeWithoutHandshake() {
        // Closing from the context of the TLS handler skips that handler.
        guard let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return close(promise: nil)
        }
        tls.close(promise: nil)
    }
}

/// Notifies the handlers of a connection of the shutdown: requests that have begun must be finished.
package struct DrainEvent: Sendable {}

/// Notifies the handlers of a connection of the end of the grace period: unfinished requests must be ended.
package struct GracePeriodEndEvent: Sendable {}
