package import Brokerage
package import Upstream

extension PolygonClient: QuoteSource {
    /// Each symbol costs a call of a plan without snapshots.
    package var symbolsPerCall: Int { plan.hasSnapshots(at: clock.now()) ? 100 : 1 }

    /// `GET /v2/snapshot/locale/us/markets/stocks/tickers` for shares and funds; with a plan without snapshots, such as the
    /// free one, the last complete day of each by `GET /v2/aggs/ticker/{ticker}/prev`.
    ///
    /// That a plan has none is remembered for an hour, so that a refusal does not cost a call each time, and a better plan
    /// has an effect.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        var wanted: [String: Symbol] = [:]
        for symbol in symbols {
            // Snapshots of currencies, coins and indices are other endpoints.
            guard case .listing? = SymbolKind(symbol) else { continue }
            if let ticker = symbolMapping.providerSymbol(for: symbol) { wanted[ticker] = symbol }
        }
        guard !wanted.isEmpty else { return [:] }
        if plan.hasSnapshots(at: clock.now()) {
            do throws(ProviderFailure) {
                return try await snapshots(wanted, in: context)
            } catch {
                guard error.cause == .notEntitled else { throw error }
                plan.recordRefusalOfSnapshots(at: clock.now())
            }
        }
        return await previousDays(wanted, in: context)
    }

    private func snapshots(
        _ wanted: [String: Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let items = [("tickers", Optional(wanted.keys.sorted().joined(separator: ",")))]
        let response = try await get(
            "quotes",
            {
                $0.appending(path: "v2", "snapshot", "locale", "us", "markets", "stocks", "tickers")?
                    .appending(query: items)
            }, in: context
        ) { reader throws(JSONError) in try PolygonSnapshots(json: &reader) }
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>()
        for snapshot in response.snapshots {
            guard let symbol = wanted[snapshot.ticker] else { continue }
            quotes[symbol] = snapshot.quote(of: symbol, response.status, fetchedAt: fetchedAt)
        }
        quotes.fail(wanted, except: response.snapshots.map(\.ticker), response.failures, of: .polygon)
        return quotes
    }

    private func previousDays(
        _ wanted: [String: Symbol], in context: CallContext
    ) async -> KeyedResults<Symbol, Quote> {
        let tickers = wanted.keys.sorted()
        let results = await concurrently(tickers, atMost: 4) {
            ticker async throws(ProviderFailure) -> Quote? in
            guard let symbol = wanted[ticker] else { return nil }
            let response = try await get(
                "quotes", { $0.appending(path: "v2", "aggs", "ticker", ticker, "prev") }, in: context
            ) { reader throws(JSONError) in try PolygonAggregates(json: &reader) }
            if let failure = response.failures.first {
                throw ProviderFailure(.polygon, .invalidResponse(failure))
            }
            // An unknown ticker and one that was not traded that day have the same response.
            return response.bars.last.map { Self.quote(of: symbol, $0, fetchedAt: clock.wallTime()) }
        }
        var quotes = KeyedResults<Symbol, Quote>()
        for (ticker, result) in zip(tickers, results) {
            if let symbol = wanted[ticker] { quotes.add(result, for: symbol) }
        }
        return quotes
    }

    /// The last price of a complete day.
    private static func quote(of symbol: Symbol, _ day: Candle, fetchedAt: Instant) -> Quote {
        let date = (Instant(secondsSince1970: day.time) ?? .earliest).inNewYork.date
        let close = LocalTime(date: date, hour: 16).map(Instant.init(newYork:))
        var quote = Quote(
            symbol: symbol,
            provenance: Provenance(
                source: .polygon, fetchedAt: fetchedAt, asOf: close.flatMap { $0 <= fetchedAt ? $0 : nil }))
        (quote.open, quote.high, quote.low) = (day.prices.open, day.prices.high, day.prices.low)
        (quote.price, quote.volume) = (day.prices.close, day.volume)
        quote.currency = PriceUnit.usDollar.currency
        quote.timeliness = .endOfDay
        return quote
    }
}

