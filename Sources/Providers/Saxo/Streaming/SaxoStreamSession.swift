import Brokerage
import Synchronization
import Upstream

/// One streaming context: its WebSocket, its subscriptions, and their token.
///
/// Three tasks share the state: one receives, one creates and removes subscriptions (no other task does, so that they
/// are sequential), one checks inactivity and the token. When one ends, all end. A stream of the context, of
/// prices or of orders, ends alone if its subscription fails.
///
/// The file is longer than 350 lines, because the three tasks change one state.
final class SaxoStreamSession: Sendable {
    private struct State {
        var stream = SaxoStreamState()
        var isConnected = false
        /// The token that Saxo has.
        var token: SaxoToken?
        var deliverPrice: (@Sendable (StreamEvent<QuoteUpdate>) -> Void)?
        var deliverOrderEvent: (@Sendable (StreamEvent<SaxoOrderEvent>) -> Void)?
        /// Where the ends of the streams are awaited.
        var endings: [SaxoStreamPool.Kind: AsyncStream<ProviderFailure>.Continuation] = [:]
        /// The ends that are not awaited yet.
        var ended: [SaxoStreamPool.Kind: ProviderFailure] = [:]

        mutating func unfollow(_ kind: SaxoStreamPool.Kind) {
            switch kind {
            case .prices:
                stream.follow([])
                deliverPrice = nil
            case .orders:
                stream.followOrders(false)
                deliverOrderEvent = nil
            }
        }
    }

    private let client: SaxoClient
    private let url: HTTPURL
    private let contextID: String
    // The lock is held for a few lines, including the deliveries, so that changes are delivered in order;
    // never during a suspension.
    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(of client: SaxoClient, at url: HTTPURL) {
        self.client = client
        self.url = url
        var generator = SystemRandomNumberGenerator()
        contextID = "portico-" + String(generator.next(), radix: 36)
    }

    /// Runs until something ends it.
    func run() async -> ProviderFailure {
        await withTaskGroup(of: ProviderFailure.self) { group in
            group.addTask { await self.listen() }
            group.addTask { await self.subscribe() }
            group.addTask { await self.monitorSilenceAndToken() }
            let end = await group.next() ?? Self.cancelled
            group.cancelAll()
            return end
        }
    }

    // MARK: Streams

    /// Delivers prices from now on.
    func followPrices(_ deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void) {
        state.withLock { state in
            state.deliverPrice = deliver
            if state.isConnected { deliver(.connected) }
        }
    }

    /// Replaces the instruments whose prices are followed.
    func follow(_ listings: [SaxoListing]) {
        state.withLock { $0.stream.follow(listings) }
        signal.yield()
    }

    /// Delivers the events of orders from now on; `connected` after each subscription.
    func followOrders(_ deliver: @escaping @Sendable (StreamEvent<SaxoOrderEvent>) -> Void) {
        state.withLock { state in
            state.deliverOrderEvent = deliver
            state.stream.followOrders(true)
        }
        signal.yield()
    }

    /// Ends the subscriptions of a stream.
    func unfollow(_ kind: SaxoStreamPool.Kind) {
        state.withLock { state in
            state.unfollow(kind)
            state.endings.removeValue(forKey: kind)?.finish()
            state.ended[kind] = nil
        }
        signal.yield()
    }

    /// The end of a stream; at most one element.
    func ends(of kind: SaxoStreamPool.Kind) -> AsyncStream<ProviderFailure> {
        let (ends, continuation) = AsyncStream.makeStream(of: ProviderFailure.self)
        state.withLock { state in
            if let failure = state.ended[kind] { continuation.yield(failure) }
            state.endings[kind] = continuation
        }
        return ends
    }

    /// Ends one stream; the others of the context continue.
    func end(_ kind: SaxoStreamPool.Kind, with failure: ProviderFailure) {
        state.withLock { state in
            state.unfollow(kind)
            guard let continuation = state.endings[kind] else {
                state.ended[kind] = failure
                return
            }
            continuation.yield(failure)
        }
    }

    static let cancelled = ProviderFailure(.saxo, .cancelled)
    /// The time limit of one call.
    private static let callTime = Duration.seconds(30)
    /// The interval of the checks of inactivity and token: a token is renewed a minute before its end.
    private static let checkInterval = Duration.seconds(10)

    var context: CallContext { CallContext(deadline: client.clock.now() + Self.callTime) }

    // MARK: Subscriptions

