package import Brokerage
package import Upstream

/// The addresses of Alpaca, and the credential.
package struct AlpacaConfiguration: Sendable {
    package let environment: Environment
    /// The trading host, without the `/v2` of its paths.
    package let tradingURL: HTTPURL
    /// The market data host, likewise.
    package let dataURL: HTTPURL
    /// The data stream's host, without the `/v2` of its paths, `https` for `wss`; nil for none.
    package let dataStreamURL: HTTPURL?
    package let credential: AlpacaCredential
    /// Nil for the best one of the plan: all exchanges with a paid subscription, else IEX.
    package let feed: AlpacaFeed?
    /// The limit of each of the two hosts for a credential; nil for 200, and at the data host for that of the plan.
    package let callsPerMinute: Int?
    /// The maximum of trade and quote subscriptions on the data stream, counted together; nil for that of the plan.
    package let streamSymbols: Int?
    /// The timeout for connecting to a stream and logging in together, and for the confirmation of a subscription; Alpaca
    /// itself waits ten seconds for a login.
    package let streamTimeout: Duration

    /// The limit of the free plan.
    package static let standardCallsPerMinute = 200

    /// An address that paths cannot be put behind, because it has a query.
    package struct InvalidBase: Error, Hashable, CustomStringConvertible {
        package let url: HTTPURL

        package var description: String {
            "\(url) cannot be a base address of Alpaca: paths are put behind it, so it must end before the \"?\"."
        }
    }

    package init(
        environment: Environment, tradingURL: HTTPURL, dataURL: HTTPURL, dataStreamURL: HTTPURL? = nil,
        credential: AlpacaCredential, feed: AlpacaFeed? = nil, callsPerMinute: Int? = nil,
        streamSymbols: Int? = nil, streamTimeout: Duration = .seconds(10)
    ) throws(InvalidBase) {
        for url in [tradingURL, dataURL] + [dataStreamURL].compactMap(\.self) where url.text.contains("?") {
            throw InvalidBase(url: url)
        }
        self.environment = environment
        self.tradingURL = tradingURL
        self.dataURL = dataURL
        self.dataStreamURL = dataStreamURL
        self.credential = credential
        self.feed = feed
        self.callsPerMinute = callsPerMinute
        self.streamSymbols = streamSymbols
        self.streamTimeout = streamTimeout
    }

    /// Alpaca's URL for trading; nil for the sandbox, whose URL differs in each process.
    package static func tradingURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live: HTTPURL("https://api.alpaca.markets")
        case .paper: HTTPURL("https://paper-api.alpaca.markets")
        case .sandbox: nil
        }
    }

    /// Alpaca's own address for market data, the same for live and paper; nil for the sandbox.
    package static func dataURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://data.alpaca.markets")
        case .sandbox: nil
        }
    }

    /// Alpaca's own address of the data stream, the same for live and paper; nil for the sandbox.
    package static func dataStreamURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://stream.data.alpaca.markets")
        case .sandbox: nil
        }
    }

    /// Alpaca's own authorization and token endpoints.
    package static let authorizeURL = HTTPURL("https://app.alpaca.markets/oauth/authorize")
    package static let tokenURL = HTTPURL("https://api.alpaca.markets/oauth/token")

    /// Whether the credential would go over a network in clear: a reason to warn, or to refuse to start.
    package var exposesCredential: Bool {
        [tradingURL, dataURL, dataStreamURL].compactMap(\.self).contains { !$0.isSecure && !$0.isLoopback }
    }
}

/// Which trades and quotes Alpaca's market data is made of; the raw value is Alpaca's name.
package enum AlpacaFeed: String, Sendable, CaseIterable {
    /// One exchange, IEX: free.
    case iex
    /// All American exchanges, with a paid subscription.
    case sip
    /// All American exchanges, a quarter of an hour late.
    case delayedSIP = "delayed_sip"
    /// Blue Ocean, the trading by night.
    case boats
    /// Prices by night, derived from Blue Ocean's.
    case overnight
    /// Over the counter, for broker partners.
    case otc

    /// The version in the URL of the data stream (docs.alpaca.markets/docs/real-time-stock-pricing-data).
    var streamVersion: String {
        switch self {
        case .iex, .sip, .delayedSIP, .otc: "v2"
        case .boats, .overnight: "v1beta1"
        }
    }

    /// The delay of the feed; nil if Alpaca does not specify it.
    var delayMinutes: Int? {
        switch self {
        case .iex, .sip, .boats: 0
        case .delayedSIP: 15
        case .overnight, .otc: nil
        }
    }

    /// Nil if the delay is unknown.
    var timeliness: Timeliness? { delayMinutes.map { $0 == 0 ? .realTime : .delayed } }

    /// The feed of past prices that goes with it.
    var historical: AlpacaFeed {
        switch self {
        case .iex, .sip, .boats, .otc: self
        case .delayedSIP: .sip
        case .overnight: .boats
        }
    }

    /// The minimum age of data that may be requested; nil if it depends on the credential.
    var lag: Duration? {
        switch self {
        case .delayedSIP: Self.delay
        case .iex, .sip, .boats, .overnight, .otc: nil
        }
    }

    /// The age from which on prices are free.
    static let delay = Duration.seconds(15 * 60)
}