/// The response of `GET /v2/snapshot/locale/us/markets/stocks/tickers`, which omits unknown tickers.
struct PolygonSnapshots: JSONObjectDecodable {
    private(set) var status = PolygonStatus.current
    private var rows = JSONRows<PolygonSnapshot>()

    var snapshots: [PolygonSnapshot] { rows.elements }
    var failures: [JSONError] { rows.failures }

    static let json = JSONFields(Self()) {
        $0.required("status", \.status) { reader throws(JSONError) in try reader.goodStatus() }
        $0.optional("tickers", \.rows) { reader throws(JSONError) in try reader.rows() }
    }
}

/// A snapshot; trades and quotes are missing if the plan does not include them, and a day without trades has zeros.
struct PolygonSnapshot: JSONObjectDecodable {
    var ticker = ""
    var trade: Trade?
    var lastQuote: LastQuote?
    var minute: Bar?
    var day: Bar?
    var previousDay: Bar?
    /// When anything of it changed.
    var updated: Instant?

    static let json = JSONFields(Self()) {
        $0.required("ticker", \.ticker)
        $0.optional("lastTrade", \.trade)
        $0.optional("lastQuote", \.lastQuote)
        $0.optional("min", \.minute)
        $0.optional("day", \.day)
        $0.optional("prevDay", \.previousDay)
        $0.optional("updated", \.updated, JSONReader.nanosecondsOrNil)
    }

    struct Trade: JSONObjectDecodable {
        var price: Decimal?
        var time: Instant?

        static let json = JSONFields(Self()) {
            $0.optional("p", \.price, JSONReader.nonzero)
            $0.optional("t", \.time, JSONReader.nanosecondsOrNil)
        }
    }

    /// The best bid and ask.
    struct LastQuote: JSONObjectDecodable {
        var bid: Decimal?
        var ask: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("p", \.bid, JSONReader.nonzero)
            $0.optional("P", \.ask, JSONReader.nonzero)
        }
    }

    struct Bar: JSONObjectDecodable {
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var close: Decimal?
        var volume: Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("o", \.open, JSONReader.nonzero)
            $0.optional("h", \.high, JSONReader.nonzero)
            $0.optional("l", \.low, JSONReader.nonzero)
            $0.optional("c", \.close, JSONReader.nonzero)
            $0.optional("v", \.volume)
        }
    }

    /// The snapshot as a `Quote` of Portico.
    ///
    /// The price is that of the last trade, or if the plan does not include trades that of the last minute.
    func quote(of symbol: Symbol, _ status: PolygonStatus, fetchedAt: Instant) -> Quote {
        let time = trade?.time ?? updated
        var quote = Quote(
            symbol: symbol,
            provenance: Provenance(
                source: .polygon, fetchedAt: fetchedAt, asOf: time.flatMap { $0 <= fetchedAt ? $0 : nil }))
        quote.price = trade?.price ?? minute?.close ?? day?.close
        (quote.bid, quote.ask) = (lastQuote?.bid, lastQuote?.ask)
        (quote.open, quote.high, quote.low) = (day?.open, day?.high, day?.low)
        quote.volume = day?.open == nil ? nil : day?.volume
        quote.previousClose = previousDay?.close
        quote.currency = PriceUnit.usDollar.currency
        switch status {
        case .current: (quote.timeliness, quote.delayMinutes) = (.realTime, 0)
        case .delayed: (quote.timeliness, quote.delayMinutes) = (.delayed, PolygonStatus.delayMinutes)
        }
        return quote
    }
}

extension JSONReader {
    /// Reads a price; nil for 0, with which Polygon means none.
    fileprivate static func nonzero(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
        let price = try reader.decimal()
        return price.isZero ? nil : price
    }

    /// Reads a time; nil for 0, with which Polygon means none.
    fileprivate static func nanosecondsOrNil(_ reader: inout JSONReader) throws(JSONError) -> Instant? {
        let time = try reader.instant(since1970: .nanoseconds)
        return time.secondsSince1970 == 0 ? nil : time
    }
}
