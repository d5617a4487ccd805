package import Brokerage
package import Upstream

extension SaxoClient: QuoteSource {
    /// More than a call takes: which ones go together depends on their AssetTypes.
    package var symbolsPerCall: Int { 1_000 }

    /// The latest prices: `GET /trade/v1/infoprices/list`, for each AssetType among the instruments a call for each
    /// ``SaxoConfiguration/pricesPerCall`` of them.
    ///
    /// A symbol that was not met before is looked up first, by a call of its own. Of one that Saxo does not know there is
    /// nothing.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let listings = await listings(for: symbols, in: context)
        let prices = await prices(of: Set(listings.found.values.map(\.key)), in: context)
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>(failures: listings.failures)
        for (symbol, listing) in listings.found {
            if let failure = prices.failures[listing.key] { quotes.failures[symbol] = failure }
            guard let price = prices[listing.key] else { continue }
            if price.isUnknownInstrument {
                directory.invalidate(listing)
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
    /// Without these, an answer has the two sides and nothing else.
    static var priceFieldGroups: String {
        "Quote,PriceInfo,PriceInfoDetails,DisplayAndFormat,InstrumentPriceDetails"
    }

    /// One call for instruments of one AssetType, as it takes no more.
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
        let items = try await get("quotes", .trading, url, in: context) { response throws(JSONError) in
            try SaxoPage<SaxoPrice>(response).items
        }
        var prices = KeyedResults<SaxoInstrumentKey, SaxoPrice>()
        for item in items {
            // An item of an error has no AssetType; all items are of the one that was asked for.
            guard let uic = item.uic else { continue }
            prices[SaxoInstrumentKey(uic: uic, assetType: assetType)] = item
        }
        return prices
    }
}
