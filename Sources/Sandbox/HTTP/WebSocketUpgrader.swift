import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// One connection's way from HTTP to a WebSocket.
///
/// The decision is made while the request's head waits, by the dispatcher; a rejection is stored for the HTTP
/// handler, to which the request then goes. A lock, because the decision is made in a task.
final class WebSocketUpgrader: Sendable {
    private let open: @Sendable (SandboxRequest) async -> WebSocketUpgradeDecision?
    private let decision = Mutex<WebSocketUpgradeDecision?>(nil)

    /// `open` decides; nil for a request that is about no stream.
    init(_ open: @escaping @Sendable (SandboxRequest) async -> WebSocketUpgradeDecision?) {
        self.open = open
    }

    /// Why the client was not let in, once: the HTTP handler answers with it.
    func consumeRejection() -> SandboxResponse? {
        decision.withLock { decision in
            guard case .rejected(let response) = decision else { return nil }
            decision = nil
            return response
        }
    }

    /// What the HTTP pipeline is to be configured with.
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
