package import Brokerage
import NIOCore
import NIOWebSocket
import Synchronization

/// The server side of one open WebSocket.
///
/// A send returns after the system has accepted the bytes, so nothing accumulates for a slow client. Pings
/// are answered automatically.
package struct WebSocketStream: Sendable {
    /// The client's messages in order, for one reader; it ends when the stream closes.
    package let frames: AsyncStream<StreamFrame>
    private let channel: any Channel
    private let endpoint: Endpoint
    private let faults: FaultScript
    /// True if the stream is disconnected after its first message.
    private let disconnectsAfterFirstMessage: Bool
    /// Whether documents are written and read in MessagePack, as binary messages.
    var usesMessagePack = false

    init(
        _ channel: any Channel, frames: AsyncStream<StreamFrame>, endpoint: Endpoint, faults: FaultScript,
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

    /// Sends a document; returns false if the stream is closed.
    @discardableResult
    package func send(_ document: JSONDocument) async -> Bool {
        await send(
            usesMessagePack
                ? .binary(MessagePack.bytes(of: document))
                : .text(String(decoding: document.bytes, as: UTF8.self)))
    }

    /// The document of a client's message.
    func document(of frame: StreamFrame) throws -> JSONDocument {
        try usesMessagePack ? MessagePack.document(of: frame.bytes) : JSONDocument(parsing: frame.bytes)
    }

    /// Sends a message, subject to faults; returns false if the stream is closed.
    @discardableResult
    package func send(_ frame: StreamFrame) async -> Bool {
        let script = faults.script(forMessage: endpoint)
        await script.delay()
        switch script.effect {
        case nil, .latency: return await write(frame)
        case .hang:
            // The client has an open stream without further messages.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return false
        case .unreadableRow where frame.withUnreadablePart != nil:
            return await write(frame.withUnreadablePart ?? frame)
        case .malformedBody, .duplicateKey, .unreadableRow, .truncatedBody:
            // The type of the message stays; half of its bytes are not a valid document.
            let half = frame.bytes.prefix(frame.bytes.count / 2)
            return switch frame {
            case .text: await write(.text(String(decoding: half, as: UTF8.self) + ",}"))
            case .binary: await write(.binary(Array(half)))
            }
        case .deviation(let deviation, let member):
            guard case .text = frame else { return await write(frame) }
            var bytes = frame.bytes
            deviation.apply(to: &bytes, at: member)
            return await write(.text(String(decoding: bytes, as: UTF8.self)))
        case .status, .lostResponse, .proxyResponse, .expiredToken:
            await close(code: 1011)
            return false
        case .closedConnection, .disconnect:
            disconnect()
            return false
        }
    }

    /// Closes the stream with a code of RFC 6455, section 7.4.
    package func close(code: UInt16 = 1000) async {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: Int(code)))
        try? await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
            .get()
        try? await channel.close()
    }

    /// Closes the connection without a close frame, as a network failure does.
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

/// The open streams, for counting and disconnecting them.
///
/// It uses a lock: streams open and close on several event loops.
package final class OpenStreams: Sendable {
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var streams: [Int: (endpoint: Endpoint, stream: WebSocketStream)] = [:]
    }

    /// The number of open streams of an endpoint: `openStreams[.alpaca, "GET /v2/{feed}"]`.
    package subscript(_ provider: ProviderID, _ name: String) -> Int {
        let endpoint = Endpoint(provider: provider, name: name)
        return state.withLock { $0.streams.values.count { $0.endpoint == endpoint } }
    }

    /// Disconnects the streams of a provider, of one of its endpoints, or all, without a close frame;
    /// returns their number.
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

    /// Registers a stream while `body` runs.
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

extension StreamFrame {
    /// The message with an unreadable part; nil if it is not JSON, or has none.
    fileprivate var withUnreadablePart: StreamFrame? {
        guard let bytes = try? JSONDocument(parsing: bytes).withUnreadablePart?.bytes else { return nil }
        return switch self {
        case .text: .text(String(decoding: bytes, as: UTF8.self))
        case .binary: .binary(bytes)
        }
    }
}
