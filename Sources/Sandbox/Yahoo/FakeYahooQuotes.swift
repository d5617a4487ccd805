import Brokerage

/// `GET /v7/finance/quote`: many symbols in one call.
struct FakeYahooQuotes: Sendable {
    let context: FakeYahooHost.AuthenticatedRequest

    /// Throws ``FakeYahooError`` for a missing or too long list of symbols.
    func document() throws -> JSONDocument {
        let symbols = (context.request[query: "symbols"] ?? "").split(separator: ",").map(String.init)
        guard !symbols.isEmpty else {
            throw FakeYahooError.badRequest("Missing value for the \"symbols\" argument")
        }
        guard symbols.count <= context.settings.maximumSymbols else {
            throw FakeYahooError.badRequest("The \"symbols\" argument has too many values")
        }
        var seen: Set<String> = []
        let quotes = symbols.filter { seen.insert($0).inserted }.compactMap(quote)
        return ["quoteResponse": ["result": .array(quotes.map(chosen)), "error": nil]]
    }

    /// Returns the members in the parameter `fields`, and the mandatory ones.
    private func chosen(_ members: [JSONDocument.Member]) -> JSONDocument {
        guard let fields = context.request[query: "fields"], !fields.isEmpty else { return .object(members) }
        let names = Set(fields.split(separator: ",").map(String.init))
        return .object(members.filter { names.contains($0.name) || Self.always.contains($0.name) })
    }

    private static let always: Set<String> = ["language", "region", "quoteType", "symbol", "tradeable"]

    /// Returns nil for an unknown symbol.
    private func quote(of symbol: String) -> [JSONDocument.Member]? {
        if context.settings.delisted.contains(symbol) { return delisted(symbol) }
        return FakeYahooListing(symbol, in: context.view.market).map { listing in
            described(listing) + (FakeYahooDay(listing, context.view).map { priced(listing, $0) } ?? [])
        }
    }

    private func delisted(_ symbol: String) -> [JSONDocument.Member] {
        [
            .init(name: "language", value: "en-US"),
            .init(name: "region", value: "US"),
            .init(name: "quoteType", value: "NONE"),
            .init(name: "triggerable", value: false),
            .init(name: "hasPrePostMarketData", value: false),
            .init(name: "tradeable", value: false),
            .init(name: "cryptoTradeable", value: false),
            .init(name: "symbol", value: .string(symbol)),
        ]
    }

    private func described(_ listing: FakeYahooListing) -> [JSONDocument.Member] {
        let zone = listing.zone(at: context.view.now)
        return [
            .init(name: "language", value: "en-US"),
            .init(name: "region", value: "US"),
            .init(name: "quoteType", value: .string(listing.type.quoteType)),
            .init(name: "typeDisp", value: .string(listing.type.display)),
            .init(
                name: "quoteSourceName",
                value: listing.exchange.code == "NMS" ? "Nasdaq Real Time Price" : "Free Realtime Quote"),
            .init(name: "currency", value: .string(listing.currency)),
            .init(name: "shortName", value: .string(listing.name)),
            .init(name: "longName", value: .string(listing.name)),
            .init(name: "priceHint", value: .integer(listing.priceHint)),
            .init(name: "exchangeDataDelayedBy", value: 0),
            .init(name: "tradeable", value: false),
            .init(name: "marketState", value: .string(listing.marketState(context.view))),
            .init(name: "exchange", value: .string(listing.exchange.code)),
            .init(name: "fullExchangeName", value: .string(listing.exchange.name)),
            .init(name: "exchangeTimezoneName", value: .string(zone.name)),
            .init(name: "gmtOffSetMilliseconds", value: .integer(zone.offset * 1_000)),
            .init(name: "symbol", value: .string(name(of: listing))),
        ]
    }

    private func name(of listing: FakeYahooListing) -> String {
        let name = listing.symbol
        guard context.settings.dollarPairsHaveShortNames, name.hasPrefix("USD"), name.hasSuffix("=X") else {
            return name
        }
        return String(name.dropFirst(3))
    }

    private func priced(_ listing: FakeYahooListing, _ day: FakeYahooDay) -> [JSONDocument.Member] {
        let low = listing.instrument.price(day.bar.low).withoutTrailingZeros
        let high = listing.instrument.price(day.bar.high).withoutTrailingZeros
        func figure(_ ticks: Int) -> JSONDocument {
            context.settings.zeroFigures.contains(listing.symbol) ? 0 : listing.price(ticks)
        }
        var members: [JSONDocument.Member] = [
            .init(name: "regularMarketPrice", value: listing.price(day.bar.close)),
            .init(name: "regularMarketChange", value: .singlePrecision(day.change)),
            .init(name: "regularMarketChangePercent", value: .singlePrecision(day.changePercent)),
            .init(name: "regularMarketTime", value: .integer(day.second)),
            .init(name: "regularMarketDayHigh", value: figure(day.bar.high)),
            .init(name: "regularMarketDayLow", value: figure(day.bar.low)),
            .init(name: "regularMarketDayRange", value: .string("\(low) - \(high)")),
            .init(name: "regularMarketVolume", value: .integer(day.bar.volume)),
            .init(name: "regularMarketPreviousClose", value: figure(day.previousClose)),
            .init(name: "regularMarketOpen", value: figure(day.bar.open)),
        ]
        if let year = YearPriceStats(listing.instrument, context.view) {
            members += [
                .init(name: "fiftyTwoWeekLow", value: listing.price(year.low)),
                .init(name: "fiftyTwoWeekHigh", value: listing.price(year.high)),
            ]
        }
        if let company = listing.company {
            let value = company.marketCapitalization(at: day.bar.close)
            members.append("marketCap", .integer(value))
        }
        return members + sides(listing) + extended(listing, day)
    }

    /// Returns bid and ask; a missing side is omitted.
    private func sides(_ listing: FakeYahooListing) -> [JSONDocument.Member] {
        let quote = context.view.market.quote(listing.instrument, at: context.view.now)
        return [("bid", quote.bid), ("ask", quote.ask)].compactMap { name, side in
            side.map { .init(name: name, value: listing.price($0.price)) }
        }
    }

    private func extended(_ listing: FakeYahooListing, _ day: FakeYahooDay) -> [JSONDocument.Member] {
        guard let (phase, price) = day.extendedPrice else { return [] }
        let name = phase == .preMarket ? "preMarketPrice" : "postMarketPrice"
        return [.init(name: name, value: listing.price(price))]
    }
}
