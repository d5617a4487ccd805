package import Brokerage
package import Upstream

/// Yahoo's current endpoints.
///
/// A cookie and a crumb are fetched once for all waiting calls, and renewed after an hour and when Yahoo rejects them.
/// Requests have Portico's own `User-Agent`; if Yahoo refuses a crumb for it, prices and instruments are read from charts,
/// which need none. Every call fails only with ``Upstream/ProviderFailure``, and ends by its deadline.
package struct YahooClient: Sendable {
    package let configuration: YahooConfiguration
    package let symbolMapping = YahooSymbols()
    let clock: TimeSource
    let recentEntries = YahooRecentEntries()
    let shortHistories = YahooShortHistories()
    private let open: ProviderHTTPClient
    private let crumbed: ProviderHTTPClient
    private let cookies: ProviderHTTPClient
    private let crumbReads: ProviderHTTPClient
    private let crumbs: ReadCache<SingleValueQuery, YahooCrumb>
    /// Dividends and splits are in one response.
    package let actions: ReadCache<Symbol, CorporateActionHistory>

    /// The time for which no further crumb is requested after Yahoo has refused one.
    private static var refusalLifetime: Duration { .seconds(600) }

    /// The most memory that dividends and splits take, in bytes.
    package static let actionsLimit = 512 << 10

    /// - Parameters:
    ///   - configuration: Yahoo's address.
    ///   - channel: Sends the calls, and has their quota.
    package init(_ configuration: YahooConfiguration, over channel: ProviderChannel) {
        self.configuration = configuration
        clock = channel.clock
        open = channel.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(yahoo: response, now: now) })
        crumbed = channel.client(
            within: configuration.windows,
            failure: { response, now in
                // It is read, to fetch another crumb.
                YahooErrorBody.isStaleCrumb(response)
                    ? nil : ProviderFailure.Cause(yahoo: response, now: now)
            })
        cookies = channel.client(
            within: configuration.windows,
            failure: { response, now in
                // The page that sets the cookie is a 404.
                YahooCrumb.cookie(of: response) == nil
                    ? ProviderFailure.Cause(cookiePage: response, now: now) : nil
            })
        crumbReads = channel.client(
            within: configuration.windows,
            failure: { response, now in
                let cause = ProviderFailure.Cause(yahoo: response, now: now)
                // A client without a browser's name was reported to get a 429 for each request for a crumb: it does not
                // mean that other calls are throttled.
                if case .rateLimited? = cause { return ProviderFailure.Cause.notEntitled }
                return cause
            })
        crumbs = ReadCache(
            "crumb", CacheBounds(entries: 1, bytes: 64 << 10),
            freshness: .fixed(.seconds(3_600), negativeTTL: Self.refusalLifetime), time: channel.clock)
        actions = ReadCache(
            "corporate actions", CacheBounds(entries: 1_000, bytes: Self.actionsLimit),
            freshness: .fixed(.seconds(300)), weight: \.weight, time: channel.clock)
    }

    /// Reads an address without a crumb.
    func get<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let request = try request(address(configuration.base.url), in: context)
        return try await open.call(operation, request, in: context) { response throws(JSONError) in
            try JSONReader.read(response.body, read)
        }
    }

    /// Reads an address that needs a cookie and a crumb; once more with a new crumb if Yahoo rejects it.
    ///
    /// - Throws: `notEntitled` if Yahoo returns no crumb, or refuses the new one too.
    func getWithCrumb<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let crumb = try await crumb(in: context)
        if let value = try await get(operation, address, with: crumb, in: context, read: read) {
            return value
        }
        invalidate(crumb)
        let fresh = try await self.crumb(in: context)
        guard let value = try await get(operation, address, with: fresh, in: context, read: read) else {
            invalidate(fresh)
            crumbs.storeUnknown(SingleValueQuery(), in: .shared(.yahoo))
            throw ProviderFailure(.yahoo, .notEntitled)
        }
        return value
    }

    /// Nil where Yahoo refuses the crumb.
    private func get<Value>(
        _ operation: String, _ address: (HTTPURL) -> HTTPURL?, with crumb: YahooCrumb,
        in context: CallContext,
        read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value? {
        let url = address(configuration.base.url)?.appending(query: [("crumb", crumb.crumb)])
        var request = try request(url, in: context)
        request.headers.add("Cookie", crumb.cookie)
        return try await crumbed.call(operation, request, in: context) {
            response throws(JSONError) -> Value? in
            YahooErrorBody.isStaleCrumb(response) ? nil : try JSONReader.read(response.body, read)
        }
    }

    private func request(_ url: HTTPURL?, in context: CallContext) throws(ProviderFailure)
        -> HTTPClientRequest
    {
        guard let url else { throw ProviderFailure(.yahoo, transport: .badURL) }
        return HTTPClientRequest(.get, url, deadline: context.deadline)
    }

    /// The ticker of an instrument at Yahoo.
    ///
    /// - Throws: `notFound` for one that it cannot have.
    func providerSymbol(for symbol: Symbol) throws(ProviderFailure) -> String {
        guard let spelling = symbolMapping.providerSymbol(for: symbol) else {
            throw ProviderFailure(.yahoo, .notFound)
        }
        return spelling
    }

    // MARK: Cookie and crumb

    private func crumb(in context: CallContext) async throws(ProviderFailure) -> YahooCrumb {
        do throws(ProviderFailure) {
            return try await crumbs.read(SingleValueQuery(), in: .shared(.yahoo), for: context) {
                context throws(ProviderFailure) in
                try await fetchCrumb(in: context)
            }
        } catch {
            throw error.cause == .notFound ? ProviderFailure(.yahoo, .notEntitled) : error
        }
    }

    /// Only the rejected one: another call may have fetched a new one in the meantime.
    private func invalidate(_ crumb: YahooCrumb) {
        guard crumbs.cached(SingleValueQuery(), in: .shared(.yahoo)) == crumb else { return }
        crumbs.invalidate(SingleValueQuery(), in: .shared(.yahoo))
    }

    /// - Throws: `notFound`, which is stored, if Yahoo refuses.
    private func fetchCrumb(in context: CallContext) async throws(ProviderFailure) -> YahooCrumb {
        do throws(ProviderFailure) {
            let page = try request(configuration.cookiePage.url, in: context)
            let cookie = try await cookies.call("cookie", page, in: context) { YahooCrumb.cookie(of: $0) }
            var request = try request(
                configuration.base.url.appending(path: "v1", "test", "getcrumb"), in: context)
            if let cookie, request.headers.add("Cookie", cookie) {
                let crumb = try await crumbReads.call("crumb", request, in: context) {
                    YahooCrumb.crumb(of: $0.body)
                }
                // An error text must not be stored as a crumb.
                if let crumb { return YahooCrumb(cookie: cookie, crumb: crumb) }
            }
        } catch {
            switch error.cause {
            case .notEntitled, .rateLimited, .notFound: break
            default: throw error
            }
        }
        throw ProviderFailure(.yahoo, .notFound)
    }
}

