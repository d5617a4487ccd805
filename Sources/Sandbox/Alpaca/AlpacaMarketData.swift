import Brokerage

/// Alpaca's data host: snapshots and quotes of shares (fact sheet, "Market data").
struct AlpacaMarketData: Sendable {
    let host: AlpacaHost

    var routes: [Route] {
        [
            host.get("/v2/stocks/snapshots") { visit in
                .object(
                    try instruments(visit).map { instrument in
                        .init(name: instrument.symbol, value: snapshot(of: instrument, visit.view))
                    })
            },
            host.get("/v2/stocks/quotes/latest") { visit in
                let quotes = try instruments(visit).filter { visit.view.priced($0.symbol) != nil }
                return [
                    "quotes": .object(
                        quotes.map { .init(name: $0.symbol, value: quote(of: $0, visit.view)) })
                ]
            },
        ]
    }

    /// The symbols of the query that are listed, each once; the others are simply absent from the answer.
    private func instruments(_ visit: AlpacaHost.Visit) throws -> [Instrument] {
        guard let list = visit.request[query: "symbols"], !list.isEmpty else {
            throw AlpacaError.badRequest("symbols is required")
        }
        if let currency = visit.request[query: "currency"], currency != "USD" {
            throw AlpacaError.badRequest("invalid currency: \(currency)")
        }
        let symbols = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let malformed = symbols.first(where: { !Self.isSymbol($0) }) {
            throw AlpacaError.invalidSymbol(malformed)
        }
        var seen: Set<String> = []
        return symbols.filter { seen.insert($0).inserted }.compactMap(visit.view.market.instrument)
    }

    /// Upper case, with a dot before the class: `BRK.B`.
    private static func isSymbol(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy { ("A"..."Z").contains($0) } }
    }

    /// Every part, or none where there is no price.
    private func snapshot(of instrument: Instrument, _ view: MarketView) -> JSON {
        guard view.priced(instrument.symbol) != nil else {
            return [
                "latestTrade": nil, "latestQuote": nil, "minuteBar": nil, "dailyBar": nil,
                "prevDailyBar": nil,
            ]
        }
        let today = view.marketDay
        let before = today.flatMap { TradingCalendar.session(before: $0.date) }
        return [
            "latestTrade": trade(of: instrument, view),
            "latestQuote": quote(of: instrument, view),
            "minuteBar": .optional(view.minuteBar(instrument)) { minute in
                bar(minute.bar, start: minute.start)
            },
            "dailyBar": daily(instrument, today, view),
            "prevDailyBar": daily(instrument, before, view),
        ]
    }

    private func daily(_ instrument: Instrument, _ session: TradingSession?, _ view: MarketView) -> JSON {
        guard let session, let bar = view.dayBar(instrument, session) else { return .null }
        // A day begins at midnight in New York.
        return self.bar(bar, start: session.midnight)
    }

    private func bar(_ bar: Bar, start: Int) -> JSON {
        [
            "t": Self.stamp(start), "o": Self.price(bar.open), "h": Self.price(bar.high),
            "l": Self.price(bar.low),
            "c": Self.price(bar.close), "v": JSON(integerLiteral: bar.volume),
            "n": JSON(integerLiteral: bar.trades),
            "vw": .number(shortest: bar.averagePrice),
        ]
    }

    private func trade(of instrument: Instrument, _ view: MarketView) -> JSON {
        let last = view.market.lastTrade(instrument, at: view.now)
        let noise = Noise(seed: UInt64(bitPattern: Int64(last.second))).branch(instrument.symbol)
        return [
            "t": Self.stamp(last.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000)),
            "x": "V", "p": Self.price(last.price), "s": JSON(integerLiteral: 1 + noise.number(1, below: 300)),
            "c": ["@"],
            "i": JSON(integerLiteral: 50_000_000_000_000 + noise.number(2, below: 9_999_999_999_999)),
            "z": .string(instrument.exchange.tape),
        ]
    }

    /// A side that nobody takes has a price and a size of 0.
    private func quote(of instrument: Instrument, _ view: MarketView) -> JSON {
        let quote = view.market.quote(instrument, at: view.now)
        let noise = Noise(seed: UInt64(bitPattern: Int64(quote.second))).branch(instrument.symbol).branch(
            .quote)
        return [
            "t": Self.stamp(quote.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000)),
            "ax": "V", "ap": Self.price(quote.ask?.price ?? 0),
            "as": JSON(integerLiteral: quote.ask?.size ?? 0),
            "bx": "V", "bp": Self.price(quote.bid?.price ?? 0),
            "bs": JSON(integerLiteral: quote.bid?.size ?? 0),
            "c": ["R"], "z": .string(instrument.exchange.tape),
        ]
    }

    private static func price(_ cents: Int) -> JSON {
        .number(shortest: Decimal(cents: cents))
    }

    private static func stamp(_ second: Int, nanoseconds: Int = 0) -> JSON {
        let instant = Instant(secondsSince1970: Int64(second), nanoseconds: Int32(nanoseconds))
        return .string((instant ?? .earliest).description)
    }
}
