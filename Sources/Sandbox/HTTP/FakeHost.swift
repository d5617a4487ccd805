package import Brokerage

/// One host of one provider, standing under a prefix of its own.
package struct FakeHost: Sendable {
    package let provider: ProviderID
    /// The first segment of every path: `alpaca-data`.
    package let prefix: String
    package let routes: [SandboxRoute]
    package let streams: [StreamRoute]
    package let failures: Failures

    package init(
        provider: ProviderID, prefix: String, routes: [SandboxRoute], streams: [StreamRoute] = [],
        failures: Failures
    ) {
        self.provider = provider
        self.prefix = prefix
        self.routes = routes
        self.streams = streams
        self.failures = failures
    }

    /// How a host answers what is not up to a route.
    package struct Failures: Sendable {
        package let unknownPath: SandboxResponse
        package let methodNotAllowed: SandboxResponse
        package let expiredToken: SandboxResponse
        /// The provider's body for a status that a script demands, 429 or 5xx mostly.
        package let status: @Sendable (Int) -> SandboxResponse
    }
}

extension ProviderID {
    /// The name in control documents: `alpha_vantage`.
    var controlName: String { rawValue.lowercased() }

    init?(controlName: String) {
        guard let provider = Self.allCases.first(where: { $0.controlName == controlName }) else { return nil }
        self = provider
    }
}
