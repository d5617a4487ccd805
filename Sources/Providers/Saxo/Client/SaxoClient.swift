import Brokerage
package import Upstream

/// Saxo Bank's OpenAPI for one user.
///
/// Every call fails only with ``Upstream/ProviderFailure``, and ends by its deadline. Cached data is shared
/// by all clients of a ``SaxoInstrumentCache`` (instruments, which are public) or of one connection (the
/// keys of its accounts).
package struct SaxoClient: Sendable {
    let configuration: SaxoConfiguration
    let access: SaxoCredential
    let instrumentCache: SaxoInstrumentCache
    let clock: TimeSource
    let identities: SaxoIdentityCache
    let streams = SaxoStreamPool()
    /// Nil if the trade level of the user's sessions is not taken.
    let tradeLevel: SaxoTradeLevel?
    private let callers: [SaxoServiceGroup: ProviderHTTPClient]
    let orderCaller: ProviderHTTPClient
    /// For checks of orders, which are not in the limit of orders.
    let precheckCaller: ProviderHTTPClient
    /// The streaming host's, which is in no service group.
    let streamCaller: ProviderHTTPClient

    /// - Parameters:
    ///   - configuration: Saxo's addresses.
    ///   - access: The credential.
    ///   - channel: Sends the calls, and has their quota.
    ///   - instrumentCache: The instruments of symbols; one for all clients.
    ///   - takesTradeLevel: Whether the connection takes real-time prices from the user's other sessions.
    package init(
        _ configuration: SaxoConfiguration, access: SaxoCredential, over channel: ProviderChannel,
        instrumentCache: SaxoInstrumentCache, takesTradeLevel: Bool = false
    ) {
        tradeLevel = takesTradeLevel ? SaxoTradeLevel() : nil
        self.configuration = configuration
        self.access = access
        self.instrumentCache = instrumentCache
        clock = channel.clock
        identities = SaxoIdentityCache(of: channel.quotaAccount, clock: channel.clock)
        callers = Dictionary(
            uniqueKeysWithValues: SaxoServiceGroup.allCases.map { group in
                (
                    group,
                    channel.client(
                        within: group.windows,
                        reportedQuotas: { SaxoRateLimitHeaders.reportedQuotas(of: group, $0, now: $1) },
                        failure: { ProviderFailure.Cause(saxo: $0, now: $1) })
                )
            })
        streamCaller = channel.client(failure: { ProviderFailure.Cause(saxo: $0, now: $1) })
        // A cancellation is urgent, but waiting a second for a slot is better than a rejection.
        orderCaller = channel.client(
            within: SaxoServiceGroup.trading.windows + [SaxoRateLimitHeaders.orderWindow],
            reportedQuotas: { SaxoRateLimitHeaders.reportedQuotas(of: .trading, $0, now: $1) },
            failure: { SaxoOrderResponse.isReadable($0) ? nil : ProviderFailure.Cause(saxo: $0, now: $1) })
        precheckCaller = channel.client(
            within: SaxoServiceGroup.trading.windows,
            reportedQuotas: { SaxoRateLimitHeaders.reportedQuotas(of: .trading, $0, now: $1) },
            failure: { SaxoPrecheck.isReadable($0) ? nil : ProviderFailure.Cause(saxo: $0, now: $1) })
    }

    // MARK: Calls

    /// The address of a path of a group: `address(.portfolio, "v1", "accounts", "me")`.
    func address(
        _ group: SaxoServiceGroup, _ path: [String], _ query: [(name: String, value: String?)] = []
    ) throws(ProviderFailure) -> HTTPURL {
        var url = configuration.restURL.appending(path: group.rawValue)
        for segment in path { url = url?.appending(path: segment) }
        guard let url = url?.appending(query: query) else { throw ProviderFailure(.saxo, transport: .badURL) }
        return url
    }

    /// Reads an address, again with a new token if this one is refused.
    func get<Value>(
        _ operation: String, _ group: SaxoServiceGroup, _ url: HTTPURL, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        try await withToken(in: context, repeats: true) { token throws(ProviderFailure) in
            try await send(operation, group, url, token, in: context, read: read)
        }
    }

    /// Sends a request, and renews the token if it is refused; one that `repeats` is then sent again.
    ///
    /// It is sent a third time if the second token is refused, too: that can be one which another replica has stored some
    /// time ago.
    private func withToken<Value>(
        in context: CallContext, repeats: Bool,
        _ send: (SaxoToken) async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        var token = try await access.token(in: context)
        var repetitions = repeats ? 2 : 0
        while true {
            do throws(ProviderFailure) {
                return try await send(token)
            } catch {
                guard error.cause == .unauthorized else { throw error }
                guard repetitions > 0 else {
                    if !repeats { _ = try? await access.renewed(after: token, in: context) }
                    throw error
                }
                repetitions -= 1
                guard let next = try await access.renewed(after: token, in: context) else { throw error }
                token = next
            }
        }
    }

    private func send<Value>(
        _ operation: String, _ group: SaxoServiceGroup, _ url: HTTPURL, _ token: SaxoToken,
        in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        // There is a caller for every group.
        guard let caller = callers[group] else { throw ProviderFailure(.saxo, .unsupported) }
        let request = HTTPClientRequest(.get, url, headers: Self.headers(token), deadline: context.deadline)
        return try await caller.call(operation, request, in: context, read: read)
    }

    /// Sends a write, once.
    ///
    /// One whose token is refused is not sent again either, because no write is repeated; this is rare, because the token is
    /// renewed before its end. The next write has a new token. A check, which `changesNothing`, is sent again like a read.
    func write<Value>(
        _ operation: String, _ caller: ProviderHTTPClient, _ method: HTTPClientMethod, _ url: HTTPURL,
        body: [UInt8]? = nil, requestID: String? = nil, changesNothing: Bool = false, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        try await withToken(in: context, repeats: changesNothing) { token throws(ProviderFailure) in
            var headers = Self.headers(token)
            if body != nil { headers.add("Content-Type", "application/json") }
            if let requestID, !headers.add("X-Request-ID", requestID) {
                throw ProviderFailure(.saxo, .unsupported)
            }
            let request = HTTPClientRequest(
                method, url, headers: headers, body: body, deadline: context.deadline)
            return try await caller.call(operation, request, in: context, read: read)
        }
    }

    /// A write that is no order: a subscription, or a change of a watchlist.
    func write<Value>(
        _ operation: String, _ group: SaxoServiceGroup, _ method: HTTPClientMethod, _ url: HTTPURL,
        body: [UInt8]? = nil, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        // There is a caller for every group.
        guard let caller = callers[group] else { throw ProviderFailure(.saxo, .unsupported) }
        return try await write(operation, caller, method, url, body: body, in: context, read: read)
    }

    static func headers(_ token: SaxoToken) -> HTTPClientHeaders {
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        token.sign(&headers)
        return headers
    }

    // MARK: Lists

    /// All items of a list of which none may be missing, page after page.
    func completeList<Item: JSONDecodable & Sendable>(
        _ operation: String, _ group: SaxoServiceGroup, _ url: HTTPURL, of type: Item.Type,
        in context: CallContext
    ) async throws(ProviderFailure) -> [Item] {
        let list = try await list(operation, group, url, of: type, in: context)
        if let failure = list.failures.first { throw ProviderFailure(.saxo, .invalidResponse(failure)) }
        return list.items
    }

    /// All items of a list, page after page, and why some of them cannot be read.
    func list<Item: JSONDecodable & Sendable>(
        _ operation: String, _ group: SaxoServiceGroup, _ url: HTTPURL, of type: Item.Type,
        in context: CallContext
    ) async throws(ProviderFailure) -> SaxoList<Item> {
        var list = SaxoList<Item>()
        var visited: Set<HTTPURL> = []
        var address = url
        while visited.insert(address).inserted, visited.count <= Self.maximumPages {
            let page = try await get(operation, group, address, in: context) { response throws(JSONError) in
                try SaxoPage<Item>(response)
            }
            list.items += page.items
            list.failures += page.failures
            guard let link = page.next else { return list }
            guard let next = SaxoNextPageLink.address(link, from: configuration.restURL) else {
                throw ProviderFailure(.saxo, .invalidResponse(nil))
            }
            address = next
        }
        // Pages that lead round in a circle, or on and on. Half a list must not pass for a whole one.
        throw ProviderFailure(.saxo, .invalidResponse(nil))
    }

    /// Of one list; a bound against links without end.
    private static let maximumPages = 50
    /// The requested number of items of a page.
    static let pageSize = "1000"
}

/// A service group of the OpenAPI; each has its own limit, and the raw value is the first part of its paths.
package enum SaxoServiceGroup: String, Sendable, CaseIterable {
    case portfolio = "port"
    case trading = "trade"
    case reference = "ref"
    case chart = "chart"
    case root = "root"
    /// Reports of bookings and trades.
    case clientServices = "cs"
    /// Values and returns of past days.
    case history = "hist"
    /// The event notification service.
    case events = "ens"
    /// Texts that users must accept.
    case disclaimers = "dm"

    /// The windows against which every call to the group counts.
    ///
    /// The limit of 10,000,000 a day is that of the application for all its users, so it is not a window of
    /// one user.
    var windows: [QuotaWindow] {
        let session = QuotaWindow(rawValue, limit: 120, per: .rolling(seconds: 60))
        switch self {
        case .portfolio, .trading, .chart, .root, .clientServices, .history, .events, .disclaimers:
            return [session]
        case .reference:
            return [
                session,
                QuotaWindow(SaxoRateLimitHeaders.referenceData, limit: 60, per: .rolling(seconds: 60)),
            ]
        }
    }
}
