import NIOCore
import NIOPosix
import PorticoCore
import Synchronization

/// A TCP proxy on a free port: a load balancer in front of several targets, or a network between a replica and a server
/// that a test interrupts.
///
/// Each connection goes to the next target that accepts it.
final class Proxy: Sendable {
    /// What the proxy does with connections.
    enum Mode {
        case forwards
        /// It closes all connections, and new ones at once.
        case cuts
        /// It accepts connections and forwards no bytes.
        case hangs
    }

    fileprivate struct State {
        var mode = Mode.forwards
        var next = 0
        /// The accepted connections of each target.
        var counts: [Int]
        /// Both sides of the open connections.
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    let port: Int
    private let listener: any Channel
    private let state: SharedState

    fileprivate final class SharedState: Sendable {
        let targets: [SocketAddress]
        // Event loops and the test use it; held for a few look-ups.
        let value: Mutex<State>

        init(_ targets: [SocketAddress]) {
            self.targets = targets
            value = Mutex(State(counts: targets.map { _ in 0 }))
        }
    }

    /// Runs a proxy around a test.
    ///
    /// - Parameters:
    ///   - targets: The addresses to which connections are forwarded.
    ///   - test: The test.
    /// - Returns: The value of the test.
    /// - Throws: The error of the test, or of the system if the proxy cannot listen.
    static func run<Value>(to targets: [SocketAddress], _ test: (Proxy) async throws -> Value) async throws
        -> Value
    {
        let proxy = try await Proxy(to: targets)
        let result = await Result.of { try await test(proxy) }
        proxy.change(.cuts)
        try await proxy.listener.close()
        return try result.get()
    }

    /// Runs a proxy for each of some targets around a test.
    static func run(
        _ targets: [SocketAddress], _ known: [Proxy] = [],
        _ test: ([Proxy]) async throws -> Void
    ) async throws {
        guard let target = targets.first else { return try await test(known) }
        try await run(to: [target]) { proxy in
            try await run(Array(targets.dropFirst()), known + [proxy], test)
        }
    }

    private init(to targets: [SocketAddress]) async throws {
        let state = SharedState(targets)
        self.state = state
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { client in state.forward(client) }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.port = port
    }

    /// The number of connections of each target.
    var counts: [Int] { state.value.withLock(\.counts) }

    /// Changes the treatment of open and new connections.
    func change(_ mode: Mode) {
        let channels = state.value.withLock { state in
            state.mode = mode
            return Array(state.channels.values)
        }
        for channel in channels {
            if mode == .cuts {
                channel.close(promise: nil)
            } else {
                _ = channel.setOption(.autoRead, value: mode == .forwards)
            }
        }
    }
}

extension Proxy.SharedState {
    /// Connects a client with the next target that accepts it.
    fileprivate func forward(_ client: any Channel) -> EventLoopFuture<Void> {
        guard value.withLock({ $0.mode }) != .cuts else { return client.close() }
        return connect(on: client.eventLoop, attempts: targets.count).flatMap { server in
            self.pair(client, with: server)
        }.flatMapError { _ in client.close() }
    }

    private func connect(on loop: any EventLoop, attempts: Int) -> EventLoopFuture<any Channel> {
        let index = value.withLock { state in
            defer { state.next = (state.next + 1) % targets.count }
            return state.next
        }
        return ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(to: targets[index])
            .map { channel in
                self.value.withLock { $0.counts[index] += 1 }
                return channel
            }
            .flatMapError { error in
                attempts > 1
                    ? self.connect(on: loop, attempts: attempts - 1) : loop.makeFailedFuture(error)
            }
    }

    /// Both channels have the same event loop.
    private func pair(_ client: any Channel, with server: any Channel) -> EventLoopFuture<Void> {
        client.eventLoop.makeCompletedFuture {
            try client.pipeline.syncOperations.addHandler(Forwarder(to: server))
            try server.pipeline.syncOperations.addHandler(Forwarder(to: client))
            for channel in [client, server] { follow(channel) }
            let mode = value.withLock { $0.mode }
            for channel in [client, server] {
                if mode == .cuts {
                    channel.close(promise: nil)
                } else {
                    _ = channel.setOption(.autoRead, value: mode == .forwards)
                }
            }
        }
    }

    private func follow(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        value.withLock { $0.channels[id] = channel }
        channel.closeFuture.whenComplete { _ in self.value.withLock { $0.channels[id] = nil } }
    }
}

/// Writes to one side what the other one has received, until that side ends.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context _: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // One side sends no more, and may still receive.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            other.close(mode: .output, promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error _: any Error) {
        context.close(promise: nil)
    }
}
