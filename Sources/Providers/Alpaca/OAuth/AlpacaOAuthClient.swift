package import Upstream

/// Portico, as it is registered with Alpaca for OAuth.
///
/// It never prints its secret.
package struct AlpacaOAuthClient: Sendable, Hashable {
    package let clientID: String
    let clientSecret: String
    /// Where Alpaca sends the browser back to; it must be registered with Alpaca.
    package let redirectURL: HTTPURL

    /// A registered application.
    package init(clientID: String, clientSecret: String, redirectURL: HTTPURL) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURL = redirectURL
    }

    /// What a user may allow besides reading, which is always implied; the raw value is Alpaca's name.
    package enum Scope: String, Sendable, CaseIterable {
        /// Configuration and watchlists.
        case account = "account:write"
        case trading
        case data
    }
}

extension AlpacaOAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Alpaca application \(clientID)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["application": description]) }
}
