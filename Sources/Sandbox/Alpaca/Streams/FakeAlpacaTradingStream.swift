import Brokerage

/// Alpaca's account stream, `/stream`.
///
/// A paper account's messages are binary frames, a live account's are text. With a listener, orders are
/// simulated each second of the sandbox clock.
struct FakeAlpacaTradingStream: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let settings: FakeAlpacaSettings
    let scriptedMarket: ScriptedMarket
    let accounts: FakeAlpacaAccounts

    var route: StreamRoute {
        StreamRoute(
            "/stream",
            serve: { _, stream in
                var frames = stream.frames.makeAsyncIterator()
                guard let user = await authenticated(&frames, stream) else { return }
                await serve(user, &frames, stream)
            })
    }

    private func authenticated(
        _ frames: inout AsyncStream<StreamFrame>.Iterator, _ stream: WebSocketStream
    ) async -> SandboxUser? {
        while let frame = await frames.next(isolation: #isolation) {
            let message = try? JSONDocument(parsing: frame.bytes)
            // Older clients send "authenticate" instead of "auth", with the data in a separate member.
            let isAttempt = ["authenticate", "auth"].contains(message?["action"]?.string)
            guard isAttempt, let user = message.flatMap({ user(of: $0["data"] ?? $0) }) else {
                let action = isAttempt ? "authenticate" : "listen"
                await send(Self.authorization("unauthorized", action), stream)
                continue
            }
            await send(Self.authorization("authorized", "authenticate"), stream)
            return user
        }
        return nil
    }

    private func user(of data: JSONDocument) -> SandboxUser? {
        if let token = data["oauth_token"]?.string { return authenticator.authenticate(token: token)?.user }
        guard let key = (data["key_id"] ?? data["key"])?.string,
            let secret = (data["secret_key"] ?? data["secret"])?.string,
            let user = authenticator.user(keyID: key, secret: secret),
            user.alpaca.environment == settings.environment
        else { return nil }
        return user
    }

    private func serve(
        _ user: SandboxUser, _ frames: inout AsyncStream<StreamFrame>.Iterator, _ stream: WebSocketStream
    ) async {
        var listening: [Task<Void, Never>] = []
        while let frame = await frames.next(isolation: #isolation) {
            guard let message = try? JSONDocument(parsing: frame.bytes),
                message["action"]?.string == "listen",
                case .array(let wanted) = message["data"]?["streams"]
            else { continue }
            // A new list replaces the old one.
            for task in listening { task.cancel() }
            listening = []
            let events = wanted.contains("trade_updates") ? accounts.events(of: user) : nil
            let streams: JSONDocument = events == nil ? [] : ["trade_updates"]
            await send(["stream": "listening", "data": ["streams": streams]], stream)
            guard let events else { continue }
            listening = [Task { await forward(events, to: stream) }, Task { await work(user, stream) }]
        }
        for task in listening { task.cancel() }
    }

    private func forward(_ events: AsyncStream<FakeAlpacaTradeUpdate>, to stream: WebSocketStream) async {
        for await event in events {
            guard let document = try? event.json else { continue }
            await send(document, stream)
        }
    }

    /// Simulates the orders while time passes without requests.
    private func work(_ user: SandboxUser, _ stream: WebSocketStream) async {
        while !Task.isCancelled, stream.isOpen {
            let now = scriptedMarket.clock.now
            // Requests that access the account report its errors.
            try? accounts.with(user, scriptedMarket.view, at: now) { _ in }
            await scriptedMarket.clock.wait(until: now + .seconds(1))
        }
    }

    private func send(_ document: JSONDocument, _ stream: WebSocketStream) async {
        switch settings.environment {
        case .paper: await stream.send(.binary(document.bytes))
        case .live: await stream.send(document)
        }
    }

    private static func authorization(_ status: String, _ action: String) -> JSONDocument {
        ["stream": "authorization", "data": ["status": .string(status), "action": .string(action)]]
    }
}
