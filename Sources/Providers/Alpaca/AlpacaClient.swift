import Brokerage
package import Upstream

/// Alpaca's Trading API v2 and Market Data v2, as one user.
///
/// It is a value without state of its own: what is cached, shared and counted is so in `Upstream`. Every call fails
/// with ``Upstream/ProviderFailure`` and nothing else, and is over by the deadline that it is given.
package struct AlpacaClient: Sendable {
    let configuration: AlpacaConfiguration
    let clock: CallClock
    private let trading: ProviderCaller
    private let data: ProviderCaller
    private let headers: HTTPHeaders

    /// - Parameters:
    ///   - configuration: Where Alpaca is, and who asks.
    ///   - transport: What the calls go over.
    ///   - clock: Tells when answers were read, and paces retries.
    ///   - retry: How reads are tried again.
    ///   - noteRateLimit: Told of each answer that says how much is left; called on any task, it must be quick.
    package init(
        _ configuration: AlpacaConfiguration, over transport: Transport, clock: CallClock = .system,
        retry: RetryPolicy = RetryPolicy(), noteRateLimit: (@Sendable (AlpacaRateLimit) -> Void)? = nil
    ) {
        func caller(_ host: AlpacaHost) -> ProviderCaller {
            ProviderCaller(.alpaca, over: transport, clock: clock, retry: retry) { response, now in
                if let noteRateLimit, let limit = AlpacaRateLimit(of: host, response) { noteRateLimit(limit) }
                return ProviderFailure.Cause(alpaca: response, now: now)
            }
        }
        self.configuration = configuration
        self.clock = clock
        trading = caller(.trading)
        data = caller(.data)
        var headers = HTTPHeaders()
        headers.add("Accept", "application/json")
        configuration.credential.sign(&headers)
        self.headers = headers
    }

    /// Reads a path of one of Alpaca's hosts, trying again as the policy says.
    func get<Value>(
        _ operation: String, from host: AlpacaHost, _ address: (HTTPURL) -> HTTPURL?, in context: CallContext,
        read: (HTTPResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let (base, caller) =
            switch host {
            case .trading: (configuration.tradingURL, trading)
            case .data: (configuration.dataURL, data)
            }
        guard let url = address(base) else { throw ProviderFailure(.alpaca, transport: .badURL) }
        let request = HTTPRequest(.get, url, headers: headers, deadline: context.deadline)
        return try await caller.call(operation, request, in: context, read: read)
    }
}

/// Alpaca's hosts for calls that are over with one answer; each has a rate limit of its own.
package enum AlpacaHost: Sendable, Hashable {
    case trading
    case data
}
