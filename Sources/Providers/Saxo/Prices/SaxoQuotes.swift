package import Brokerage
package import Upstream

extension SaxoClient: QuoteSource {
    /// More than a call takes: which ones go together depends on their AssetTypes.
    package var symbolsPerCall: Int { 1_000 }

    /// Returns the latest prices: `GET /trade/v1/infoprices/list`, one call for
    /// ``SaxoConfiguration/pricesPerCall`` instruments of one AssetType.
    ///
    /// A symbol that is not cached is looked up first, by a separate call. A symbol that Saxo does not know
    /// has no result. Where a price can be in hundredths of its currency, the details of the instruments are
    /// another call; prices whose unit they do not state are nil.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        await takeTradeLevel(in: context)
        var listings = await pricedListings(for: symbols, in: context)
        let prices = await prices(of: Set(listings.found.values.map(\.key)), in: context)
        listings.found = listings.found.mapValues { $0.stating(prices[$0.key]?.format.currency) }
        listings = await withPriceUnits(listings, in: context) { listing in
            prices[listing.key].map { !$0.isUnknownInstrument } ?? false
        }
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>(failures: listings.failures)
        for (symbol, listing) in listings.found {
            if let failure = prices.failures[listing.key] { quotes.failures[symbol] = failure }
            guard let price = prices[listing.key] else { continue }
            if price.isUnknownInstrument {
                instrumentCache.invalidate(listing)
            } else {
                quotes[symbol] = price.quote(of: listing.named(symbol), fetchedAt: fetchedAt)
            }
        }
        return quotes
    }

    /// The prices of instruments, in as few calls as their AssetTypes allow.
    private func prices(of keys: Set<SaxoInstrumentKey>, in context: CallContext) async -> KeyedResults<
        SaxoInstrumentKey, SaxoPrice
    > {
        let width = configuration.pricesPerCall
        let chunks = Dictionary(grouping: keys, by: \.assetType).values.flatMap { keys in
            let keys = keys.sorted { $0.uic < $1.uic }
            return stride(from: 0, to: keys.count, by: width).map {
                Array(keys[$0..<min($0 + width, keys.count)])
            }
        }
        let results = await concurrently(chunks, atMost: Self.priceCallsAtOnce) {
            chunk async throws(ProviderFailure) in try await fetchPrices(of: chunk, in: context)
        }
        var prices = KeyedResults<SaxoInstrumentKey, SaxoPrice>()
        for (chunk, result) in zip(chunks, results) { prices.merge(result, for: chunk) }
        return prices
    }

    private static var priceCallsAtOnce: Int { 4 }
    /// Without these, a response has only the two sides.
    static var priceFieldGroups: String {
        "Quote,PriceInfo,PriceInfoDetails,DisplayAndFormat,InstrumentPriceDetails"
    }

    /// One call for instruments of one AssetType, because it accepts one only.
    private func fetchPrices(
        of keys: [SaxoInstrumentKey], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<SaxoInstrumentKey, SaxoPrice> {
        guard let assetType = keys.first?.assetType else { return [:] }
        let url = try address(
            .trading, ["v1", "infoprices", "list"],
            [
                ("Uics", keys.map { String($0.uic) }.joined(separator: ",")), ("AssetType", assetType),
                ("FieldGroups", Self.priceFieldGroups),
            ])
        let page = try await get("quotes", .trading, url, in: context) { response throws(JSONError) in
            try SaxoPage<SaxoPrice>(response)
        }
        var prices = KeyedResults<SaxoInstrumentKey, SaxoPrice>()
        // An item that cannot be read is one of those that are missing.
        if let failure = page.failures.first {
            prices.fail(keys, ProviderFailure(.saxo, .invalidResponse(failure)))
        }
        for item in page.items {
            // An item with an error has no AssetType; all items have the requested one.
            guard let uic = item.uic else { continue }
            prices[SaxoInstrumentKey(uic: uic, assetType: assetType)] = item
        }
        return prices
    }
}

