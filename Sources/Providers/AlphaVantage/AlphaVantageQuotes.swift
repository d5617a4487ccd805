package import Brokerage
package import Upstream

extension AlphaVantageClient: QuoteSource {
    /// 100 while bulk quotes are requested; 1 without them, and for an hour after a refusal.
    package var symbolsPerCall: Int { hasBulkQuotes ? 100 : 1 }

    /// Only premium plans with real-time American prices have bulk quotes (Alpha Vantage, "Realtime Bulk Quotes").
    private var hasBulkQuotes: Bool {
        configuration.plan.isPremium && configuration.entitlement != .delayed
            && !bulkRefusal.isRecent(at: clock.now())
    }

    /// The latest prices: `REALTIME_BULK_QUOTES` for American listings with a plan that includes it, else `GLOBAL_QUOTE`.
    ///
    /// That a plan does not include bulk quotes is remembered for an hour, so that not every read makes a call that
    /// is refused.
    ///
    /// The first quote of a listing on an exchange with several currencies also costs a search, because quotes do not
    /// show whether they are in pence or pounds.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let hasBulkQuotes = hasBulkQuotes
        var (single, bulk) = ([Symbol](), [String: Symbol]())
        for symbol in symbols {
            guard let spelling = symbolMapping.providerSymbol(for: symbol) else { continue }
            if hasBulkQuotes, symbolMapping.isAmerican(symbol) {
                bulk[spelling] = symbol
            } else {
                single.append(symbol)
            }
        }
        var quotes = KeyedResults<Symbol, Quote>()
        if !bulk.isEmpty {
            do throws(ProviderFailure) {
                quotes = try await bulkQuotes(of: bulk, in: context)
            } catch {
                if error.cause == .notEntitled {
                    bulkRefusal.record(at: clock.now())
                    single += bulk.values
                } else {
                    quotes.fail(bulk.values, error)
                }
            }
        }
        let results = await concurrently(single, atMost: 4) {
            symbol async throws(ProviderFailure) -> Quote? in
            try await quote(of: symbol, in: context)
        }
        for (symbol, result) in zip(single, results) { quotes.add(result, for: symbol) }
        return quotes
    }

    /// Nil for a symbol that Alpha Vantage does not know.
    private func quote(of symbol: Symbol, in context: CallContext) async throws(ProviderFailure) -> Quote? {
        do throws(ProviderFailure) {
            let unit = try await unit(of: symbol, in: context)
            let entitlement = entitlement(for: symbol)
            let items = [
                ("symbol", try Optional(providerSymbol(for: symbol))), ("entitlement", entitlement?.rawValue),
            ]
            return try await get("quotes", "GLOBAL_QUOTE", items, in: context) {
                reader throws(JSONError) -> Quote? in
                guard let figures = try AlphaVantageGlobalQuote(json: &reader).figures else { return nil }
                let quote = try? figures.quote(
                    of: symbol, in: unit, entitlement: entitlement, fetchedAt: clock.wallTime())
                return try reader.required(quote, "prices that can be told in whole currency")
            }
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }

    private func bulkQuotes(
        of symbols: [String: Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let items = [("symbol", Optional(symbols.keys.sorted().joined(separator: ",")))]
        let response = try await get("quotes", "REALTIME_BULK_QUOTES", items, in: context) {
            reader throws(JSONError) in try AlphaVantageBulkQuotes(json: &reader)
        }
        // A sample is not a price.
        guard response.isGenuine else { throw ProviderFailure(.alphaVantage, .notEntitled) }
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>()
        for entry in response.quotes {
            guard let symbol = symbols[entry.symbol] else { continue }
            quotes[symbol] = entry.quote(of: symbol, fetchedAt: fetchedAt)
        }
        quotes.fail(symbols, except: response.quotes.map(\.symbol), response.failures, of: .alphaVantage)
        return quotes
    }
}

/// The response of `REALTIME_BULK_QUOTES`, whose members have other names than those of `GLOBAL_QUOTE`.
struct AlphaVantageBulkQuotes: JSONDecodable {
    /// False for sample data, which keys without the plan receive, and which is not read.
    let isGenuine: Bool
    private let rows: JSONRows<Entry>

    var quotes: [Entry] { rows.elements }
    var failures: [JSONError] { rows.failures }

    struct Entry: Hashable {
        var symbol = ""
        var time: Instant?
        var price = Decimal.zero
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var previousClose: Decimal?
        var volume: Decimal?
        var extendedHoursPrice: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (message, quotes) = (String?.none, JSONRows<Entry>?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "message": message = try reader.string()
            case "data": quotes = try reader.rows()
            default: try reader.skip()
            }
        }
        isGenuine = try reader.required(message, "message") == "success"
        rows = isGenuine ? try reader.required(quotes, "data") : JSONRows()
    }
}

extension AlphaVantageBulkQuotes.Entry: JSONObjectDecodable {
    static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol)
        $0.nonnull("timestamp", \.time) { reader throws(JSONError) in try reader.newYorkTime() }
        $0.required("close", \.price)
        $0.optional("open", \.open, JSONReader.figure)
        $0.optional("high", \.high, JSONReader.figure)
        $0.optional("low", \.low, JSONReader.figure)
        $0.optional("previous_close", \.previousClose, JSONReader.figure)
        $0.optional("volume", \.volume, JSONReader.figure)
        $0.optional("extended_hours_quote", \.extendedHoursPrice, JSONReader.figure)
    }

    /// The entry as a `Quote` of Portico; bulk quotes are real-time prices of American listings, so in dollars.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote {
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt, asOf: time))
        quote.price = price
        quote.open = open
        quote.high = high
        quote.low = low
        quote.previousClose = previousClose
        quote.volume = volume
        quote.extendedHoursPrice = extendedHoursPrice
        quote.currency = PriceUnit.usDollar.currency
        quote.delayMinutes = AlphaVantageEntitlement.realTime.delayMinutes
        quote.timeliness = AlphaVantageEntitlement.realTime.timeliness
        return quote
    }
}
