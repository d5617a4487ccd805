import Brokerage
import NIOHTTP1
import Synchronization

/// Alpaca's stream of market data, `/v2/{feed}`, and `/v1beta1/{feed}` of the overnight feeds.
///
/// Each second of the sandbox clock with trading produces one trade and one quote of every subscribed
/// symbol, each minute a bar. After a jump of the clock, at most the last minute is sent. Messages are JSON, or
/// MessagePack if the handshake has that content type.
struct FakeAlpacaDataStream: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let settings: FakeAlpacaSettings
    let scriptedMarket: ScriptedMarket
    let streamLimit: FakeAlpacaStreamLimit

    var routes: [StreamRoute] {
        [
            route("/v2/{feed}", FakeAlpacaFeeds.streamed),
            route("/v1beta1/{feed}", FakeAlpacaFeeds.streamedOvernight),
        ]
    }

    private func route(_ template: PathTemplate, _ feeds: [String]) -> StreamRoute {
        StreamRoute(
            template,
            rejection: { request in
                feeds.contains(request.parameters["feed"] ?? "")
                    ? nil : .json(["message": "Not Found"], status: .notFound)
            },
            serve: { request, stream in
                var stream = stream
                stream.usesMessagePack = request.headers.first(name: "Content-Type") == "application/msgpack"
                await stream.send([["T": "success", "msg": "connected"]])
                var user = user(of: request)
                var frames = stream.frames.makeAsyncIterator()
                if user == nil { user = await authenticated(&frames, stream) }
                guard let user else { return }
                guard streamLimit.acquire(for: user.name, limit: settings.dataStreamsPerUser) else {
                    await Self.fail(.connectionLimit, stream)
                    return
                }
                if request.parameters["feed"] == "sip", settings.plan(of: user.name) == .basic {
                    await Self.fail(.insufficientSubscription, stream)
                } else {
                    await serve(stream, &frames, limit: settings.streamedSymbolLimit(of: user.name))
                }
                streamLimit.release(for: user.name)
            })
    }

    /// Returns the user of the credentials in the handshake's headers.
    private func user(of request: SandboxRequest) -> SandboxUser? {
        guard let key = request.headers.first(name: "APCA-API-KEY-ID"),
            let secret = request.headers.first(name: "APCA-API-SECRET-KEY")
        else { return nil }
        return authenticator.user(keyID: key, secret: secret)
    }

    /// Waits for a credential; nil if it is late or wrong, or the client disconnects.
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
            guard let message = try? stream.document(of: frame), let action = message["action"]?.string
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

    private func serve(
        _ stream: WebSocketStream, _ frames: inout AsyncStream<StreamFrame>.Iterator, limit: Int?
    ) async {
        let subscription = DataSubscription()
        // The first second is read before the client learns of its authentication: a change by the client
        // then comes later.
        let start = Int(scriptedMarket.clock.now.secondsSince1970)
        await stream.send([["T": "success", "msg": "authenticated"]])
        let ticker = Task { await tick(subscription, stream, after: start) }
        while let frame = await frames.next(isolation: #isolation) {
            await handle(frame, subscription, stream, limit: limit)
        }
        ticker.cancel()
    }

    private func handle(
        _ frame: StreamFrame, _ subscription: DataSubscription, _ stream: WebSocketStream, limit: Int?
    ) async {
        guard let message = try? stream.document(of: frame) else {
            return await Self.send(.invalidSyntax, stream)
        }
        switch message["action"]?.string {
        case "auth": await Self.send(.alreadyAuthenticated, stream)
        case "subscribe":
            guard !DataSubscription.symbols(of: message).contains(where: isMalformed) else {
                return await Self.send(.invalidSyntax, stream)
            }
            let isAccepted = subscription.change(message, subscribing: true, limit: limit)
            guard isAccepted else { return await Self.send(.symbolLimit, stream) }
            await stream.send([subscription.document])
        case "unsubscribe":
            _ = subscription.change(message, subscribing: false, limit: nil)
            await stream.send([subscription.document])
        case .some, nil: await Self.send(.invalidSyntax, stream)
        }
    }

    /// Returns true for a symbol for which Alpaca refuses a whole subscription: of a pair of currencies, and by the settings.
    private func isMalformed(_ symbol: String) -> Bool {
        symbol.contains("/") || settings.malformedOnStream.contains(symbol)
    }

    /// Sends the ticks of each second, until the stream is closed or the task cancelled.
    private func tick(_ subscription: DataSubscription, _ stream: WebSocketStream, after start: Int) async {
        var second = start
        while !Task.isCancelled, stream.isOpen {
            guard let next = Instant(secondsSince1970: Int64(second + 1)) else { return }
            await scriptedMarket.clock.wait(until: next)
            let now = Int(scriptedMarket.clock.now.secondsSince1970)
            guard now > second, !Task.isCancelled else {
                // A clock that was set back continues from its new time.
                second = min(second, now)
                if now <= second { await Task.yield() }
                continue
            }
            for moment in max(second + 1, now - 59)...now {
                let messages = FakeAlpacaTicks(
                    subscription, scriptedMarket.view(at: moment), hasOddLots: settings.streamsOddLots
                ).messages
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

/// The messages of one second to a client of the data stream.
struct FakeAlpacaTicks {
    private let subscription: DataSubscription
    private let view: MarketView
    /// Whether an odd lot at another price follows each trade.
    private let hasOddLots: Bool

    init(_ subscription: DataSubscription, _ view: MarketView, hasOddLots: Bool) {
        self.subscription = subscription
        self.view = view
        self.hasOddLots = hasOddLots
    }

    /// Trades and quotes, and at the end of a minute bars; empty while the market is closed.
    var messages: [JSONDocument] {
        var messages: [JSONDocument] = []
        if view.phase != nil {
            messages += priced(.trades).map { message("t", $0, FakeAlpacaMarketDataJSON.trade(of: $0, view)) }
            if hasOddLots {
                messages += priced(.trades).map {
                    message("t", $0, FakeAlpacaMarketDataJSON.trade(of: $0, view, .oddLot))
                }
            }
            messages += priced(.quotes).map { message("q", $0, FakeAlpacaMarketDataJSON.quote(of: $0, view)) }
        }
        guard view.now.isMultiple(of: 60) else { return messages }
        for instrument in priced(.bars) {
            let start = view.now - 60
            for candle in view.bars(of: instrument, every: .minute, from: start, through: start) {
                messages.append(
                    message("b", instrument, FakeAlpacaMarketDataJSON.bar(candle.bar, start: candle.start)))
            }
        }
        if view.phase == .regular, let session = view.marketDay {
            for instrument in priced(.dailyBars) {
                guard let bar = view.dayBar(instrument, session) else { continue }
                messages.append(
                    message("d", instrument, FakeAlpacaMarketDataJSON.bar(bar, start: session.midnight)))
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

/// The subscriptions of one data stream client; `*` stands for all symbols.
///
/// It uses a lock: one task reads the client's changes while another sends data.
final class DataSubscription: Sendable {
    private let channels = Mutex<[Channel: Set<String>]>([:])

    /// The channels in the order in which Alpaca confirms them.
    enum Channel: String, CaseIterable {
        case trades, quotes, bars, updatedBars, dailyBars, statuses, lulds, corrections, cancelErrors
    }

    /// The maximum number of pairs of channel and symbol, independent of the plan.
    static let maximumCount = 10_000

    /// Adds or removes the channels and symbols of a message; returns false if it would exceed `limit`
    /// symbols of trades and quotes.
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
            // Corrections and cancellations accompany trades.
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

    /// Returns the listed instruments that a channel is subscribed to.
    func instruments(_ channel: Channel) -> [FakeInstrument] {
        let symbols = channels.withLock { $0[channel] ?? [] }
        return symbols.isEmpty
            ? [] : FakeInstrument.listing.filter { symbols.contains($0.symbol) || symbols.contains("*") }
    }

    /// Returns the symbols of all channels of a message.
    static func symbols(of message: JSONDocument) -> [String] {
        Channel.allCases.flatMap { channel -> [String] in
            guard case .array(let names) = message[channel.rawValue] else { return [] }
            return names.compactMap(\.string)
        }
    }

    /// The whole subscription, in the form of the server's confirmation.
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

/// The number of open data streams of each user; Alpaca allows one.
///
/// It uses a lock: tasks call it concurrently, and each `acquire` must be atomic.
package final class FakeAlpacaStreamLimit: Sendable {
    /// A change of a user's data streams.
    package struct Event: Sendable, Hashable {
        package enum Kind: Sendable {
            /// A stream was opened.
            case accepted
            /// A stream was refused, because the user has as many as are allowed.
            case rejected
            /// An accepted stream has ended.
            case ended
        }

        package let kind: Kind
        package let time: ContinuousClock.Instant
    }

    private struct State {
        var open: [String: Int] = [:]
        /// The latest changes, in order.
        var events: [Event] = []
    }

    private let state = Mutex(State())

    /// The maximum number of recorded changes; the oldest are removed first.
    static let maximumEvents = 10_000

    /// The latest changes of all users' data streams, in order.
    package var events: [Event] { state.withLock(\.events) }

    /// Returns false if the user has reached the limit.
    func acquire(for user: String, limit: Int) -> Bool {
        state.withLock { state in
            let isAccepted = state.open[user, default: 0] < limit
            if isAccepted { state.open[user, default: 0] += 1 }
            Self.record(isAccepted ? .accepted : .rejected, in: &state)
            return isAccepted
        }
    }

    func release(for user: String) {
        state.withLock { state in
            state.open[user, default: 1] -= 1
            Self.record(.ended, in: &state)
        }
    }

    private static func record(_ kind: Event.Kind, in state: inout State) {
        let count = state.events.count
        if count >= maximumEvents { state.events.removeFirst(count / 2) }
        state.events.append(Event(kind: kind, time: .now))
    }
}

/// The errors of the data stream, by code.
enum FakeAlpacaStreamError: Int {
    case invalidSyntax = 400
    case notAuthenticated = 401
    case authenticationFailed = 402
    case alreadyAuthenticated = 403
    case authenticationTimeout = 404
    case symbolLimit = 405
    case connectionLimit = 406
    case insufficientSubscription = 409

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
            case .insufficientSubscription: "insufficient subscription"
            }
        return ["T": "error", "code": .integer(rawValue), "msg": .string(message)]
    }
}
