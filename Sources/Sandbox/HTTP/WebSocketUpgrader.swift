import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// The upgrade of one connection from HTTP to a WebSocket.
///
/// The dispatcher decides while the request's head waits. A rejection is stored for the HTTP handler, which
/// receives the request then. It uses a lock, because the decision is made in a task.
final class WebSocketUpgrader: Sendable {
    private let open: @Sendable (SandboxRequest) async -> WebSocketUpgradeDecision?
    private let decision = Mutex<WebSocketUpgradeDecision?>(nil)

    /// Creates the upgrader; `open` decides, and returns nil for a request of no stream.
    init(_ open: @escaping @Sendable (SandboxRequest) async -> WebSocketUpgradeDecision?) {
        self.open = open
    }

    /// Returns the stored rejection and removes it; the HTTP handler responds with it.
    func consumeRejection() -> SandboxResponse? {
        decision.withLock { decision in
            guard case .rejected(let response) = decision else { return nil }
            decision = nil
            return response
        }
    }

    /// The upgrade configuration of the HTTP pipeline.
    var configuration: NIOHTTPServerUpgradeSendableConfiguration {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: StreamHandler.maximumMessageSize, shouldUpgrade: decide,
            upgradePipelineHandler: { channel, _ in self.begin(channel) })
        return (upgraders: [upgrader], completionHandler: { _ in })
    }

    @Sendable
    private func decide(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<HTTPHeaders?> {
        guard
            let request = SandboxRequest(
                method: head.method, target: head.uri, headers: head.headers, peer: channel.remoteAddress)
        else { return channel.eventLoop.makeSucceededFuture(nil) }
        let promise = channel.eventLoop.makePromise(of: HTTPHeaders?.self)
        let task = Task { [open, self] in
            let handshake = await open(request)
            decision.withLock { $0 = handshake }
            guard case .accepted(let response, _) = handshake else { return promise.succeed(nil) }
            promise.succeed(response.headers)
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
        return promise.futureResult
    }

    private func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard case .accepted(_, let serve) = decision.withLock({ $0 }) else { return }
            let pipeline = channel.pipeline.syncOperations
            let handler = try pipeline.context(handlerType: SandboxConnectionHandler.self)
            pipeline.removeHandler(context: handler, promise: nil)
            try pipeline.addHandlers([
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1_024,
                    maxAccumulatedFrameSize: StreamHandler.maximumMessageSize),
                StreamHandler(serve: serve),
            ])
        }
    }
}

/// The response to a request to open a WebSocket.
enum WebSocketUpgradeDecision: Sendable {
    /// The client is accepted; `serve` exchanges frames with it until the stream closes.
    case accepted(SandboxResponse, serve: @Sendable (any Channel, AsyncStream<StreamFrame>) async -> Void)
    case rejected(SandboxResponse)
}
