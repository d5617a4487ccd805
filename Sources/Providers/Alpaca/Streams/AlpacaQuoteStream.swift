package import Brokerage
package import Upstream

extension AlpacaClient: QuoteStream {
    /// The plan limits trades and quotes together; bars of the day are not counted.
    ///
    /// Until it is known, the limit is that of the free plan.
    package var symbolLimit: Int? {
        (configuration.streamSymbols ?? knownPlan.streamSubscriptions).map { max($0 / 2, 1) }
    }

    /// Streams the prices of US shares: `/v2/{feed}` of the data stream, of the best feed of the plan; `/v1beta1/{feed}` for the
    /// overnight feeds.
    ///
    /// Symbols of other kinds are ignored. Only trades set `asOf`, and only those that set a price, see
    /// ``AlpacaTradeConditions``. Corrections and cancellations of trades are ignored: the next trade, or the next snapshot,
    /// replaces a price that was one. A token cannot use the data stream
    /// (`unsupported`), nor can a client without its URL.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        guard let greeting = configuration.credential.dataStreamGreeting,
            let streams = configuration.dataStreamURL
        else { throw ProviderFailure(.alpaca, .unsupported) }
        let plan = await plan(in: CallContext(deadline: clock.now() + configuration.streamTimeout))
        let feed = plan.streamFeed
        guard let url = streams.appending(path: feed.streamVersion, feed.rawValue) else {
            throw ProviderFailure(.alpaca, transport: .badURL)
        }
        try await AlpacaSocket.run(url, within: configuration.streamTimeout, clock: clock) {
            socket throws(ProviderFailure) in
            try await AlpacaDataStream.await(.connected, on: socket)
            try await socket.send(greeting)
            try await AlpacaDataStream.await(.authenticated, on: socket)
        } then: { socket throws(ProviderFailure) in
            try await AlpacaDataStream(socket: socket, deliver: deliver).follow(wanted)
        }
    }
}

/// A connection to the data stream that has let its client in.
private struct AlpacaDataStream: Sendable {
    let socket: AlpacaSocket
    let deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void

    /// A step of a login.
    enum Step {
        case connected
        case authenticated
    }

    /// Reads the server's response to a step of the login.
    static func await(_ step: Step, on socket: AlpacaSocket) async throws(ProviderFailure) {
        for message in try messages(await socket.receive(), on: socket) {
            switch (message, step) {
            case (.connected, .connected), (.authenticated, .authenticated): return
            case (.failed(let problem), _): throw ProviderFailure(.alpaca, problem.cause)
            case (.connected, _), (.authenticated, _), (.subscribed, _), (.change, _), (.other, _): continue
            }
        }
        throw ProviderFailure(.alpaca, .invalidResponse(nil))
    }

    /// Subscribes to the wanted symbols, and delivers their changes until the connection fails.
    func follow(_ wanted: AsyncStream<Set<Symbol>>) async throws(ProviderFailure) {
        // One request is in progress at a time.
        let (responses, response) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let failure = await withTaskGroup(of: Void.self, returning: ProviderFailure.self) { group in
            group.addTask { await updateSubscription(wanted, responses) }
            let failure = await read(reportingTo: response)
            // Ends the task that still sends.
            socket.close()
            group.cancelAll()
            return failure
        }
        throw failure
    }

    /// Updates the subscription to the wanted symbols; a connection on which sending fails, or a response is missing, is
    /// closed, so that its reader fails too.
    ///
    /// Symbols that Alpaca refuses are left to polls.
    ///
    /// - Parameters:
    ///   - wanted: The symbols.
    ///   - responses: Whether Alpaca accepts a request, one for each.
    private func updateSubscription(_ wanted: AsyncStream<Set<Symbol>>, _ responses: AsyncStream<Bool>) async
    {
        var responses = responses.makeAsyncIterator()
        var (followed, refused) = (Set<Symbol>(), Set<Symbol>())
        var (isConnected, reportsCarried) = (false, false)
        for await symbols in wanted {
            let shares = symbols.filter(\.isAlpacaShare)
            do throws(ProviderFailure) {
                let ended = followed.subtracting(shares).subtracting(refused)
                if !ended.isEmpty { _ = try await request("unsubscribe", Array(ended), &responses) }
                refused.formIntersection(shares)
                refused.formUnion(try await subscribe(shares.subtracting(followed), &responses))
            } catch {
                return
            }
            followed = shares
            if !isConnected { deliver(.connected) }
            isConnected = true
            reportsCarried = reportsCarried || !refused.isEmpty
            if reportsCarried { deliver(.carrying(followed.subtracting(refused))) }
        }
    }

    /// Subscribes to symbols; in halves after a refusal, because Alpaca refuses all symbols of a request for a malformed one.
    ///
    /// - Returns: The symbols that Alpaca refuses; after ``maximumRefusals`` also those that it was not asked for.
    private func subscribe(
        _ symbols: Set<Symbol>, _ responses: inout AsyncStream<Bool>.Iterator
    ) async throws(ProviderFailure) -> Set<Symbol> {
        var refused: Set<Symbol> = []
        var refusals = 0
        var parts = symbols.isEmpty ? [] : [symbols.sorted { $0.text < $1.text }]
        while let part = parts.popLast() {
            guard refusals < Self.maximumRefusals else {
                refused.formUnion(part)
                continue
            }
            if try await request("subscribe", part, &responses) { continue }
            refusals += 1
            if part.count == 1 {
                refused.formUnion(part)
            } else {
                let half = part.count / 2
                parts += [Array(part.dropFirst(half)), Array(part.prefix(half))]
            }
        }
        return refused
    }

