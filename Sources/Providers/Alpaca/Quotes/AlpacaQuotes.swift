package import Brokerage
package import Upstream

extension AlpacaClient: QuoteSource {
    /// Alpaca names no limit; two hundred make an address of some 2 KB, which every proxy lets through.
    package var symbolsPerCall: Int { 200 }

    /// The latest prices of US shares: `GET /v2/stocks/snapshots`.
    ///
    /// The result has no entry for symbols that Alpaca does not know, and none for symbols that cannot be
    /// shares. The latter are not requested, because Alpaca refuses a whole request with one malformed
    /// symbol. If Alpaca refuses a symbol nevertheless, it is removed, and the others are requested again.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let shares = symbols.filter(\.isAlpacaShare)
        if let plan = shares.isEmpty ? knownPlan : storedPlan {
            return quotes(symbols, of: try await snapshots(of: shares, in: context), under: plan)
        }
        // At the same time: without a feed in the request Alpaca takes the best one of the plan.
        async let plan = self.plan(in: context)
        let snapshots: AlpacaSnapshots
        do throws(ProviderFailure) {
            snapshots = try await self.snapshots(of: shares, in: context)
        } catch {
            _ = await plan
            throw error
        }
        return quotes(symbols, of: snapshots, under: await plan)
    }

    /// The snapshots of the shares that Alpaca knows.
    func snapshots(
        of shares: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaSnapshots {
        var wanted = AlpacaSymbolList(shares)
        while let list = try wanted.list() {
            let items = [("symbols", list), ("feed", configuration.feed?.rawValue)]
            let snapshots = try await get(
                "quotes", from: .data,
                { $0.appending(path: "v2", "stocks", "snapshots")?.appending(query: items) },
                in: context
            ) { response throws(JSONError) -> AlpacaSnapshots? in
                if wanted.remove(rejectedIn: response) { return nil }
                return try AlpacaSnapshots(json: response.body)
            }
            if let snapshots { return snapshots }
        }
        return AlpacaSnapshots()
    }

    private func quotes(
        _ symbols: [Symbol], of snapshots: AlpacaSnapshots, under plan: AlpacaPlan
    ) -> KeyedResults<Symbol, Quote> {
        let fetchedAt = clock.wallTime()
        var quotes: [Symbol: Quote] = [:]
        quotes.reserveCapacity(symbols.count)
        for symbol in symbols {
            quotes[symbol] = snapshots.bySymbol[symbol]?.quote(
                of: symbol, feed: plan.feed, fetchedAt: fetchedAt)
        }
        return KeyedResults(
            quotes,
            failures: snapshots.failures.mapValues { ProviderFailure(.alpaca, .invalidResponse($0)) })
    }
}

/// A value in the response of `GET /v2/stocks/snapshots`, which is a map; any part may be missing or null.
package struct AlpacaSnapshot: JSONObjectDecodable, Hashable {
    var trade: Trade?
    var quote: LatestQuote?
    var day: Bar?
    var previousDay: Bar?

    package static let json = JSONFields(Self()) {
        $0.optional("latestTrade", \.trade)
        $0.optional("latestQuote", \.quote)
        $0.optional("dailyBar", \.day)
        $0.optional("prevDailyBar", \.previousDay)
    }

    struct Trade: JSONObjectDecodable, Hashable {
        var time: Instant?
        var price: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("t", \.time)
            $0.optional("p", \.price, JSONReader.price)
        }
    }

    struct LatestQuote: JSONObjectDecodable, Hashable {
        var time: Instant?
        /// Nil without an active bid, for which Alpaca sends 0.
        var bid: Decimal?
        var ask: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("t", \.time)
            $0.optional("bp", \.bid, JSONReader.price)
            $0.optional("ap", \.ask, JSONReader.price)
        }
    }

    struct Bar: JSONObjectDecodable, Hashable {
        /// Midnight in New York, for a bar of a day.
        var start: Instant?
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var close: Decimal?
        var volume: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("t", \.start)
            $0.optional("o", \.open, JSONReader.price)
            $0.optional("h", \.high, JSONReader.price)
            $0.optional("l", \.low, JSONReader.price)
            $0.optional("c", \.close, JSONReader.price)
            $0.optional("v", \.volume)
        }
    }
}

/// The response of `GET /v2/stocks/snapshots`: a map.
///
/// Unknown symbols are missing or null.
package struct AlpacaSnapshots: JSONDecodable {
    package var bySymbol: [Symbol: AlpacaSnapshot] = [:]
    /// The errors of the snapshots that could not be read.
    package var failures: [Symbol: JSONError] = [:]

    package init() {}

    package init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            let snapshot = try reader.row { reader throws(JSONError) in
                try reader.optional(AlpacaSnapshot.init(json:))
            }
            // A key that is not a symbol was not requested.
            guard let symbol = Symbol(key.string) else { return }
            switch snapshot {
            case .success(let snapshot): bySymbol[symbol] = snapshot
            case .failure(let error): failures[symbol] = error.inside(.key(symbol.text))
            }
        }
    }
}

extension AlpacaSnapshot {
    /// The snapshot as a `Quote` of Portico.
    ///
    /// `asOf` is the time of the last trade, because the price is a quote's main value; without a trade, it
    /// is the time of bid and ask. If the last trade is older than the daily bar, the price is the close of the bar, whose
    /// time is unknown.
    package func quote(of symbol: Symbol, feed: AlpacaFeed?, fetchedAt: Instant) -> Quote {
        let dates = dates
        // The daily bar contains later trades: the last trade of a rarely traded share can be months old, because trades of
        // less than a round lot do not change it.
        let isTradeOutdated = dates.map { $0.traded < $0.day } ?? false
        let isDayOver = dates.map { $0.day < $0.traded } ?? false
        // The bar of the day of the last trade.
        let today = isDayOver ? nil : day
        let asOf = isTradeOutdated ? nil : trade?.time ?? self.quote?.time
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: asOf))
        quote.price = isTradeOutdated ? day?.close : trade?.price
        quote.bid = self.quote?.bid
        quote.ask = self.quote?.ask
        quote.open = today?.open
        quote.high = today?.high
        quote.low = today?.low
        quote.volume = today?.volume
        // Until a day has its first bar, which is at its opening, `dailyBar` is that of the previous day, while trades before
        // the opening already belong to the new day (example in Alpaca's specification: a bar of 2022-08-16 beside a trade of
        // 2022-08-17T10:18Z). Then `prevDailyBar` is one day too old.
        quote.previousClose = isDayOver ? day?.close : previousDay?.close
        quote.currency = AlpacaMarket.currency
        quote.delayMinutes = feed?.delayMinutes
        quote.timeliness = feed?.timeliness
        quote.feed = feed?.rawValue
        return quote
    }

    /// The days in New York of the last trade and of the daily bar.
    private var dates: (traded: CalendarDate, day: CalendarDate)? {
        guard let traded = trade?.time, let start = day?.start else { return nil }
        return (traded.inNewYork.date, start.inNewYork.date)
    }
}
