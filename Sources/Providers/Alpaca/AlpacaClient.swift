package import Brokerage
package import Upstream

/// Alpaca's Trading API v2 and Market Data v2, for one user.
///
/// A class, because each user has one, which is stored as several capabilities.
/// `Upstream` caches, shares and counts calls; only the list of all assets, which serves searches only, the
/// calendar, and corporate actions, which have dividends and splits in one response, are cached here. Every call throws ``Upstream/ProviderFailure`` and no other error, and ends by its deadline.
package final class AlpacaClient: Sendable {
    let configuration: AlpacaConfiguration
    let clock: TimeSource
    let assetCache: AlpacaAssetCache
    let calendar: ReadCache<CalendarQuery, AlpacaCalendar>
    package let actions: ReadCache<Symbol, CorporateActionHistory>
    let plans: AlpacaPlanSource
    private let channel: ProviderChannel
    private let trading: ProviderHTTPClient
    private let writes: ProviderHTTPClient
    private let orders: ProviderHTTPClient
    private let headers: HTTPClientHeaders

    /// The most memory that corporate actions take, in bytes.
    package static let actionsLimit = 1 << 20

    /// Creates the client of one account.
    ///
    /// - Parameters:
    ///   - configuration: The URLs, the environment and the credential.
    ///   - channel: The channel of the calls, with its quota.
    ///   - assetCache: The assets, which clients of the same Alpaca may share.
    ///   - plans: The source of the plan if the configuration names no feed; nil for a probe by this client.
    package init(
        _ configuration: AlpacaConfiguration, over channel: ProviderChannel,
        assetCache: AlpacaAssetCache = AlpacaAssetCache(), plans: AlpacaPlanSource? = nil
    ) {
        self.configuration = configuration
        self.channel = channel
        self.plans =
            configuration.feed.map { AlpacaPlanSource.fixed(AlpacaPlan(feed: $0)) } ?? plans
            ?? .probed(AlpacaPlanCache(clock: channel.clock))
        self.assetCache = assetCache
        clock = channel.clock
        // Trading days are known for years ahead; a change may be seen a day later.
        calendar = ReadCache(
            "calendar", CacheBounds(entries: 64, bytes: Self.calendarLimit),
            freshness: .fixed(.seconds(86_400)),
            weight: { $0.days.count * MemoryLayout<AlpacaCalendarDay>.stride }, time: channel.clock)
        actions = ReadCache(
            "corporate actions", CacheBounds(entries: 1_000, bytes: Self.actionsLimit),
            freshness: .fixed(.seconds(300)), weight: \.weight, time: channel.clock)
        let calls = configuration.callsPerMinute ?? AlpacaConfiguration.standardCallsPerMinute
        trading = channel.client(to: .trading, calls) { ProviderFailure.Cause(alpaca: $0, now: $1) }
        writes = channel.client(to: .trading, calls) { ProviderFailure.Cause(alpacaWrite: $0, now: $1) }
        orders = channel.client(to: .trading, calls) { ProviderFailure.Cause(alpacaOrders: $0, now: $1) }
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        configuration.credential.sign(&headers)
        self.headers = headers
        // Its window is shown before its first call.
        _ = data()
    }

    var quotaAccount: QuotaAccount { channel.quotaAccount }

    /// The limit of the data host, as far as the plan is known.
    package var dataCallsPerMinute: Int {
        configuration.callsPerMinute ?? knownPlan.callsPerMinute ?? AlpacaConfiguration.standardCallsPerMinute
    }

    /// The caller of the data host, whose limit is that of the plan.
    ///
    /// - Parameter readsRefusals: Whether the refusal of prices that are too new for the plan is read.
    /// - Returns: The caller.
    private func data(readingRefusals readsRefusals: Bool = false) -> ProviderHTTPClient {
        channel.client(to: .data, dataCallsPerMinute) {
            readsRefusals && AlpacaErrorBody.isTooRecent($0)
                ? nil : ProviderFailure.Cause(alpaca: $0, now: $1)
        }
    }

    /// Reads a path of one of Alpaca's hosts, and retries by the policy.
    func get<Value>(
        _ operation: String, from host: AlpacaHost, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        maximumBytes: Int = 16 << 20, filter: JSONMemberFilter? = nil,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let (base, caller) =
            switch host {
            case .trading: (configuration.tradingURL, trading)
            case .data: (configuration.dataURL, data())
            }
        return try await get(
            operation, by: caller, address(base), in: context, maximumBytes: maximumBytes, filter: filter,
            read: read)
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

    /// Reads prices at the data host; `read` also gets the refusal of prices that are too new for the plan.
    func getPrices<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        try await get(
            operation, by: data(readingRefusals: true), address(configuration.dataURL), in: context,
            read: read)
    }

    private func get<Value>(
        _ operation: String, by caller: ProviderHTTPClient, _ url: HTTPURL?, in context: CallContext,
        maximumBytes: Int = 16 << 20, filter: JSONMemberFilter? = nil,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        guard let url else { throw ProviderFailure(.alpaca, transport: .badURL) }
        var request = HTTPClientRequest(
            .get, url, headers: headers, deadline: context.deadline, maximumResponseBytes: maximumBytes)
        request.filter = filter
        return try await caller.call(operation, request, in: context, read: read)
    }

    /// Sends a write to the trading host once, and does not retry it.
    ///
    /// `read` gets refusals too: ``AlpacaWriteRejection`` detects them.
    func write<Value>(
        _ operation: String, _ method: HTTPClientMethod, _ address: (HTTPURL) -> HTTPURL?,
        body: JSONObjectText? = nil,
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

    /// - Throws: `notFound` for a text in another form, without a call: Alpaca has no object with such an
    ///   id.
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
        to host: AlpacaHost, _ callsPerMinute: Int,
        failure: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause?
    ) -> ProviderHTTPClient {
        let window = QuotaWindow(host.rawValue, limit: callsPerMinute, per: .rolling(seconds: 60))
        return client(
            within: [window],
            reportedQuotas: { response, _ in AlpacaRateLimit.reportedQuotas(of: host, in: response) },
            failure: failure)
    }
}

/// A host of Alpaca for calls with one response; each has a separate rate limit, which has the host's name.
package enum AlpacaHost: String, Sendable, Hashable {
    case trading
    case data
}

/// Properties of all of Alpaca's markets.
enum AlpacaMarket {
    /// The currency of all accounts, and of all prices for which no other currency is requested: US dollars.
    static let currency = "USD"
}

/// The rate limit that a response reports, which Alpaca counts per minute, host and credential.
///
/// The fields are `X-RateLimit-Limit`, `-Remaining` and `-Reset`; the last is a time in seconds since 1970,
/// not the number of seconds left.
package enum AlpacaRateLimit {
    /// The remaining calls; empty if the response does not report them.
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

    /// The time to retry after a 429: that of `Retry-After`, which Alpaca's own clients obey, else the end
    /// of the window.
    static func retryAt(in response: HTTPClientResponse, now: Instant) -> Instant? {
        if let instant = RetryAfter.instant(in: response, now: now) { return instant }
        // A window that has ended does not determine the next one.
        return reset(in: response).flatMap { $0 > now ? $0 : nil }
    }

    private static func count(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func reset(in response: HTTPClientResponse) -> Instant? {
        response["X-RateLimit-Reset"].flatMap { Int64($0) }.flatMap { Instant(secondsSince1970: $0) }
    }
}
