import Brokerage
import NIOHTTP1
import Synchronization

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

/// What one second brings to a client of the data stream.
struct FakeAlpacaTicks {
    private let subscription: DataSubscription
    private let view: MarketView

    init(_ subscription: DataSubscription, _ view: MarketView) {
        self.subscription = subscription
        self.view = view
    }

    /// Trades, quotes, and at the turn of a minute bars; nothing while nothing is traded.
    var messages: [JSONDocument] {
        var messages: [JSONDocument] = []
        if view.phase != nil {
            messages += priced(.trades).map { message("t", $0, FakeAlpacaQuotation.trade(of: $0, view)) }
            messages += priced(.quotes).map { message("q", $0, FakeAlpacaQuotation.quote(of: $0, view)) }
        }
        guard view.now.isMultiple(of: 60) else { return messages }
        for instrument in priced(.bars) {
            let start = view.now - 60
            for candle in view.bars(of: instrument, every: .minute, from: start, through: start) {
                messages.append(
                    message("b", instrument, FakeAlpacaQuotation.bar(candle.bar, start: candle.start)))
            }
        }
        if view.phase == .regular, let session = view.marketDay {
            for instrument in priced(.dailyBars) {
                guard let bar = view.dayBar(instrument, session) else { continue }
                messages.append(
                    message("d", instrument, FakeAlpacaQuotation.bar(bar, start: session.midnight)))
            }
        }
        return messages
    }

    private func priced(_ channel: DataSubscription.Channel) -> [FakeInstrument] {
        subscription.instruments(channel).filter { view.priced($0.symbol) != nil }
    }

    private func message(_ type: JSONDocument, _ instrument: FakeInstrument, _ members: [JSONDocument.Member])
        -> JSONDocument
    {
        .object(
            [.init(name: "T", value: type), .init(name: "S", value: .string(instrument.symbol))] + members)
    }
}

/// What one client of the data stream listens to; `*` stands for everything.
///
/// A lock, because one task reads what the client wants while another sends it.
final class DataSubscription: Sendable {
    private let channels = Mutex<[Channel: Set<String>]>([:])

    /// The channels in the order in which Alpaca confirms them.
    enum Channel: String, CaseIterable {
        case trades, quotes, bars, updatedBars, dailyBars, statuses, lulds, corrections, cancelErrors
    }

    /// How many pairs of channel and symbol it may hold, whatever the plan.
    static let maximumCount = 10_000

    /// Takes up or gives up what a message names; false where it would be more than `limit` symbols of trades and
    /// quotes.
    func change(_ message: JSONDocument, subscribing: Bool, limit: Int?) -> Bool {
        channels.withLock { channels in
            var changed = channels
            for channel in Channel.allCases {
                guard case .array(let names) = message[channel.rawValue] else { continue }
                let symbols = Set(names.compactMap(\.string))
                changed[channel, default: []] =
                    subscribing
                    ? changed[channel, default: []].union(symbols)
                    : changed[channel, default: []].subtracting(symbols)
            }
            // Corrections and cancels come with trades.
            changed[.corrections] = changed[.trades]
            changed[.cancelErrors] = changed[.trades]
            let priced = changed[.trades, default: []].count + changed[.quotes, default: []].count
            guard priced <= limit ?? .max,
                changed.values.reduce(0, { $0 + $1.count }) <= Self.maximumCount
            else { return false }
            channels = changed
            return true
        }
    }

    /// The listed instruments that a channel is listened to for.
    func instruments(_ channel: Channel) -> [FakeInstrument] {
        let symbols = channels.withLock { $0[channel] ?? [] }
        return symbols.isEmpty
            ? [] : FakeInstrument.listing.filter { symbols.contains($0.symbol) || symbols.contains("*") }
    }

    /// The whole subscription, as the server confirms it.
    var document: JSONDocument {
        let channels = channels.withLock { $0 }
        return .object(
            [.init(name: "T", value: "subscription")]
                + Channel.allCases.map { channel in
                    .init(
                        name: channel.rawValue,
                        value: .array((channels[channel] ?? []).sorted().map { .string($0) }))
                })
    }
}

/// Who has a data stream open; Alpaca gives each user one.
///
/// A lock, because taking a seat is one step, and clients come on tasks of their own.
final class FakeAlpacaStreamLimit: Sendable {
    private let openStreams = Mutex<[String: Int]>([:])

    /// False when the user's seats are taken.
    func acquire(for user: String, limit: Int) -> Bool {
        openStreams.withLock { taken in
            guard taken[user, default: 0] < limit else { return false }
            taken[user, default: 0] += 1
            return true
        }
    }

    func release(for user: String) {
        openStreams.withLock { $0[user, default: 1] -= 1 }
    }
}

/// What the data stream refuses, by its code.
enum FakeAlpacaStreamError: Int {
    case invalidSyntax = 400
    case notAuthenticated = 401
    case authenticationFailed = 402
    case alreadyAuthenticated = 403
    case authenticationTimeout = 404
    case symbolLimit = 405
    case connectionLimit = 406

    var document: JSONDocument {
        let message =
            switch self {
            case .invalidSyntax: "invalid syntax"
            case .notAuthenticated: "not authenticated"
            case .authenticationFailed: "auth failed"
            case .alreadyAuthenticated: "already authenticated"
            case .authenticationTimeout: "auth timeout"
            case .symbolLimit: "symbol limit exceeded"
            case .connectionLimit: "connection limit exceeded"
            }
        return ["T": "error", "code": JSONDocument(integerLiteral: rawValue), "msg": .string(message)]
    }
}
