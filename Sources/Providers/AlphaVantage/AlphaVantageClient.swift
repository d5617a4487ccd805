import Brokerage
import PorticoCore
package import Upstream

/// Alpha Vantage with one key.
///
/// It caches only the currencies of listings, which quotes do not contain. Every call fails only with
/// ``Upstream/ProviderFailure``, and ends by its deadline.
package struct AlphaVantageClient: Sendable {
    package let configuration: AlphaVantageConfiguration
    package let symbolMapping = AlphaVantageSymbols()
    let clock: TimeSource
    private let httpClient: ProviderHTTPClient
    /// The listings of search results, by Alpha Vantage's symbol: the quota of a day is too small to request
    /// them twice.
    private let listings: ReadCache<ExactText, AlphaVantageMatch>
    /// Of `REALTIME_BULK_QUOTES`.
    let bulkRefusal = PlanRefusal()

    /// The most memory that the listings take, in bytes.
    package static let weightLimit = 1 << 20

    /// - Parameters:
    ///   - configuration: Alpha Vantage's address and key.
    ///   - channel: Sends the calls, and has their quota.
    package init(_ configuration: AlphaVantageConfiguration, over channel: ProviderChannel) {
        self.configuration = configuration
        clock = channel.clock
        httpClient = channel.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(alphaVantage: response, now: now) })
        listings = ReadCache(
            "listing", CacheBounds(entries: 10_000, bytes: Self.weightLimit),
            freshness: .fixed(.seconds(86_400)), weight: \.weight, time: channel.clock)
    }

    /// Calls a function, with the retries of the channel's policy.
    func get<Value>(
        _ operation: String, _ function: String, _ items: [(name: String, value: String?)],
        in context: CallContext, read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let query = [("function", function)] + items + [("apikey", configuration.key.text)]
        guard let url = configuration.base.url.appending(path: "query")?.appending(query: query) else {
            throw ProviderFailure(.alphaVantage, transport: .badURL)
        }
        let request = HTTPClientRequest(.get, url, deadline: context.deadline)
        return try await httpClient.call(operation, request, in: context) { response throws(JSONError) in
            try JSONReader.read(response.body, read)
        }
    }

    /// The prices to request of an instrument; nil for those of the end of the day.
    ///
    /// Plans differ in American prices only. Of the functions that are called, `GLOBAL_QUOTE` and `TIME_SERIES_INTRADAY` have
    /// the parameter `entitlement`, without which they have the prices of the end of the day also with a premium plan (Alpha
    /// Vantage, "Quote Endpoint" and "TIME_SERIES_INTRADAY").
    func entitlement(for symbol: Symbol) -> AlphaVantageEntitlement? {
        symbolMapping.isAmerican(symbol) ? configuration.entitlement : nil
    }

    /// The ticker of an instrument at Alpha Vantage.
    ///
    /// - Throws: `notFound` for one that it cannot have.
    func providerSymbol(for symbol: Symbol) throws(ProviderFailure) -> String {
        guard let spelling = symbolMapping.providerSymbol(for: symbol) else {
            throw ProviderFailure(.alphaVantage, .notFound)
        }
        return spelling
    }

    // MARK: Listings

    /// Returns a listing by `SYMBOL_SEARCH`; `notFound` if no listing has that symbol.
    func listing(
        for spelling: String, in context: CallContext
    ) async throws(ProviderFailure) -> AlphaVantageMatch {
        try await listings.read(ExactText(spelling), in: .shared(.alphaVantage), for: context) {
            context throws(ProviderFailure) in
            let matches = try await matches("listing", spelling, in: context)
            if let match = matches.best.first(where: { $0.symbol == spelling }) { return match }
            // The match that could not be read may be the listing.
            throw ProviderFailure(
                .alphaVantage, matches.failures.first.map { .invalidResponse($0) } ?? .notFound)
        }
    }

    func matches(
        _ operation: String, _ text: String, in context: CallContext
    ) async throws(ProviderFailure) -> AlphaVantageMatches {
        try await get(operation, "SYMBOL_SEARCH", [("keywords", text)], in: context) {
            reader throws(JSONError) in
            try AlphaVantageMatches(json: &reader)
        }
    }

    /// The unit of prices: by rule if the exchange has one unit, else by a search.
    func unit(of symbol: Symbol, in context: CallContext) async throws(ProviderFailure) -> PriceUnit {
        if let unit = symbolMapping.unit(of: symbol) { return unit }
        let match = try await listing(for: providerSymbol(for: symbol), in: context)
        guard let unit = match.unit else { throw ProviderFailure(.alphaVantage, .invalidResponse(nil)) }
        return unit
    }
}
