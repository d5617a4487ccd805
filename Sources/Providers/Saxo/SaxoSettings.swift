package import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Saxo.
package struct SaxoSettings: SettingGroup {
    package let title = "Saxo"
    package let introduction: String? =
        "The server's own account, and the OAuth application with which users connect. Without an application, users connect with their own tokens."

    let environment = Setting(
        "saxo-environment",
        .choice([("sim", .paper), ("live", Environment.live)], aliases: [("paper", .paper)]), default: .paper,
        "The environment of the account.")
    let token = SecretSetting(
        "saxo-token", "An access token, such as the 24-hour token of Saxo's developer portal.")
    let baseURL = Setting(
        "saxo-base-url", .url, unset: "the provider's URL of the environment", "The URL of the OpenAPI.")
    let streamingURL = Setting(
        "saxo-streaming-url", .url,
        unset: "the provider's URL; none with another OpenAPI, so that prices are polled",
        "The URL of the stream of prices and orders, with https for wss and http for ws.")
    let takesRealTimePrices = Setting(
        "saxo-real-time-prices", .boolean, default: false,
        "Whether the server's own account takes the real-time prices of its user's other sessions at Saxo, which then get delayed prices, or are logged out."
    )
    package let appKey = Setting(
        "saxo-app-key", .text("a key from the provider"),
        "The key of Portico's OAuth application, with which users connect.")
    let appSecret = SecretSetting(
        "saxo-app-secret",
        "The secret of the OAuth application; without a secret, it is a native application (PKCE).")
    let loginURL = Setting(
        "saxo-login-url", .url, unset: "the provider's URL of the environment",
        "The URL to which the paths `authorize` and `token` are appended.")

    package init() {}

    /// The server's own account.
    ///
    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - forced: The environment of all providers; nil for the setting's.
    /// - Returns: The configuration and the access token; nil if no account is set.
    /// - Throws: `UsageError` for invalid or incomplete settings.
    package func account(
        _ values: SettingValues, in forced: Environment?
    ) throws(UsageError) -> (configuration: SaxoConfiguration, token: SaxoToken)? {
        // An application with which users connect is no account.
        guard !values.names(in: self).isEmpty, values.isSet(token) || !values.isSet(appKey) else {
            return nil
        }
        let configuration = try configuration(values, in: forced)
        guard let secret = try values[token] else {
            throw values.incomplete(
                self,
                needs: [token.value, token.file, appKey].map(\.variable).joined(separator: " or "))
        }
        guard !configuration.exposesCredential else {
            throw UsageError(
                """
                \(baseURL.variable) or \(streamingURL.variable) would send the token over a network in clear text; use https.
                """)
        }
        do {
            return (configuration, try SaxoToken(secret))
        } catch {
            throw UsageError("The configuration of Saxo cannot be used: \(error)")
        }
    }

    /// The URLs of Saxo.
    private func configuration(
        _ values: SettingValues, in forced: Environment?
    ) throws(UsageError) -> SaxoConfiguration {
        let named = try values[environment]
        // An account at the URL of the live environment is live, whatever the setting is.
        let isLive = try values[baseURL].map { $0 == SaxoConfiguration.restURL(of: .live) } ?? false
        let environment = isLive ? .live : named
        let own = SaxoConfiguration.restURL(of: environment)
        let restURL = try values.url(baseURL, otherwise: own)
        let stream =
            try values[streamingURL]
            ?? (restURL == own ? SaxoConfiguration.streamingURL(of: environment) : nil)
        do {
            return try SaxoConfiguration(
                environment: forced ?? environment, restURL: restURL, streamingURL: stream)
        } catch {
            throw UsageError("The configuration of Saxo cannot be used: \(error)")
        }
    }

    /// The URLs for users who connect, all of them secure or loopback addresses.
    package func connecting(
        _ values: SettingValues, in forced: Environment?
    ) throws(UsageError) -> SaxoConfiguration {
        for setting in [baseURL, streamingURL] { _ = try values.secureURL(setting, for: "token") }
        return try configuration(values, in: forced)
    }

    /// Portico's OAuth application at Saxo.
    package struct Application: Sendable {
        package let key: String
        /// Nil for a native application, which proves itself with a code challenge (PKCE).
        package let secret: String?
        package let loginURL: HTTPURL
    }

    /// The OAuth application with which users connect; nil if none is set.
    package func application(_ values: SettingValues) throws(UsageError) -> Application? {
        let secret = try values[appSecret]
        guard let key = try values[appKey] else {
            guard secret == nil else {
                throw UsageError("Saxo's application needs \(appKey.variable) together with its secret.")
            }
            return nil
        }
        let own = SaxoConfiguration.loginURL(of: try values[environment])
        _ = try values.secureURL(loginURL, for: "token")
        return Application(key: key, secret: secret, loginURL: try values.url(loginURL, otherwise: own))
    }
}
