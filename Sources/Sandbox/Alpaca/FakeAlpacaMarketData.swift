import Brokerage

/// Alpaca's data host: snapshots and quotes of shares.
struct FakeAlpacaMarketData: Sendable {
    let host: FakeAlpacaHost
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/stocks/snapshots") { context in
                try context.checkFeed(settings)
                return .object(
                    try Self.instruments(context).map { instrument in
                        .init(name: instrument.symbol, value: .object(snapshot(of: instrument, context.view)))
                    })
            },
            host.get("/v2/stocks/{symbol}/snapshot") { context in
                try context.checkFeed(settings)
                let symbol = context.request.parameters["symbol"] ?? ""
                guard Self.isSymbol(symbol) else { throw FakeAlpacaError.invalidSymbol(symbol) }
                guard let instrument = context.view.market.instrument(symbol) else {
                    throw FakeAlpacaError.noSnapshot(symbol)
                }
                return .object(
                    [.init(name: "symbol", value: .string(symbol))] + snapshot(of: instrument, context.view))
            },
            host.get("/v2/stocks/trades/latest") { context in
                ["trades": .object(try latest(context) { FakeAlpacaMarketDataJSON.trade(of: $0, $1) })]
            },
            host.get("/v2/stocks/quotes/latest") { context in
                ["quotes": .object(try latest(context, FakeAlpacaMarketDataJSON.quote))]
            },
            host.get("/v2/stocks/{symbol}/trades/latest") { context in
                let (symbol, trade) = try latestOfOne(context) { FakeAlpacaMarketDataJSON.trade(of: $0, $1) }
                return ["symbol": .string(symbol), "trade": trade]
            },
            host.get("/v2/stocks/{symbol}/quotes/latest") { context in
                let (symbol, quote) = try latestOfOne(context) { FakeAlpacaMarketDataJSON.quote(of: $0, $1) }
                return ["symbol": .string(symbol), "quote": quote]
            },
            host.get("/v2/stocks/{symbol}/bars/latest") { context in
                let (symbol, bar) = try latestOfOne(context) { instrument, view in
                    view.minuteBar(instrument).map {
                        FakeAlpacaMarketDataJSON.bar($0.bar, start: $0.start)
                    }
                }
                return ["symbol": .string(symbol), "bar": bar]
            },
        ]
    }

    /// Writes the value of the symbol of the path; 404 without one.
    private func latestOfOne(
        _ context: FakeAlpacaHost.AuthenticatedRequest,
        _ write: (FakeInstrument, MarketView) -> [JSONDocument.Member]?
    ) throws(FakeAlpacaError) -> (symbol: String, value: JSONDocument) {
        try context.checkFeed(settings)
        let symbol = context.request.parameters["symbol"] ?? ""
        guard Self.isSymbol(symbol) else { throw .invalidSymbol(symbol) }
        guard let instrument = context.view.market.instrument(symbol),
            context.view.priced(symbol) != nil, let value = write(instrument, context.view)
        else { throw .noLatest(symbol) }
        return (symbol, .object(value))
    }

    /// Writes one value for each symbol that has a price.
    private func latest(
        _ context: FakeAlpacaHost.AuthenticatedRequest,
        _ write: (FakeInstrument, MarketView) -> [JSONDocument.Member]
    ) throws(FakeAlpacaError) -> [JSONDocument.Member] {
        try context.checkFeed(settings)
        return try Self.instruments(context).filter { context.view.priced($0.symbol) != nil }
            .map { .init(name: $0.symbol, value: .object(write($0, context.view))) }
    }

    /// Returns the listed symbols of the query, each once; unlisted ones are omitted.
    static func instruments(_ context: FakeAlpacaHost.AuthenticatedRequest) throws(FakeAlpacaError)
        -> [FakeInstrument]
    {
        guard let list = context.request[query: "symbols"], !list.isEmpty else {
            throw FakeAlpacaError.badRequest("symbols is required")
        }
        if let currency = context.request[query: "currency"], currency != "USD" {
            throw FakeAlpacaError.badRequest("invalid currency: \(currency)")
        }
        let symbols = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let malformed = symbols.first(where: { !isSymbol($0) }) {
            throw FakeAlpacaError.invalidSymbol(malformed)
        }
        var seen: Set<String> = []
        return symbols.filter { seen.insert($0).inserted }.compactMap(context.view.market.instrument)
    }

    /// Returns true for upper-case letters, with a dot before the class: `BRK.B`.
    static func isSymbol(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy { ("A"..."Z").contains($0) } }
    }

    /// Returns a full snapshot; an empty one if there is no price.
    private func snapshot(of instrument: FakeInstrument, _ view: MarketView) -> [JSONDocument.Member] {
        let parts: [JSONDocument]
        if view.priced(instrument.symbol) == nil {
            parts = [.null, .null, .null, .null, .null]
        } else {
            let today = view.marketDay
            let before = today.flatMap { view.market.exchanges.session(before: $0.date) }
            parts = [
                .object(
                    FakeAlpacaMarketDataJSON.trade(
                        of: instrument, view,
                        settings.outdatedTrades.contains(instrument.symbol) ? .outdated : .latest)
                ),
                .object(FakeAlpacaMarketDataJSON.quote(of: instrument, view)),
                .optional(view.minuteBar(instrument)) { minute in
                    .object(FakeAlpacaMarketDataJSON.bar(minute.bar, start: minute.start))
                },
                daily(instrument, today, view), daily(instrument, before, view),
            ]
        }
        let names = ["latestTrade", "latestQuote", "minuteBar", "dailyBar", "prevDailyBar"]
        return zip(names, parts).map { .init(name: $0, value: $1) }
    }

    private func daily(_ instrument: FakeInstrument, _ session: TradingSession?, _ view: MarketView)
        -> JSONDocument
    {
        guard let session, let bar = view.dayBar(instrument, session) else { return .null }
        // A day begins at midnight in New York.
        return .object(FakeAlpacaMarketDataJSON.bar(bar, start: session.midnight))
    }
}

