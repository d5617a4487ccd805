package import Brokerage
import PorticoCore
package import Upstream

/// Polygon (Massive), with one key.
///
/// Every call throws ``Upstream/ProviderFailure`` only, and ends by its deadline.
package struct PolygonClient: Sendable {
    package let configuration: PolygonConfiguration
    package let symbolMapping = PolygonSymbols()
    let clock: TimeSource
    private let httpClient: ProviderHTTPClient
    private let headers: HTTPClientHeaders
    /// An instrument and its company are in one response: a request for both costs one call.
    private let details: ReadCache<ExactText, PolygonTicker>
    /// Whether a ticker without details was listed before.
    private let delistings: ReadCache<ExactText, Bool>
    let plan = PolygonPlan()

    /// The most memory that the details and the delistings take, in bytes.
    package static let weightLimit = 1 << 20
    private static let delistingsWeight = 1 << 17

    /// - Parameters:
    ///   - configuration: Polygon's address and key.
    ///   - channel: Sends the calls, and has their quota.
    package init(_ configuration: PolygonConfiguration, over channel: ProviderChannel) {
        self.configuration = configuration
        clock = channel.clock
        httpClient = channel.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(polygon: response, now: now) })
        // A header and not a query parameter, so that no address contains the key.
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        headers.add("Authorization", "Bearer \(configuration.key.text)")
        self.headers = headers
        details = ReadCache(
            "details", CacheBounds(entries: 1_000, bytes: Self.weightLimit - Self.delistingsWeight),
            // Several reads of one response need to know whether a ticker exists. A request that demands new values accepts
            // a response of this age.
            freshness: .fixed(.seconds(300), negativeTTL: ProviderID.polygon.traits.minimumAge),
            weight: \.weight, time: channel.clock)
        delistings = ReadCache(
            "delisting", CacheBounds(entries: 1_000, bytes: Self.delistingsWeight),
            freshness: .fixed(.seconds(300)), time: channel.clock)
    }

    /// Reads an address below the base, with the retries of the channel's policy.
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

    /// The ticker of an instrument at Polygon.
    ///
    /// - Throws: `notFound` for one that it cannot have.
    func providerSymbol(for symbol: Symbol) throws(ProviderFailure) -> String {
        guard let spelling = symbolMapping.providerSymbol(for: symbol) else {
            throw ProviderFailure(.polygon, .notFound)
        }
        return spelling
    }

    /// `GET /v3/reference/tickers/{ticker}`.
    func details(of symbol: Symbol, in context: CallContext) async throws(ProviderFailure) -> PolygonTicker {
        let ticker = try providerSymbol(for: symbol)
        return try await details.read(ExactText(ticker), in: .shared(.polygon), for: context) {
            context throws(ProviderFailure) in
            try await get(
                "details", { $0.appending(path: "v3", "reference", "tickers", ticker) }, in: context
            ) { reader throws(JSONError) in try PolygonTickerDetails(json: &reader).ticker }
        }
    }

    /// Whether a symbol without details was listed before: details are those of tickers that are listed now.
    ///
    /// `GET /v3/reference/tickers`, which has earlier tickers of shares and funds only.
    func isDelisted(_ symbol: Symbol, in context: CallContext) async throws(ProviderFailure) -> Bool {
        guard case .listing? = SymbolKind(symbol) else { return false }
        let ticker = try providerSymbol(for: symbol)
        return try await delistings.read(ExactText(ticker), in: .shared(.polygon), for: context) {
            context throws(ProviderFailure) in
            let items = [("ticker", Optional(ticker)), ("active", "false"), ("limit", "1")]
            let list = try await get(
                "delisting", { $0.appending(path: "v3", "reference", "tickers")?.appending(query: items) },
                in: context
            ) { reader throws(JSONError) in try PolygonTickerList(json: &reader) }
            // A row that could not be read is that of the ticker too.
            return !list.tickers.isEmpty || !list.unreadable.isEmpty
        }
    }
}

/// The start of the next page, which Polygon returns in the query of `next_url`.
///
/// Nothing else of that address is used: no host to which a key could be sent, and no key that it may
/// contain.
struct PolygonCursor: Hashable {
    let text: String

    /// Nil for a text that is not base64 in either alphabet.
    init?(_ text: some StringProtocol) {
        let isCursor = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "+/=-_".utf8.contains(byte)
            }
        }
        guard isCursor, (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        self.text = String(text)
    }

    private static let maximumLength = 2_048

    /// Reads the cursor from the address of a next page; nil if the address is not one of Polygon's or has
    /// no cursor.
    init?(nextURL text: String, of configuration: PolygonConfiguration) {
        guard let url = HTTPURL(text), configuration.owns(url), let question = text.firstIndex(of: "?") else {
            return nil
        }
        let items = text[text.index(after: question)...].split(separator: "&")
        guard let item = items.first(where: { $0.hasPrefix("cursor=") }),
            let cursor = PercentEncoding.decode(item.dropFirst("cursor=".count))
        else { return nil }
        self.init(cursor)
    }
}

/// Polygon's address, key and quota.
package struct PolygonConfiguration: Sendable {
    /// The address before `/v2` and `/v3`.
    package let base: ProviderBaseURL
    package let key: APIKey
    /// The limits of the key.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Polygon's address, without the version of its paths.
    ///   - key: Polygon's key; Alpaca's keys have not been accepted since 2021.
    ///   - windows: The limits of the key; by default those of the free plan.
    package init(base: ProviderBaseURL, key: APIKey, windows: [QuotaWindow] = Self.freePlan) {
        self.base = base
        self.key = key
        self.windows = windows
    }

    /// Polygon's address; nil for the sandbox, which has no fixed address.
    ///
    /// The company has been called Massive since October 2025, and its clients use this address since; the old one,
    /// `api.polygon.io`, still works.
    package static func url(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://api.massive.com")
        case .sandbox: nil
        }
    }

    /// Five calls a minute, pages included.
    package static let freePlan = [QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))]

    /// Whether an address of a next page is Polygon's: under this base, or under either name of the company.
    func owns(_ url: HTTPURL) -> Bool {
        url.host == base.url.host || Self.hosts.contains(url.host)
    }

    private static let hosts: Set<String> = ["api.polygon.io", "api.massive.com"]
}
