package import Brokerage
package import Upstream

/// Saxo's addresses and names.
package struct SaxoConfiguration: Sendable {
    package let environment: Environment
    /// In front of the service groups: `https://gateway.saxobank.com/sim/openapi`.
    package let restURL: HTTPURL
    /// In front of `connect` and `authorize` of the stream, with `https` in place of `wss`; nil for no stream.
    package let streamingURL: HTTPURL?
    package let symbolMapping = SaxoSymbols()
    /// The instruments in one call for prices, 1 to 200.
    ///
    /// Saxo documents no maximum.
    package let pricesPerCall: Int

    /// An address that paths cannot be put behind, because it has a query.
    package struct InvalidBase: Error, Hashable, CustomStringConvertible {
        package let url: HTTPURL

        package var description: String {
            "\(url) cannot be a base address of Saxo: paths are put behind it, so it must end before the \"?\"."
        }
    }

    package init(
        environment: Environment, restURL: HTTPURL, streamingURL: HTTPURL? = nil,
        pricesPerCall: Int = 100
    ) throws(InvalidBase) {
        for url in [restURL, streamingURL] {
            if let url, url.text.contains("?") { throw InvalidBase(url: url) }
        }
        self.environment = environment
        self.restURL = restURL
        self.streamingURL = streamingURL
        self.pricesPerCall = min(max(pricesPerCall, 1), 200)
    }

    /// Saxo's address; nil for the sandbox, which has no fixed address.
    package static func restURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live: HTTPURL("https://gateway.saxobank.com/openapi")
        case .paper: HTTPURL("https://gateway.saxobank.com/sim/openapi")
        case .sandbox: nil
        }
    }

    /// Saxo's own address of the stream, likewise.
    package static func streamingURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live: HTTPURL("https://live-streaming.saxobank.com/oapi/streaming/ws")
        case .paper: HTTPURL("https://sim-streaming.saxobank.com/sim/oapi/streaming/ws")
        case .sandbox: nil
        }
    }

    /// Saxo's own URL before `authorize` and `token`; nil for the sandbox.
    package static func loginURL(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live: HTTPURL("https://live.logonvalidation.net")
        case .paper: HTTPURL("https://sim.logonvalidation.net")
        case .sandbox: nil
        }
    }

    /// Whether tokens would go over a network in clear: a reason to warn, or to refuse to start.
    package var exposesCredential: Bool {
        [restURL, streamingURL].contains { url in url.map { !$0.isSecure && !$0.isLoopback } ?? false }
    }
}