    /// The most refusals of parts of one change of the subscription.
    ///
    /// One malformed symbol among 2,000 causes 12.
    private static let maximumRefusals = 40

    /// Sends a request; false if Alpaca refuses it.
    ///
    /// Without a response in time, the connection is closed.
    private func request(
        _ action: String, _ symbols: [Symbol], _ responses: inout AsyncStream<Bool>.Iterator
    ) async throws(ProviderFailure) -> Bool {
        let names = symbols.map(\.text).sorted()
        var body = JSONObjectText()
        body.add("action", action)
        body.add("trades", names)
        body.add("quotes", names)
        body.add("dailyBars", names)
        let timeout = socket.timeout()
        defer { timeout.cancel() }
        try await socket.send(body)
        guard let isAccepted = await responses.next(isolation: #isolation) else {
            throw ProviderFailure(.alpaca, .cancelled)
        }
        return isAccepted
    }

    /// Delivers received messages, and passes on whether requests are accepted; returns the failure that ends the stream.
    private func read(reportingTo results: AsyncStream<Bool>.Continuation) async -> ProviderFailure {
        do throws(ProviderFailure) {
            while true {
                for message in try Self.messages(await socket.receive(), on: socket) {
                    switch message {
                    case .change(let change): deliver(.value(change))
                    case .subscribed: results.yield(true)
                    case .failed(let problem) where problem.isInvalidSyntax: results.yield(false)
                    case .failed(let problem): throw ProviderFailure(.alpaca, problem.cause)
                    case .connected, .authenticated, .other: break
                    }
                }
            }
        } catch {
            return error
        }
    }

    private static func messages(
        _ bytes: [UInt8], on socket: AlpacaSocket
    ) throws(ProviderFailure) -> [AlpacaDataMessage] {
        try socket.read(bytes) { reader throws(JSONError) in
            try reader.array(of: AlpacaDataMessage.self)
        }
    }
}

/// An element of a message of the data stream: every frame is an array of elements.
package enum AlpacaDataMessage: JSONDecodable {
    case connected
    case authenticated
    /// The whole subscription, as the server understood it.
    case subscribed
    case failed(AlpacaStreamErrorBody)
    case change(QuoteUpdate)
    /// Trades that set no price, statuses, corrections, cancellations, news and future kinds.
    case other

    /// Reads one element.
    ///
    /// The same key has different meanings in different messages: `c` is the list of a trade's conditions, or a close, and is
    /// used of trades only.
    package init(json reader: inout JSONReader) throws(JSONError) {
        let fields = try AlpacaDataFields(json: &reader)
        switch fields.type {
        case "success":
            self =
                switch fields.message {
                case "connected": .connected
                case "authenticated": .authenticated
                case .some, nil: .other
                }
        case "error": self = .failed(AlpacaStreamErrorBody(code: try reader.required(fields.code, "code")))
        case "subscription": self = .subscribed
        case "t" where !fields.conditions.isPriceSetting(onTape: fields.tape): self = .other
        case "t": self = try fields.change(reader) { $0.applyTrade(from: fields) }
        case "q": self = try fields.change(reader) { $0.applyQuote(from: fields) }
        case "d": self = try fields.change(reader) { $0.applyDay(from: fields) }
        default: self = .other
        }
    }
}

/// The fields of all elements; the type of an element decides which of them apply.
struct AlpacaDataFields: JSONObjectDecodable {
    var type = ""
    var message: String?
    var code: Int?
    var symbol: Symbol?
    var time: Instant?
    var price: Decimal?
    /// Nil without an active bid, for which Alpaca sends 0.
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var volume: Decimal?
    /// Of a trade.
    var conditions = AlpacaTradeConditions.codes([])
    /// Of a trade or a quote.
    var tape: String?

    static let json = JSONFields(Self()) {
        $0.required("T", \.type)
        $0.optional("msg", \.message)
        $0.optional("code", \.code)
        $0.nonnull("S", \.symbol, JSONReader.symbol)
        $0.optional("t", \.time)
        $0.optional("p", \.price, JSONReader.price)
        $0.optional("bp", \.bid, JSONReader.price)
        $0.optional("ap", \.ask, JSONReader.price)
        $0.optional("o", \.open, JSONReader.price)
        $0.optional("h", \.high, JSONReader.price)
        $0.optional("l", \.low, JSONReader.price)
        $0.optional("v", \.volume)
        $0.optional("c", \.conditions, AlpacaTradeConditions.init(json:))
        $0.optional("z", \.tape) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.string() }
        }
    }

    fileprivate func change(
        _ reader: borrowing JSONReader, _ fill: (inout QuoteUpdate) -> Void
    ) throws(JSONError) -> AlpacaDataMessage {
        var change = QuoteUpdate(symbol: try reader.required(symbol, "S"))
        fill(&change)
        return .change(change)
    }
}

extension QuoteUpdate {
    /// `asOf` of a quote is the time of its price, so only trades set it.
    fileprivate mutating func applyTrade(from fields: AlpacaDataFields) {
        price = fields.price
        asOf = fields.time
    }

    fileprivate mutating func applyQuote(from fields: AlpacaDataFields) {
        bid = .some(fields.bid)
        ask = .some(fields.ask)
    }

    fileprivate mutating func applyDay(from fields: AlpacaDataFields) {
        open = fields.open
        high = fields.high
        low = fields.low
        volume = fields.volume
    }
}
