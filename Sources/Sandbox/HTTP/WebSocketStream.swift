package import Brokerage
import NIOCore
import NIOWebSocket
import Synchronization

/// The sandbox's end of one open WebSocket.
///
/// Messages are sent one after the other: a send returns when the system has taken the bytes, so nothing piles up
/// for a client that does not read. Pings are answered by themselves.
package struct WebSocketStream: Sendable {
    /// The client's messages in their order, for one reader; ends when the stream does.
    package let frames: AsyncStream<StreamFrame>
    private let channel: any Channel
    private let endpoint: Endpoint
    private let faults: FaultRegistry
    /// Whether the stream is to be cut after its first message.
    private let disconnectsAfterFirstMessage: Bool

    init(
        _ channel: any Channel, frames: AsyncStream<StreamFrame>, endpoint: Endpoint, faults: FaultRegistry,
        disconnectsAfterFirstMessage: Bool
    ) {
        self.channel = channel
        self.frames = frames
        self.endpoint = Endpoint(
            provider: endpoint.provider, name: StreamRoute.messageName(of: endpoint.name))
        self.faults = faults
        self.disconnectsAfterFirstMessage = disconnectsAfterFirstMessage
    }

    package var isOpen: Bool { channel.isActive }

    /// Sends a document as text; false when the stream is closed.
    @discardableResult
    package func send(_ document: JSONDocument) async -> Bool {
        await send(.text(String(decoding: document.bytes, as: UTF8.self)))
    }

    /// Sends a message, unless a fault keeps it; false when the stream is closed.
    @discardableResult
    package func send(_ frame: StreamFrame) async -> Bool {
        let script = faults.script(forMessage: endpoint)
        await script.delay()
        switch script.effect {
        case nil, .latency: return await write(frame)
        case .hang:
            // The client keeps an open stream on which nothing comes any more.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return false
        case .malformedBody, .duplicateKey, .truncatedBody:
            // The type of the message stays; half of it is no document of any kind.
            let half = frame.bytes.prefix(frame.bytes.count / 2)
            return switch frame {
            case .text: await write(.text(String(decoding: half, as: UTF8.self) + ",}"))
            case .binary: await write(.binary(Array(half)))
            }
        case .status, .lostResponse, .expiredToken:
            await close(code: 1011)
            return false
        case .closedConnection, .disconnect:
            disconnect()
            return false
        }
    }

    /// Asks the client for a sign of life.
    package func ping() async {
        try? await channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0))
        ).get()
    }

    /// Closes in order, with a code of RFC 6455, section 7.4.
    package func close(code: UInt16 = 1000) async {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: Int(code)))
        try? await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
            .get()
        try? await channel.close()
    }

    /// Closes the connection without a word, as a network does that goes away.
    package func disconnect() {
        channel.close(promise: nil)
    }

    private func write(_ frame: StreamFrame) async -> Bool {
        let message =
            switch frame {
            case .text(let text):
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
            case .binary(let bytes):
                WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
            }
        do {
            try await channel.writeAndFlush(message).get()
        } catch {
            return false
        }
        if disconnectsAfterFirstMessage { disconnect() }
        return !disconnectsAfterFirstMessage
    }
}

/// The streams that are open, so that they can be counted and cut.
///
/// A lock, because streams open and close on event loops of their own.
package final class OpenStreams: Sendable {
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var streams: [Int: (endpoint: Endpoint, stream: WebSocketStream)] = [:]
    }

    /// How many streams of an endpoint are open: `openStreams[.alpaca, "GET /v2/{feed}"]`.
    package subscript(_ provider: ProviderID, _ name: String) -> Int {
        let endpoint = Endpoint(provider: provider, name: name)
        return state.withLock { $0.streams.values.count { $0.endpoint == endpoint } }
    }

    /// Cuts the streams of a provider, or of one of its endpoints, or all, without a word; how many there were.
    @discardableResult
    package func disconnect(_ provider: ProviderID? = nil, _ name: String? = nil) -> Int {
        let streams = state.withLock { state in
            state.streams.values.filter { stream in
                (provider ?? stream.endpoint.provider) == stream.endpoint.provider
                    && (name ?? stream.endpoint.name) == stream.endpoint.name
            }
        }
        for stream in streams { stream.stream.disconnect() }
        return streams.count
    }

    /// Keeps a stream in mind for as long as `body` runs.
    func during(_ endpoint: Endpoint, _ stream: WebSocketStream, _ body: () async -> Void) async {
        let number = state.withLock { state in
            state.next += 1
            state.streams[state.next] = (endpoint, stream)
            return state.next
        }
        await body()
        state.withLock { _ = $0.streams.removeValue(forKey: number) }
    }
}
