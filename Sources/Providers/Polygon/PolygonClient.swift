import Brokerage
package import Upstream

/// Polygon (Massive), by one key.
///
/// Every call fails with ``Upstream/ProviderFailure`` and nothing else, and is over by the deadline that it is given.
package struct PolygonClient: Sendable {
    package let configuration: PolygonConfiguration
    package let symbolMapping = PolygonSymbols()
    let clock: TimeSource
    private let httpClient: ProviderHTTPClient
    private let headers: HTTPClientHeaders
    /// An instrument and its company are of one answer: whoever wants both, costs the quota one call.
    private let details: ReadCache<PolygonTicker>

    /// The most memory that the details take, in bytes.
    package static let weightLimit = 1 << 20

    /// - Parameters:
    ///   - configuration: Where Polygon is, and who asks.
    ///   - line: What the calls go over, and whose quota they spend.
    package init(_ configuration: PolygonConfiguration, over line: ProviderChannel) {
        self.configuration = configuration
        clock = line.clock
        httpClient = line.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(polygon: response, now: now) })
        // A header and not a query item, so that the key stands in no address.
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        headers.add("Authorization", "Bearer \(configuration.key.text)")
        self.headers = headers
        details = ReadCache(
            "details",
            bounds: CacheBounds(timeToLive: .seconds(300), entries: 1_000, bytes: Self.weightLimit),
            clock: line.clock, weight: \.weight)
    }

    /// Reads an address below the base, trying again as the line's policy says.
    func get<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        guard let url = address(configuration.base.url) else {
            throw ProviderFailure(.polygon, transport: .badURL)
        }
        let request = HTTPClientRequest(.get, url, headers: headers, deadline: context.deadline)
        return try await httpClient.call(operation, request, in: context) { response throws(JSONError) in
            try JSONReader.read(response.body, read)
        }
    }

    /// What Polygon calls an instrument; `notFound` for one that it cannot have.
    func providerSymbol(for symbol: Symbol) throws(ProviderFailure) -> String {
        guard let spelling = symbolMapping.providerSymbol(for: symbol) else {
            throw ProviderFailure(.polygon, .notFound)
        }
        return spelling
    }

    /// `GET /v3/reference/tickers/{ticker}`.
    func details(of symbol: Symbol, in context: CallContext) async throws(ProviderFailure) -> PolygonTicker {
        let ticker = try providerSymbol(for: symbol)
        let key = CacheKey.public(.polygon, "details \(ticker)")
        return try await details.value(for: key, in: context) { context throws(ProviderFailure) in
            try await get(
                "details", { $0.appending(path: "v3", "reference", "tickers", ticker) }, in: context
            ) { reader throws(JSONError) in try PolygonTickerDetails(json: &reader).ticker }
        }
    }
}
