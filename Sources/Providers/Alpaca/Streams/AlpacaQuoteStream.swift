package import Brokerage
package import Upstream

extension AlpacaClient: QuoteStream {
    /// The plan limits trades and quotes together; bars of the day are not counted.
    ///
    /// Until it is known, the limit is that of the free plan.
    package var symbolLimit: Int? {
        (configuration.streamSymbols ?? knownPlan.streamSubscriptions).map { max($0 / 2, 1) }
    }

    /// Streams the prices of US shares: `/v2/{feed}` of the data stream, of the best feed of the plan.
    ///
    /// Symbols of other kinds are ignored. Only trades set `asOf`. A token cannot use the data stream
    /// (`unsupported`), nor can a client without its URL.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        guard let greeting = configuration.credential.dataStreamGreeting,
            let streams = configuration.dataStreamURL
        else { throw ProviderFailure(.alpaca, .unsupported) }
        let plan = await plan(in: CallContext(deadline: clock.now() + configuration.streamTimeout))
        guard let url = streams.appending(path: "v2", plan.streamFeed.rawValue) else {
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
        var sets = wanted.makeAsyncIterator()
        let first = Self.shares(await sets.next(isolation: #isolation) ?? [])
        try await change("subscribe", first)
        // Alpaca confirms no subscription if there is no symbol.
        if first.isEmpty { deliver(.connected) }
        let failure = await withTaskGroup(of: Void.self, returning: ProviderFailure.self) { group in
            group.addTask { await updateSubscription(wanted, after: first) }
            let failure = await read(isConfirmed: first.isEmpty)
            // Ends the task that still sends.
            socket.close()
            group.cancelAll()
            return failure
        }
        throw failure
    }

    private static func shares(_ symbols: Set<Symbol>) -> Set<Symbol> { symbols.filter(\.isAlpacaShare) }

    /// Updates the subscription to the wanted symbols; a connection on which sending fails is closed, so
    /// that its reader fails too.
    private func updateSubscription(_ wanted: AsyncStream<Set<Symbol>>, after first: Set<Symbol>) async {
        var followed = first
        for await symbols in wanted {
            let shares = Self.shares(symbols)
            do throws(ProviderFailure) {
                try await change("unsubscribe", followed.subtracting(shares))
                try await change("subscribe", shares.subtracting(followed))
            } catch {
                return
            }
            followed = shares
        }
    }

    private func change(_ action: String, _ symbols: Set<Symbol>) async throws(ProviderFailure) {
        guard !symbols.isEmpty else { return }
        let names = symbols.map(\.text).sorted()
        var body = JSONObjectText()
        body.add("action", action)
        body.add("trades", names)
        body.add("quotes", names)
        body.add("dailyBars", names)
        try await socket.send(body)
    }

    /// Delivers received messages; returns the failure that ends the stream.
    private func read(isConfirmed: Bool) async -> ProviderFailure {
        var isConfirmed = isConfirmed
        do throws(ProviderFailure) {
            while true {
                for message in try Self.messages(await socket.receive(), on: socket) {
                    switch message {
                    case .change(let change): deliver(.value(change))
                    case .subscribed:
                        if !isConfirmed { deliver(.connected) }
                        isConfirmed = true
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
    /// Statuses, corrections, news and future kinds.
    case other

    /// Reads one element.
    ///
    /// The same key has different meanings in different messages (`c` is a list of conditions, or a close),
    /// so only keys with one meaning are read here.
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
