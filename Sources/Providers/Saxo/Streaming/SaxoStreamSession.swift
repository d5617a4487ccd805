package import Brokerage
import Synchronization
package import Upstream

/// One streaming context: its WebSocket, its subscriptions, and their token.
///
/// Four tasks share the state: one receives, one follows the requested symbols, one creates and removes
/// subscriptions (no other task does, so that they are sequential), one checks inactivity and the token.
/// When one ends, all end.
final class SaxoStreamSession: Sendable {
    struct State {
        var stream = SaxoStreamState()
        var isConnected = false
        /// The token that Saxo has.
        var token: SaxoToken?
    }

    let client: SaxoClient
    let url: HTTPURL
    let contextID: String
    let deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void
    // The lock is held for a few lines, including `deliver`, so that changes are delivered in order; never
    // during a suspension.
    let state = Mutex(State())
    let (signals, signal) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        of client: SaxoClient, at url: HTTPURL,
        deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) {
        self.client = client
        self.url = url
        self.deliver = deliver
        var generator = SystemRandomNumberGenerator()
        contextID = "portico-" + String(generator.next(), radix: 36)
    }

    /// Runs until something ends it.
    func run(_ wanted: AsyncStream<Set<Symbol>>) async -> ProviderFailure {
        await withTaskGroup(of: ProviderFailure.self) { group in
            group.addTask { await self.listen() }
            group.addTask { await self.follow(wanted) }
            group.addTask { await self.subscribe() }
            group.addTask { await self.watch() }
            let end = await group.next() ?? Self.cancelled
            group.cancelAll()
            return end
        }
    }

    static let cancelled = ProviderFailure(.saxo, .cancelled)
    /// The time limit of one call.
    static let callTime = Duration.seconds(30)
    /// The interval of the checks of inactivity and token: a token is renewed a minute before its end.
    private static let watchInterval = Duration.seconds(10)

    var context: CallContext { CallContext(deadline: client.clock.now() + Self.callTime) }

    // MARK: Subscriptions

    private func follow(_ wanted: AsyncStream<Set<Symbol>>) async -> ProviderFailure {
        for await symbols in wanted {
            let listings = await client.listings(for: Array(symbols), in: context)
            state.withLock { $0.stream.follow(listings.found.map { $1.named($0) }) }
            signal.yield()
            // A symbol that Saxo rejects does not affect the others; other failures are retried with the
            // next stream.
            for failure in listings.failures.values where failure.cause != .unsupported { return failure }
        }
        // No symbol is requested, or the task was cancelled.
        return Self.cancelled
    }

    private func subscribe() async -> ProviderFailure {
        for await _ in signals {
            while let work = state.withLock({ $0.isConnected ? $0.stream.nextWork() : nil }) {
                do throws(ProviderFailure) {
                    switch work {
                    case .subscribe(let order): try await subscribe(order)
                    case .unsubscribe(let reference): try await unsubscribe(reference)
                    }
                } catch {
                    return error
                }
            }
        }
        return Self.cancelled
    }

    private static let path = ["v1", "infoprices", "subscriptions"]

    private func subscribe(_ order: SaxoSubscriptionRequest) async throws(ProviderFailure) {
        let url = try client.address(.trading, Self.path)
        let answer = try await client.subscribe(
            "subscribe", .post, url, body: order.body(contextID: contextID), in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try SaxoPriceSubscription(json: &reader)
            }
        }
        let now = client.clock.now()
        let failure = state.withLock { state -> JSONError? in
            do throws(JSONError) {
                for change in try state.stream.didSubscribe(order, answer, now: now) {
                    deliver(.value(change))
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw ProviderFailure(.saxo, .invalidResponse(failure)) }
    }

    private func unsubscribe(_ reference: String) async throws(ProviderFailure) {
        let url = try client.address(.trading, Self.path + [contextID, reference])
        do throws(ProviderFailure) {
            try await client.subscribe("unsubscribe", .delete, url, in: context) { _ in }
        } catch {
            // It has ended, as intended.
            guard error.cause == .notFound else { throw error }
        }
    }

    // MARK: Silence and the token

    private func watch() async -> ProviderFailure {
        while (try? await client.clock.sleep(client.clock.now() + Self.watchInterval)) != nil {
            let now = client.clock.now()
            if state.withLock({ $0.stream.expireSilent(now: now) }) { signal.yield() }
            do throws(ProviderFailure) {
                try await renewToken()
            } catch {
                // Temporary failures are retried: the token is still valid for some time.
                if error.cause == .unauthorized { return error }
            }
        }
        return Self.cancelled
    }

    /// Sends a renewed token to Saxo before the old one ends: `PUT authorize`.
    private func renewToken() async throws(ProviderFailure) {
        let token = try await client.access.token(in: context)
        guard let known = state.withLock({ $0.token }), known != token else { return }
        guard
            let address = url.appending(path: "authorize")?.appending(query: [("contextid", contextID)])
        else { throw ProviderFailure(.saxo, transport: .badURL) }
        try await client.write(
            "renew stream", client.streamCaller, .put, address, in: context
        ) { _ in }
        state.withLock { $0.token = token }
    }
}

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
            if !state.isConnected { deliver(.connected) }
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
                    for change in reception.changes { deliver(.value(change)) }
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

extension SaxoClient: QuoteStream {
    /// As many as one list of prices may have; the documents name no bound of a connection.
    package var symbolLimit: Int? { configuration.pricesPerCall }

    /// Streams prices over one streaming context: a list of prices for each AssetType, and a WebSocket with
    /// their changes.
    ///
    /// A broken WebSocket is opened again a limited number of times, and Saxo continues after the last
    /// message; nothing is lost, so subscribers are not informed. A symbol that Saxo does not know is not
    /// followed.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        guard let url = configuration.streamingURL else { throw ProviderFailure(.saxo, .unsupported) }
        throw await SaxoStreamSession(of: self, at: url, deliver: deliver).run(wanted)
    }
}
