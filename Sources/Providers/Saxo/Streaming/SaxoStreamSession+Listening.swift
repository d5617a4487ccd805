import Brokerage
import Synchronization
import Upstream

extension SaxoStreamSession {
    /// In a row, without a message between them.
    private static var maximumReconnections: Int { 4 }

    func listen() async -> ProviderFailure {
        var failures = 0
        while true {
            let failure: ProviderFailure
            do throws(ProviderFailure) {
                let socket = try await connect()
                defer { socket.close() }
                didConnect()
                while true {
                    try await handle(receive(from: socket))
                    failures = 0
                }
            } catch {
                failure = error
            }
            failures += 1
            guard failure.cause == .unavailable, failures <= Self.maximumReconnections,
                state.withLock({ $0.stream.lastMessageID }) != nil
            else { return failure }
            let pause = Duration.milliseconds(250) * (1 << (failures - 1))
            guard (try? await client.clock.sleep(client.clock.now() + pause)) != nil else {
                return Self.cancelled
            }
        }
    }

    /// Opens the WebSocket, and once more with a new token where this one is refused.
    private func connect() async throws(ProviderFailure) -> WebSocketConnection {
        let token = try await client.access.token(in: context)
        do throws(ProviderFailure) {
            return try await connect(by: token)
        } catch {
            guard error.cause == .unauthorized,
                let next = try await client.access.renewed(after: token, in: context)
            else { throw error }
            return try await connect(by: next)
        }
    }

    private func connect(by token: SaxoToken) async throws(ProviderFailure) -> WebSocketConnection {
        let last = state.withLock { $0.stream.lastMessageID }
        let address = url.appending(path: "connect")?.appending(query: [
            ("contextId", contextID), ("messageid", last.map(String.init)),
        ])
        guard let address else { throw ProviderFailure(.saxo, transport: .badURL) }
        var headers = HTTPClientHeaders()
        token.sign(&headers)
        do throws(WebSocketError) {
            let socket = try await WebSocketConnection.open(
                address, headers: headers, before: .now + Self.callTime)
            state.withLock { $0.token = token }
            return socket
        } catch {
            // Saxo has not yet noticed the end of the previous connection.
            if case .rejected(409, _) = error { throw ProviderFailure(.saxo, .unavailable) }
            throw ProviderFailure(.saxo, webSocket: error, now: client.clock.wallTime())
        }
    }

    /// Reports the first connection only: later ones continue it.
    private func didConnect() {
        state.withLock { state in
            if !state.isConnected { state.deliverPrice?(.connected) }
            state.isConnected = true
        }
        signal.yield()
    }

    private func receive(
        from socket: WebSocketConnection
    ) async throws(ProviderFailure) -> [SaxoStreamMessage] {
        let frame: WebSocketMessage
        do throws(WebSocketError) {
            frame = try await socket.receive()
        } catch {
            throw ProviderFailure(.saxo, webSocket: error, now: client.clock.wallTime())
        }
        guard frame.kind == .binary, let messages = try? SaxoStreamMessage.messages(in: frame.bytes) else {
            throw ProviderFailure(.saxo, .invalidResponse(nil))
        }
        return messages
    }

    private func handle(_ messages: [SaxoStreamMessage]) async throws(ProviderFailure) {
        for message in messages {
            let now = client.clock.now()
            let result = state.withLock { state -> Result<SaxoStreamState.ReceiveResult, JSONError> in
                do throws(JSONError) {
                    let reception = try state.stream.receive(message, now: now)
                    for change in reception.changes { state.deliverPrice?(.value(change)) }
                    for event in reception.orderEvents { state.deliverOrderEvent?(.value(event)) }
                    return .success(reception)
                } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let reception):
                if reception.needsWork { signal.yield() }
                if reception.isOver { throw try await end() }
            case .failure(let error): throw ProviderFailure(.saxo, .invalidResponse(error))
            }
        }
    }

    /// The reason for the end: with another token a new connection is possible, without one the user must
    /// consent again.
    private func end() async throws(ProviderFailure) -> ProviderFailure {
        guard let token = state.withLock({ $0.token }),
            try await client.access.renewed(after: token, in: context) != nil
        else { return ProviderFailure(.saxo, .unauthorized) }
        return ProviderFailure(.saxo, .unavailable)
    }
}