/// The JSON form of trades, quotes and bars, on Alpaca's data host and data stream.
enum FakeAlpacaMarketDataJSON {
    static func bar(_ bar: Bar, start: Int) -> [JSONDocument.Member] {
        [
            .init(name: "t", value: stamp(start)), .init(name: "o", value: price(bar.open)),
            .init(name: "h", value: price(bar.high)), .init(name: "l", value: price(bar.low)),
            .init(name: "c", value: price(bar.close)),
            .init(name: "v", value: .integer(bar.volume)),
            .init(name: "n", value: .integer(bar.trades)),
            .init(name: "vw", value: .number(shortest: bar.averagePrice)),
        ]
    }

    /// The kind of a trade.
    enum Trade {
        case latest
        /// A hundred days older, at four times the price.
        case outdated
        /// Of fewer than a hundred shares, at twice the price.
        case oddLot
    }

    static func trade(
        of instrument: FakeInstrument, _ view: MarketView, _ kind: Trade = .latest
    ) -> [JSONDocument.Member] {
        var last = view.market.lastTrade(instrument, at: view.now)
        let tape = instrument.exchange.tape
        // The code of a regular sale.
        var conditions: [JSONDocument] = [["A", "B"].contains(tape) ? " " : "@"]
        switch kind {
        case .latest: break
        case .outdated: last = (price: last.price * 4, second: last.second - 100 * 86_400)
        case .oddLot:
            last.price *= 2
            conditions.append("I")
        }
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(last.second))).branch(instrument.symbol)
        return [
            .init(
                name: "t",
                value: stamp(last.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000))),
            .init(name: "x", value: "V"), .init(name: "p", value: price(last.price)),
            .init(name: "s", value: .integer(1 + noise.number(1, below: kind == .oddLot ? 99 : 300))),
            .init(name: "c", value: .array(conditions)),
            .init(name: "i", value: .integer(50_000_000_000_000 + noise.number(2, below: 9_999_999_999_999))),
            .init(name: "z", value: .string(tape)),
        ]
    }

    /// Returns a quote; a missing side has price and size 0.
    static func quote(of instrument: FakeInstrument, _ view: MarketView) -> [JSONDocument.Member] {
        let quote = view.market.quote(instrument, at: view.now)
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(quote.second))).branch(instrument.symbol)
            .branch(
                .quote)
        return [
            .init(
                name: "t",
                value: stamp(quote.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000))),
            .init(name: "ax", value: "V"), .init(name: "ap", value: price(quote.ask?.price ?? 0)),
            .init(name: "as", value: .integer(quote.ask?.size ?? 0)),
            .init(name: "bx", value: "V"), .init(name: "bp", value: price(quote.bid?.price ?? 0)),
            .init(name: "bs", value: .integer(quote.bid?.size ?? 0)),
            .init(name: "c", value: ["R"]), .init(name: "z", value: .string(instrument.exchange.tape)),
        ]
    }

    private static func price(_ cents: Int) -> JSONDocument {
        .number(shortest: Decimal(cents: cents))
    }

    private static func stamp(_ second: Int, nanoseconds: Int = 0) -> JSONDocument {
        let instant = Instant(secondsSince1970: Int64(second), nanoseconds: Int32(nanoseconds))
        return .string((instant ?? .earliest).description)
    }
}