extension SaxoPrice {
    /// The price as a `Quote` of Portico.
    package func quote(of listing: SaxoListing, fetchedAt: Instant) -> Quote {
        let listing = listing.stating(format.currency)
        var quote = Quote(
            symbol: listing.symbol,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt, asOf: lastUpdated))
        quote.price = listing.major(price: price(of: listing.key.assetType))
        quote.bid = listing.major(price: bid)
        quote.ask = listing.major(price: ask)
        quote.open = listing.major(price: details.open)
        quote.high = listing.major(price: high)
        quote.low = listing.major(price: low)
        quote.previousClose = listing.major(price: details.lastClose)
        quote.volume = details.volume
        quote.marketState = marketState
        quote.timeliness = quote.price == nil ? nil : timeliness
        quote.currency = listing.currency?.code
        quote.delayMinutes = self.quote.delayMinutes
        quote.feed = source
        return quote
    }

    /// Nil if there is no bid now: a price that was indicative before the market closed is not a bid.
    private var bid: Decimal? { Self.isOffer(quote.bidKind) ? quote.bid : nil }
    private var ask: Decimal? { Self.isOffer(quote.askKind) ? quote.ask : nil }

    private static func isOffer(_ kind: SaxoPriceKind?) -> Bool {
        switch kind {
        case .tradable, .indicative: true
        case .oldIndicative, .some(.none), nil: false
        }
    }

    /// The last trade; for FX, and without a trade, the middle.
    private func price(of assetType: String) -> Decimal? {
        AssetClass(saxo: assetType) == .fx ? middle : details.lastTraded ?? middle
    }

    /// Also of an old indicative price if there is no other; the timeliness shows it.
    private var middle: Decimal? {
        guard Self.isPrice(quote.bidKind), Self.isPrice(quote.askKind) else { return nil }
        if let mid = quote.mid { return mid }
        guard let bid = quote.bid, let ask = quote.ask else { return nil }
        return .middle(bid, ask)
    }

    private static func isPrice(_ kind: SaxoPriceKind?) -> Bool {
        switch kind {
        case .tradable, .indicative, .oldIndicative: true
        case .some(.none), nil: false
        }
    }

    /// Delayed if Saxo states a delay, also of an indicative price; otherwise indicative if one of the sides is.
    private var timeliness: Timeliness? {
        let kinds = [quote.bidKind, quote.askKind]
        if kinds.contains(.oldIndicative) { return .indicative }
        if let delay = quote.delayMinutes, delay > 0 { return .delayed }
        if kinds.contains(.indicative) { return .indicative }
        return quote.delayMinutes.map { $0 > 0 ? .delayed : .realTime }
    }

    private var marketState: MarketState? {
        switch quote.marketState {
        case "Open", "ClosingAuction", "IntraDayAuction", "TradingAtLast": .open
        case "Closed": .closed
        case "PreMarket", "OpeningAuction": .pre
        case "PostMarket": .post
        default: isMarketOpen.map { $0 ? .open : .closed }
        }
    }

    /// Whether Saxo reports that the instrument does not exist, and not only that it has no price.
    var isUnknownInstrument: Bool {
        switch errorCode {
        case "IllegalInstrumentId", "InvalidUic", "InstrumentNotFound": true
        default: false
        }
    }
}

extension Decimal {
    /// The exact middle of two prices; nil if it has too many digits.
    package static func middle(_ low: Decimal, _ high: Decimal) -> Decimal? {
        guard let sum = try? low + high else { return nil }
        // Half of a decimal has one digit more at the most: five tenths of it.
        if sum.coefficient % 2 == 0 { return Decimal(coefficient: sum.coefficient / 2, scale: sum.scale) }
        let (product, overflow) = sum.coefficient.multipliedReportingOverflow(by: 5)
        return overflow ? nil : Decimal(coefficient: product, scale: sum.scale + 1)
    }
}
