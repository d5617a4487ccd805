import NIOCore
import Synchronization

/// The open connections of a server, so that it can close them.
///
/// A lock, because connections come and go on the event loops of their own.
final class SandboxConnections: Sendable {
    private let state = Mutex(State())

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isDraining = false
    }

    /// False when the server is stopping and takes no more.
    func add(_ channel: any Channel) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isDraining else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        // Whatever handles the connection by then.
        if isTaken { channel.closeFuture.whenComplete { [self] _ in remove(channel) } }
        return isTaken
    }

    private func remove(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Asks every connection to close as soon as it is idle, and closes those that are not when the time is
    /// over.
    func drain(within grace: TimeAmount, on eventLoop: any EventLoop) async {
        let channels = state.withLock { state in
            state.isDraining = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(SandboxDrainEvent()) }
        let deadline = eventLoop.scheduleTask(in: grace) {
            for channel in channels { channel.close(promise: nil) }
        }
        for channel in channels { try? await channel.closeFuture.get() }
        deadline.cancel()
    }
}

/// Tells a connection that the server is stopping.
struct SandboxDrainEvent: Sendable {}