    private func subscribe() async -> ProviderFailure {
        for await _ in signals {
            while let work = state.withLock({ $0.isConnected ? $0.stream.nextWork() : nil }) {
                do throws(ProviderFailure) {
                    switch work {
                    case .subscribe(let request):
                        try await subscribe(request)
                    case .unsubscribe(let reference):
                        try await unsubscribe(reference, .trading, Self.prices)
                    case .subscribeToOrders(let request):
                        try await subscribe(request)
                    case .unsubscribeFromOrders(let reference):
                        try await unsubscribe(reference, .events, Self.orders)
                    }
                } catch {
                    end(work.kind, with: error)
                }
            }
        }
        return Self.cancelled
    }

    private static let prices = ["v1", "infoprices", "subscriptions"]
    private static let orders = ["v1", "activities", "subscriptions"]

    private func subscribe(_ request: SaxoSubscriptionRequest) async throws(ProviderFailure) {
        let response = try await send(
            request.referenceID, .trading, Self.prices, request.body(contextID: contextID),
            as: SaxoPriceSubscription.self)
        let now = client.clock.now()
        try deliver { state throws(JSONError) in
            for change in try state.stream.didSubscribe(request, response, now: now) {
                state.deliverPrice?(.value(change))
            }
        }
    }

    /// Subscribes to orders from the last event on that was delivered, or from its time on if Saxo no longer has
    /// it.
    private func subscribe(_ request: SaxoOrderSubscriptionRequest) async throws(ProviderFailure) {
        let history = client.streams.history
        var start = history.start
        let response: SaxoOrderSubscription
        do throws(ProviderFailure) {
            response = try await send(request, from: start)
        } catch {
            guard case .sequence = start, error.cause == .unsupported else { throw error }
            start = history.startByTime
            response = try await send(request, from: start)
        }
        let now = client.clock.now()
        // The orders of before the first subscription are read by the caller.
        if start == .realTime { response.events.forEach(history.record) }
        try deliver { state throws(JSONError) in
            let later = try state.stream.didSubscribe(request, response, now: now)
            state.deliverOrderEvent?(.connected)
            for event in (start == .realTime ? [] : response.events) + later {
                state.deliverOrderEvent?(.value(event))
            }
        }
    }

    private func send(
        _ request: SaxoOrderSubscriptionRequest, from start: SaxoOrderSubscriptionRequest.Start
    ) async throws(ProviderFailure) -> SaxoOrderSubscription {
        try await send(
            request.referenceID, .events, Self.orders, request.body(contextID: contextID, from: start),
            as: SaxoOrderSubscription.self)
    }

    private func send<Response: JSONDecodable>(
        _ referenceID: String, _ group: SaxoServiceGroup, _ path: [String], _ body: [UInt8],
        as type: Response.Type
    ) async throws(ProviderFailure) -> Response {
        let url = try client.address(group, path)
        do throws(ProviderFailure) {
            return try await client.write("subscribe", group, .post, url, body: body, in: context) {
                response throws(JSONError) in
                try Response(json: response.body)
            }
        } catch {
            state.withLock { $0.stream.didNotSubscribe(referenceID) }
            throw error
        }
    }

    /// Applies a response under the lock.
    private func deliver(
        _ apply: (inout State) throws(JSONError) -> Void
    ) throws(ProviderFailure) {
        let failure = state.withLock { state -> JSONError? in
            do throws(JSONError) {
                try apply(&state)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw ProviderFailure(.saxo, .invalidResponse(failure)) }
    }

    private func unsubscribe(
        _ reference: String, _ group: SaxoServiceGroup, _ path: [String]
    ) async throws(ProviderFailure) {
        let url = try client.address(group, path + [contextID, reference])
        do throws(ProviderFailure) {
            try await client.write("unsubscribe", group, .delete, url, in: context) { _ in }
        } catch {
            // It has ended, as intended.
            guard error.cause == .notFound else { throw error }
        }
    }

    // MARK: Silence and the token

    private func monitorSilenceAndToken() async -> ProviderFailure {
        while (try? await client.clock.sleep(client.clock.now() + Self.checkInterval)) != nil {
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

    // MARK: Messages

    /// In a row, without a message between them.
    private static var maximumReconnections: Int { 4 }

    private func listen() async -> ProviderFailure {
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
                    // As after a reconnection, the caller reads the open orders.
                    if reception.losesOrderEvents { state.deliverOrderEvent?(.connected) }
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
