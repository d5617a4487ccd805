import Brokerage
package import Upstream

/// Alpaca's Trading API v2 and Market Data v2, as one user.
///
/// What is cached, shared and counted is so in `Upstream`; only the list of all assets, which has no other use than to
/// be searched, is kept here. Every call fails with ``Upstream/ProviderFailure`` and nothing else, and is over by the
/// deadline that it is given.
package struct AlpacaClient: Sendable {
    let configuration: AlpacaConfiguration
    let clock: TimeSource
    let directory: AlpacaAssetCache
    let calendar: ReadCache<CalendarQuery, [AlpacaCalendarDay]>
    private let trading: ProviderHTTPClient
    private let data: ProviderHTTPClient
    private let writes: ProviderHTTPClient
    private let orders: ProviderHTTPClient
    private let headers: HTTPClientHeaders

    /// A client of one account.
    ///
    /// - Parameters:
    ///   - configuration: Where Alpaca is, and who asks.
    ///   - line: What the calls go over, and whose quota they spend.
    ///   - directory: The assets, which clients of the same Alpaca may share.
    package init(
        _ configuration: AlpacaConfiguration, over line: ProviderChannel,
        directory: AlpacaAssetCache = AlpacaAssetCache()
    ) {
        self.configuration = configuration
        self.directory = directory
        clock = line.clock
        // Trading days are known for years ahead; a change may be seen a day later.
        calendar = ReadCache(
            "calendar", CacheBounds(entries: 64, bytes: Self.calendarLimit),
            freshness: .fixed(.seconds(86_400)),
            weight: { days in days.count * MemoryLayout<AlpacaCalendarDay>.stride }, time: line.clock)
        trading = line.client(to: .trading, within: configuration) {
            ProviderFailure.Cause(alpaca: $0, now: $1)
        }
        data = line.client(to: .data, within: configuration) { ProviderFailure.Cause(alpaca: $0, now: $1) }
        writes = line.client(to: .trading, within: configuration) {
            ProviderFailure.Cause(alpacaDesk: $0, now: $1)
        }
        orders = line.client(to: .trading, within: configuration) {
            ProviderFailure.Cause(alpacaOrders: $0, now: $1)
        }
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        configuration.credential.sign(&headers)
        self.headers = headers
    }

    /// Reads a path of one of Alpaca's hosts, trying again as the policy says.
    func get<Value>(
        _ operation: String, from host: AlpacaHost, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        maximumBytes: Int = 16 << 20, read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let (base, caller) =
            switch host {
            case .trading: (configuration.tradingURL, trading)
            case .data: (configuration.dataURL, data)
            }
        return try await get(
            operation, by: caller, address(base), in: context, maximumBytes: maximumBytes, read: read)
    }

    /// Reads orders at the trading host, with retries by the policy.
    ///
    /// - Throws: `notFound` only for a response of Alpaca itself, not of a proxy before it.
    func getOrders<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        try await get(operation, by: orders, address(configuration.tradingURL), in: context, read: read)
    }

    private func get<Value>(
        _ operation: String, by caller: ProviderHTTPClient, _ url: HTTPURL?, in context: CallContext,
        maximumBytes: Int = 16 << 20, read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        guard let url else { throw ProviderFailure(.alpaca, transport: .badURL) }
        let request = HTTPClientRequest(
            .get, url, headers: headers, deadline: context.deadline, maximumResponseBytes: maximumBytes)
        return try await caller.call(operation, request, in: context, read: read)
    }

    /// Changes something at the trading host: once, whatever becomes of it.
    ///
    /// Refusals come to `read`: ``AlpacaWriteRejection`` tells them from the rest.
    func write<Value>(
        _ operation: String, _ method: HTTPClientMethod, _ address: (HTTPURL) -> HTTPURL?,
        body: AlpacaBody? = nil,
        in context: CallContext, read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        guard let url = address(configuration.tradingURL) else {
            throw ProviderFailure(.alpaca, transport: .badURL)
        }
        var headers = headers
        if body != nil { headers.add("Content-Type", "application/json") }
        let request = HTTPClientRequest(
            method, url, headers: headers, body: body?.bytes, deadline: context.deadline)
        return try await writes.call(operation, request, in: context, read: read)
    }
}

/// An id of one of Alpaca's orders or lists: a UUID (RFC 9562, section 4), in either case.
struct AlpacaID: Hashable, Sendable {
    let text: String

    /// - Throws: `notFound` for a text in another form, without a call: Alpaca has no object with such an id.
    init(_ text: String) throws(ProviderFailure) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy(Self.isHexadecimal) else {
            throw ProviderFailure(.alpaca, .notFound)
        }
        self.text = text
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension ProviderChannel {
    /// A caller of one of Alpaca's hosts.
    fileprivate func client(
        to host: AlpacaHost, within configuration: AlpacaConfiguration,
        failure: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause?
    ) -> ProviderHTTPClient {
        let limit = configuration.callsPerMinute
        let window = QuotaWindow(host.rawValue, limit: limit, per: .rolling(seconds: 60))
        return client(
            within: [window],
            reportedQuotas: { response, _ in AlpacaRateLimit.reportedQuotas(of: host, in: response) },
            failure: failure)
    }
}

/// Alpaca's hosts for calls that are over with one answer; each has a rate limit of its own, which bears its name.
package enum AlpacaHost: String, Sendable, Hashable {
    case trading
    case data
}

/// What holds for everything at Alpaca.
enum AlpacaMarket {
    /// All accounts, and all prices that no other currency is asked for, are in US dollars.
    static let currency = "USD"
}

/// What a response tells of its host's rate limit, which counts by the minute for each credential.
///
/// The fields are `X-RateLimit-Limit`, `-Remaining` and `-Reset`; the last counts seconds since 1970, not seconds that
/// are left.
package enum AlpacaRateLimit {
    /// What is left; nothing where a response does not say.
    package static func reportedQuotas(of host: AlpacaHost, in response: HTTPClientResponse)
        -> [ReportedQuota]
    {
        guard let remaining = count(response["X-RateLimit-Remaining"]) else { return [] }
        let limit = count(response["X-RateLimit-Limit"])
        return [
            ReportedQuota(
                name: host.rawValue, limit: limit, remaining: remaining, resetsAt: reset(in: response))
        ]
    }

    /// When to ask again after a 429: `Retry-After`, which Alpaca's own clients honour, else the end of the window.
    static func retryAt(in response: HTTPClientResponse, now: Instant) -> Instant? {
        if let instant = RetryAfter.instant(in: response, now: now) { return instant }
        // A window that is over already tells nothing about the next.
        return reset(in: response).flatMap { $0 > now ? $0 : nil }
    }

    private static func count(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func reset(in response: HTTPClientResponse) -> Instant? {
        response["X-RateLimit-Reset"].flatMap { Int64($0) }.flatMap { Instant(secondsSince1970: $0) }
    }
}
