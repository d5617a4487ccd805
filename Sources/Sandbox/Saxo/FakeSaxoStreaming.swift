import Brokerage
import NIOHTTP1

/// Saxo's streaming host: the WebSocket, and the endpoint that renews its token.
struct FakeSaxoStreaming: Sendable {
    let host: FakeSaxoHost
    let streams: FakeSaxoStreams

    var routes: [SandboxRoute] {
        [
            SandboxRoute(.PUT, "/authorize") { request in
                guard let user = host.user(request.headers), let token = Self.token(request) else {
                    return SandboxResponse(status: .unauthorized)
                }
                guard let contextID = Self.contextID(request),
                    streams.renew(.init(user: user.name, contextID: contextID), token: token)
                else { return SandboxResponse(status: .notFound) }
                return SandboxResponse(status: .accepted)
            }
        ]
    }

    var connections: [StreamRoute] {
        [
            StreamRoute(
                "/connect",
                rejection: { request in
                    guard let key = key(of: request) else { return SandboxResponse(status: .unauthorized) }
                    guard !key.contextID.isEmpty else { return SandboxResponse(status: .badRequest) }
                    return streams.isConnected(key)
                        ? SandboxResponse(
                            status: HTTPResponseStatus(statusCode: host.settings.contextInUseStatus))
                        : nil
                }, serve: serve)
        ]
    }

    private func serve(_ request: SandboxRequest, _ stream: WebSocketStream) async {
        guard let key = key(of: request), let token = Self.token(request),
            let (connection, replay) = streams.connect(
                key, token: token, after: request[query: "messageid"].flatMap { UInt64($0) })
        else { return }
        defer { streams.disconnect(key, connection: connection) }
        guard await send(replay, stream) else { return }
        while !Task.isCancelled, stream.isOpen {
            let now = host.clock.now
            let batch = streams.nextBatch(for: key, connection: connection, at: now, host.view())
            guard await send(batch.messages, stream), !batch.isLast else { return }
            await host.clock.wait(
                until: Instant(secondsSince1970: now.secondsSince1970 + 1) ?? .latest)
        }
    }

    /// Sends all messages in one frame; returns false if the stream is closed.
    private func send(_ messages: [FakeSaxoStreamMessage], _ stream: WebSocketStream) async -> Bool {
        if messages.isEmpty { return true }
        return await stream.send(.binary(messages.flatMap(\.bytes)))
    }

    /// Returns the key of the context; nil for an unknown token.
    private func key(of request: SandboxRequest) -> FakeSaxoStreams.Key? {
        guard let token = Self.token(request),
            let user = host.sessions.user(ofAccessToken: token, at: host.clock.now)
        else { return nil }
        return .init(user: user.name, contextID: Self.contextID(request) ?? "")
    }

    /// Browsers cannot set headers of a WebSocket request, so the token may be in the query too.
    private static func token(_ request: SandboxRequest) -> String? {
        let text = request.headers.first(name: "Authorization") ?? parameter("authorization", of: request)
        return text.flatMap { HTTPHeaders.credentials($0, scheme: "bearer") }
    }

    private static func contextID(_ request: SandboxRequest) -> String? {
        parameter("contextid", of: request)
    }

    /// Returns a parameter with a case-insensitive name: `contextId`, `contextid`.
    private static func parameter(_ name: String, of request: SandboxRequest) -> String? {
        request.query.last { $0.name.lowercased() == name }?.value
    }
}

/// One message of Saxo's stream, with its binary layout.
struct FakeSaxoStreamMessage: Sendable, Hashable {
    let id: UInt64
    /// At most 50 ASCII characters; control messages begin with `_`.
    let referenceID: String
    let payload: JSONDocument

    /// Message id, two reserved bytes, reference, format 0 for JSON, payload; numbers are little-endian.
    var bytes: [UInt8] {
        let reference = Array(referenceID.utf8.prefix(255))
        let payload = payload.bytes
        return Self.littleEndian(id) + [0, 0, UInt8(truncatingIfNeeded: reference.count)] + reference + [0]
            + Self.littleEndian(UInt32(truncatingIfNeeded: payload.count)) + payload
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
    }
}
