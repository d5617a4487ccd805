package import Brokerage
package import Upstream

extension SaxoClient: QuoteSource {
    package var symbolsPerCall: Int { configuration.pricesPerCall }

    /// The latest prices: `GET /trade/v1/infoprices/list`, a call for each AssetType among the instruments.
    ///
    /// A symbol that was not met before is looked up first, by a call of its own. One that Saxo does not know is not in the
    /// result; where one could not be looked up for another reason, none is: nobody could tell the two apart.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: Quote] {
        let listings = try await listings(for: symbols, in: context)
        let groups = Dictionary(grouping: Set(listings.values)) { $0.key.assetType }
        let results = await concurrently(Array(groups), atMost: Self.priceCallsAtOnce) {
            group async throws(ProviderFailure) in
            try await prices(of: group.key, uics: group.value.map(\.key.uic), in: context)
        }
        var priced: [SaxoKey: SaxoPrice] = [:]
        for result in results { priced.merge(try result.get()) { _, last in last } }
        let fetchedAt = clock.wallTime()
        var quotes: [Symbol: Quote] = [:]
        for (symbol, listing) in listings {
            guard let price = priced[listing.key] else { continue }
            if price.isUnknownInstrument {
                directory.forget(listing)
            } else {
                quotes[symbol] = price.quote(of: listing.named(symbol), fetchedAt: fetchedAt)
            }
        }
        return quotes
    }

    private static var priceCallsAtOnce: Int { 4 }
    /// Without these, an answer has the two sides and nothing else.
    static var priceFieldGroups: String {
        "Quote,PriceInfo,PriceInfoDetails,DisplayAndFormat,InstrumentPriceDetails"
    }

    private func prices(
        of assetType: String, uics: [Int], in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoKey: SaxoPrice] {
        let url = try address(
            .trading, ["v1", "infoprices", "list"],
            [
                ("Uics", uics.sorted().map(String.init).joined(separator: ",")), ("AssetType", assetType),
                ("FieldGroups", Self.priceFieldGroups),
            ])
        let items = try await get("quotes", .trading, url, in: context) { response throws(JSONError) in
            try SaxoPage<SaxoPrice>(response).items
        }
        var prices: [SaxoKey: SaxoPrice] = [:]
        for item in items {
            // An item of an error has no AssetType; all items are of the one that was asked for.
            guard let uic = item.uic else { continue }
            prices[SaxoKey(uic: uic, assetType: assetType)] = item
        }
        return prices
    }
}
