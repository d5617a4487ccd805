package import Brokerage
package import Upstream

/// Where Alpaca is reached, and as whom.
package struct AlpacaConfiguration: Sendable {
    package var environment: Environment
    /// The trading host, without the `/v2` of its paths.
    package var tradingURL: HTTPURL
    /// The market data host, likewise.
    package var dataURL: HTTPURL
    package var credential: AlpacaCredential
    /// Nil leaves the choice to Alpaca: all exchanges for who pays for them, else IEX.
    package var feed: AlpacaFeed?

    package init(
        environment: Environment, tradingURL: HTTPURL, dataURL: HTTPURL, credential: AlpacaCredential,
        feed: AlpacaFeed? = nil
    ) {
        self.environment = environment
        self.tradingURL = tradingURL
        self.dataURL = dataURL
        self.credential = credential
        self.feed = feed
    }

    /// Alpaca's own address for trading; nil for the sandbox, which stands elsewhere each time.
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

    /// Whether the credential would go over a network in clear: a reason to warn, or to refuse to start.
    package var exposesCredential: Bool {
        [tradingURL, dataURL].contains { !$0.isSecure && !$0.isLoopback }
    }
}
