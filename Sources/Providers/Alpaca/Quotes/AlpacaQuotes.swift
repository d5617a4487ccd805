package import Brokerage
package import Upstream

extension AlpacaClient: QuoteSource {
    /// Alpaca names no limit; two hundred make an address of some 2 KB, which every proxy lets through.
    package var symbolsPerCall: Int { 200 }

    /// The latest prices of American shares: `GET /v2/stocks/snapshots`.
    ///
    /// What Alpaca does not know is not in the result, nor what cannot be a share: that is not even asked for, as one
    /// malformed symbol makes Alpaca refuse all others with it. One that it refuses nevertheless is left out, and the
    /// others are asked for again.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let snapshots = try await snapshots(of: symbols.filter(\.isAlpacaShare), in: context)
        return KeyedResults(quotes(symbols, of: snapshots))
    }

    /// The snapshots of some shares, as far as Alpaca knows them.
    func snapshots(
        of shares: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: AlpacaSnapshot] {
        var wanted = AlpacaSymbolList(shares)
        while let list = try wanted.list() {
            let items = [("symbols", list), ("feed", configuration.feed?.rawValue)]
            let snapshots = try await get(
                "quotes", from: .data,
                { $0.appending(path: "v2", "stocks", "snapshots")?.appending(query: items) },
                in: context
            ) { response throws(JSONError) -> [Symbol: AlpacaSnapshot]? in
                if wanted.remove(rejectedIn: response) { return nil }
                return try JSONReader.read(response.body) { reader throws(JSONError) in
                    try AlpacaSnapshots(json: &reader).bySymbol
                }
            }
            if let snapshots { return snapshots }
        }
        return [:]
    }

    private func quotes(_ symbols: [Symbol], of snapshots: [Symbol: AlpacaSnapshot]) -> [Symbol: Quote] {
        let fetchedAt = clock.wallTime()
        var quotes: [Symbol: Quote] = [:]
        quotes.reserveCapacity(symbols.count)
        for symbol in symbols {
            quotes[symbol] = snapshots[symbol]?.quote(
                of: symbol, feed: configuration.feed, fetchedAt: fetchedAt)
        }
        return quotes
    }
}

/// A value of the map that `GET /v2/stocks/snapshots` answers with; any part may be missing or null.
struct AlpacaSnapshot: JSONDecodable, Hashable {
    var trade: Trade?
    var quote: LatestQuote?
    var day: Bar?
    var previousDay: Bar?

    struct Trade: Hashable {
        var time: Instant?
        var price: Decimal?
    }

    struct LatestQuote: Hashable {
        var time: Instant?
        /// Nil without an active bid, which Alpaca tells by 0.
        var bid: Decimal?
        var ask: Decimal?
    }

    struct Bar: Hashable {
        /// Midnight in New York, for a bar of a day.
        var start: Instant?
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var close: Decimal?
        var volume: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "latestTrade": trade = try reader.optional(Trade.init(json:))
            case "latestQuote": quote = try reader.optional(LatestQuote.init(json:))
            case "dailyBar": day = try reader.optional(Bar.init(json:))
            case "prevDailyBar": previousDay = try reader.optional(Bar.init(json:))
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.Trade: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": time = try reader.instantOrNil()
            case "p": price = try reader.priceOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.LatestQuote: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": time = try reader.instantOrNil()
            case "bp": bid = try reader.priceOrNil()
            case "ap": ask = try reader.priceOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension AlpacaSnapshot.Bar: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": start = try reader.instantOrNil()
            case "o": open = try reader.priceOrNil()
            case "h": high = try reader.priceOrNil()
            case "l": low = try reader.priceOrNil()
            case "c": close = try reader.priceOrNil()
            case "v": volume = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
    }
}

/// The answer of `GET /v2/stocks/snapshots`: a bare map.
///
/// What Alpaca does not know is not in it, or is null.
struct AlpacaSnapshots: JSONDecodable {
    var bySymbol: [Symbol: AlpacaSnapshot] = [:]

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            let snapshot = try reader.optional(AlpacaSnapshot.init(json:))
            // A key that is no symbol cannot have been asked for.
            if let symbol = Symbol(key.string) { bySymbol[symbol] = snapshot }
        }
    }
}

extension AlpacaSnapshot {
    /// The snapshot in Portico's words.
    ///
    /// `asOf` is the time of the last trade, as the price is what a quote is looked at for; without a trade, that of
    /// bid and ask.
    func quote(of symbol: Symbol, feed: AlpacaFeed?, fetchedAt: Instant) -> Quote {
        let asOf = trade?.time ?? self.quote?.time
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: asOf))
        quote.price = trade?.price
        quote.bid = self.quote?.bid
        quote.ask = self.quote?.ask
        quote.open = today?.open
        quote.high = today?.high
        quote.low = today?.low
        quote.volume = today?.volume
        quote.previousClose = previousClose
        quote.currency = AlpacaMarket.currency
        quote.delayMinutes = feed?.delayMinutes
        quote.feed = feed?.rawValue
        return quote
    }

    /// The bar of the day of the last trade.
    private var today: Bar? {
        isDayOver ? nil : day
    }

    /// The close before the day of the last trade.
    ///
    /// Until a day has a bar of its own, which takes until its opening, `dailyBar` is still that of the day before,
    /// while trades before the opening are of the new day already (example in Alpaca's specification: a bar of
    /// 2022-08-16 beside a trade of 2022-08-17T10:18Z). `prevDailyBar` is one day too old then.
    private var previousClose: Decimal? {
        isDayOver ? day?.close : previousDay?.close
    }

    private var isDayOver: Bool {
        guard let traded = trade?.time, let start = day?.start else { return false }
        return start.inNewYork.date < traded.inNewYork.date
    }
}
