import Brokerage
import NIOHTTP1

/// Alpaca's stream of market data, `/v2/{feed}` (fact sheet, "Streaming: market data").
///
/// Each second of the sandbox's clock in which there is trading brings one trade and one quote of every symbol
/// listened to, each minute a bar; what is missed while the clock leaps is told up to a minute back. MessagePack
/// is not spoken.
struct FakeAlpacaDataStream: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let settings: FakeAlpacaSettings
    let scriptedMarket: ScriptedMarket
    let streamLimit: FakeAlpacaStreamLimit

    var route: StreamRoute {
        StreamRoute(
            "/v2/{feed}",
            rejection: { request in
                FakeAlpacaFeeds.streamed.contains(request.parameters["feed"] ?? "")
                    ? nil : .json(["message": "Not Found"], status: .notFound)
            },
            serve: { request, stream in
                await stream.send([["T": "success", "msg": "connected"]])
                var user = user(of: request)
                var frames = stream.frames.makeAsyncIterator()
                if user == nil { user = await authenticated(&frames, stream) }
                guard let user else { return }
                guard streamLimit.acquire(for: user.name, limit: settings.dataStreamsPerUser) else {
                    await Self.fail(.connectionLimit, stream)
                    return
                }
                await serve(stream, &frames)
                streamLimit.release(for: user.name)
            })
    }

    /// Whom the headers of the handshake prove.
    private func user(of request: SandboxRequest) -> SandboxUser? {
        guard let key = request.headers.first(name: "APCA-API-KEY-ID"),
            let secret = request.headers.first(name: "APCA-API-SECRET-KEY")
        else { return nil }
        return authenticator.user(keyID: key, secret: secret)
    }

    /// Waits for a credential; nil when it does not come in time, is wrong, or the client leaves.
    private func authenticated(
        _ frames: inout AsyncStream<StreamFrame>.Iterator, _ stream: WebSocketStream
    ) async -> SandboxUser? {
        let deadline = scriptedMarket.clock.now + .seconds(10)
        let timeout = Task {
            await scriptedMarket.clock.wait(until: deadline)
            if !Task.isCancelled { await Self.fail(.authenticationTimeout, stream) }
        }
        defer { timeout.cancel() }
        while let frame = await frames.next(isolation: #isolation) {
            guard let message = try? JSONDocument(parsing: frame.bytes),
                let action = message["action"]?.string
            else {
                await Self.send(.invalidSyntax, stream)
                continue
            }
            guard action == "auth" else {
                await Self.send(.notAuthenticated, stream)
                continue
            }
            guard let user = user(of: message) else {
                await Self.fail(.authenticationFailed, stream)
                return nil
            }
            return user
        }
        return nil
    }

    private func user(of message: JSONDocument) -> SandboxUser? {
        guard let key = message["key"]?.string, let secret = message["secret"]?.string else { return nil }
        if key == "oauth" {
            return settings.dataStreamAcceptsTokens ? authenticator.authenticate(token: secret)?.user : nil
        }
        return authenticator.user(keyID: key, secret: secret)
    }

    private func serve(_ stream: WebSocketStream, _ frames: inout AsyncStream<StreamFrame>.Iterator) async {
        let subscription = DataSubscription()
        // From here on: what the client does when it reads that it is let in comes after this moment.
        let start = Int(scriptedMarket.clock.now.secondsSince1970)
        await stream.send([["T": "success", "msg": "authenticated"]])
        let ticker = Task { await tick(subscription, stream, after: start) }
        while let frame = await frames.next(isolation: #isolation) {
            await handle(frame, subscription, stream)
        }
        ticker.cancel()
    }

    private func handle(
        _ frame: StreamFrame, _ subscription: DataSubscription, _ stream: WebSocketStream
    ) async {
        guard let message = try? JSONDocument(parsing: frame.bytes) else {
            return await Self.send(.invalidSyntax, stream)
        }
        switch message["action"]?.string {
        case "auth": await Self.send(.alreadyAuthenticated, stream)
        case "subscribe":
            let isTaken = subscription.change(
                message, subscribing: true, limit: settings.streamedSymbolLimit)
            guard isTaken else { return await Self.send(.symbolLimit, stream) }
            await stream.send([subscription.document])
        case "unsubscribe":
            _ = subscription.change(message, subscribing: false, limit: nil)
            await stream.send([subscription.document])
        case .some, nil: await Self.send(.invalidSyntax, stream)
        }
    }

    /// Sends second after second, until the stream is closed or the task cancelled.
    private func tick(_ subscription: DataSubscription, _ stream: WebSocketStream, after start: Int) async {
        var second = start
        while !Task.isCancelled, stream.isOpen {
            guard let next = Instant(secondsSince1970: Int64(second + 1)) else { return }
            await scriptedMarket.clock.wait(until: next)
            let now = Int(scriptedMarket.clock.now.secondsSince1970)
            guard now > second, !Task.isCancelled else {
                // Set back, the clock counts from where it was set to.
                second = min(second, now)
                if now <= second { await Task.yield() }
                continue
            }
            for moment in max(second + 1, now - 59)...now {
                let messages = FakeAlpacaTicks(subscription, scriptedMarket.view(at: moment)).messages
                for start in stride(from: 0, to: messages.count, by: Self.messagesPerFrame) {
                    let batch = messages[start..<min(start + Self.messagesPerFrame, messages.count)]
                    guard await stream.send(.array(Array(batch))) else { return }
                }
            }
            second = now
        }
    }

    private static let messagesPerFrame = 100

    private static func send(_ error: FakeAlpacaStreamError, _ stream: WebSocketStream) async {
        await stream.send([error.document])
    }

    private static func fail(_ error: FakeAlpacaStreamError, _ stream: WebSocketStream) async {
        await send(error, stream)
        await stream.close(code: 1008)
    }
}
