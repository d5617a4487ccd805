import Brokerage

/// Alpaca's data host: snapshots and quotes of shares (fact sheet, "Market data").
struct FakeAlpacaMarketData: Sendable {
    let host: FakeAlpacaHost

    var routes: [SandboxRoute] {
        [
            host.get("/v2/stocks/snapshots") { visit in
                .object(
                    try Self.instruments(visit).map { instrument in
                        .init(name: instrument.symbol, value: .object(snapshot(of: instrument, visit.view)))
                    })
            },
            host.get("/v2/stocks/{symbol}/snapshot") { visit in
                let symbol = visit.request.parameters["symbol"] ?? ""
                guard Self.isSymbol(symbol) else { throw FakeAlpacaError.invalidSymbol(symbol) }
                guard let instrument = visit.view.market.instrument(symbol) else {
                    throw FakeAlpacaError.noSnapshot(symbol)
                }
                return .object(
                    [.init(name: "symbol", value: .string(symbol))] + snapshot(of: instrument, visit.view))
            },
            host.get("/v2/stocks/trades/latest") { visit in
                ["trades": .object(try latest(visit, FakeAlpacaQuotation.trade))]
            },
            host.get("/v2/stocks/quotes/latest") { visit in
                ["quotes": .object(try latest(visit, FakeAlpacaQuotation.quote))]
            },
        ]
    }

    /// One thing of every symbol that has a price.
    private func latest(
        _ visit: FakeAlpacaHost.AuthenticatedRequest,
        _ write: (FakeInstrument, MarketView) -> [JSONDocument.Member]
    ) throws(FakeAlpacaError) -> [JSONDocument.Member] {
        _ = try visit.request.choice("feed", of: FakeAlpacaFeeds.latest)
        return try Self.instruments(visit).filter { visit.view.priced($0.symbol) != nil }
            .map { .init(name: $0.symbol, value: .object(write($0, visit.view))) }
    }

    /// The symbols of the query that are listed, each once; the others are simply absent from the answer.
    static func instruments(_ visit: FakeAlpacaHost.AuthenticatedRequest) throws(FakeAlpacaError)
        -> [FakeInstrument]
    {
        guard let list = visit.request[query: "symbols"], !list.isEmpty else {
            throw FakeAlpacaError.badRequest("symbols is required")
        }
        if let currency = visit.request[query: "currency"], currency != "USD" {
            throw FakeAlpacaError.badRequest("invalid currency: \(currency)")
        }
        let symbols = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let malformed = symbols.first(where: { !isSymbol($0) }) {
            throw FakeAlpacaError.invalidSymbol(malformed)
        }
        var seen: Set<String> = []
        return symbols.filter { seen.insert($0).inserted }.compactMap(visit.view.market.instrument)
    }

    /// Upper case, with a dot before the class: `BRK.B`.
    static func isSymbol(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy { ("A"..."Z").contains($0) } }
    }

    /// Every part, or none where there is no price.
    private func snapshot(of instrument: FakeInstrument, _ view: MarketView) -> [JSONDocument.Member] {
        let parts: [JSONDocument]
        if view.priced(instrument.symbol) == nil {
            parts = [.null, .null, .null, .null, .null]
        } else {
            let today = view.marketDay
            let before = today.flatMap { TradingCalendar.session(before: $0.date) }
            parts = [
                .object(FakeAlpacaQuotation.trade(of: instrument, view)),
                .object(FakeAlpacaQuotation.quote(of: instrument, view)),
                .optional(view.minuteBar(instrument)) { minute in
                    .object(FakeAlpacaQuotation.bar(minute.bar, start: minute.start))
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
        return .object(FakeAlpacaQuotation.bar(bar, start: session.midnight))
    }
}