extension ProviderFailure.Cause {
    /// Classifies a page that set no cookie: in Europe, Yahoo requires consent in a form, which a program
    /// must not give.
    init(cookiePage response: HTTPClientResponse, now: Instant) {
        switch response.status {
        case 429, 500...: self = ProviderFailure.Cause(yahoo: response, now: now) ?? .unavailable
        default: self = .notEntitled
        }
    }
}

/// A cookie and its crumb: some endpoints require them, but they identify no user.
package struct YahooCrumb: Hashable {
    let cookie: String
    let crumb: String

    package init(cookie: String, crumb: String) {
        (self.cookie, self.crumb) = (cookie, crumb)
    }

    /// The name-value pairs of the cookies that a response sets, in the form of a request; nil if there are
    /// none.
    static func cookie(of response: HTTPClientResponse) -> String? {
        let pairs = response.all("Set-Cookie").compactMap { line in
            line.split(separator: ";", maxSplits: 1).first.map(String.init)
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    /// The crumb in a body; nil for a body that is not a crumb: Yahoo returns errors as plain text or HTML.
    static func crumb(of body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        let isCrumb = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "./_-\\".utf8.contains(byte)
            }
        }
        guard isCrumb, (5...32).contains(text.utf8.count), !errorTexts.contains(text.lowercased()) else {
            return nil
        }
        return text
    }

    /// Errors of one word have the form of a crumb.
    private static let errorTexts: Set<String> = ["unauthorized", "forbidden", "error", "null", "undefined"]
}

extension YahooCrumb: CustomStringConvertible, CustomReflectable {
    package var description: String { "Yahoo crumb \(Redaction.placeholder)" }

    package var customMirror: Mirror { Mirror(self, children: ["crumb": Redaction.placeholder]) }
}
