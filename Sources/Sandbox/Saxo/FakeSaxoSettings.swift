/// How the stand-in for Saxo behaves where Saxo's own behaviour depends on the app or the account, or is known
/// from reports only (marked [B] or [C] in the fact sheet).
package struct FakeSaxoSettings: Sendable {
    /// The app that asks for tokens.
    package var application = OAuthApplication(
        clientID: "sandbox-saxo-app", clientSecret: "sandbox-saxo-secret")
    /// An app that has no secret, and proves itself by code challenges (PKCE).
    package var nativeApplication = OAuthApplication(clientID: "sandbox-saxo-native", clientSecret: nil)
    /// What a refresh token does that comes a second time; Saxo does not say.
    package var refreshReuse = RefreshReuse.rejectsToken
    /// How long an access token is valid.
    package var accessTokenLifetime: Duration = .seconds(20 * 60)
    /// How long a refresh token is valid, once used or not.
    package var refreshTokenLifetime: Duration = .seconds(60 * 60)
    /// How long the access token of a ``SandboxUser`` is valid from the sandbox's start; nil for ever.
    ///
    /// It stands for the token of the developers' portal, so that a client can be tried without a login.
    package var developerTokenLifetime: Duration?
    /// The status of a token that is given.
    package var tokenStatus = 201

    /// Requests a minute, session and service group.
    package var requestsPerMinute = 120
    /// Orders a second and session; nil for as many as come.
    package var ordersPerSecond: Int? = 1
    /// How long an identical order counts as a duplicate.
    package var duplicateOrderWindow: Duration = .seconds(15)
    /// The code in the body of a 409 for such an order.
    package var duplicateOrderErrorCode = "DuplicateRequest"
    /// Whether an order that is refused for what it wants is answered 200 with ErrorInfo, or 400.
    package var rejectsOrdersWithOK = true
    /// Whether an order must say if a human placed it.
    package var requiresManualOrder = true

    /// Whether prices of exchanges are told, as to an account with data subscriptions.
    package var includesExchangePrices = true
    /// By how many minutes prices of exchanges are late.
    package var exchangeDelayInMinutes = 0
    /// The most instruments of one list of prices.
    package var priceListMaximum = 100
    /// The most candles of one chart.
    package var chartMaximum = 1_200
    /// The most items of one page, and their number where `$top` is not given.
    package var pageMaximum = 1_000
    package var pageDefault = 100
    /// Whether an empty portfolio is answered 204 instead of an empty page.
    package var emptyPortfolioHasNoContent = false
    /// Whether `__next` is a whole URL, or a path on the host.
    package var nextLinksAreAbsolute = true
    /// Whether small numbers are written with an exponent: `5E-05`.
    package var writesExponents = true

    /// The shortest `RefreshRate` that is granted, in milliseconds.
    package var minimumRefreshRate = 1_000
    /// Within how many seconds something must arrive for every subscription.
    package var inactivityTimeout = 30
    /// After how many seconds without news a heartbeat comes for a subscription.
    package var heartbeatInterval = 10
    /// The status of a subscription that was deleted: 202 or 204.
    package var unsubscribeStatus = 202
    /// The most messages of a context that can be replayed to a client that reconnects.
    package var replayMaximum = 1_000
    /// The status that refuses a stream for a context that is connected already.
    package var contextInUseStatus = 409

    /// Whether the endpoints of older deployments are offered: `trade/v1/orders`, `ref/v1/watchlists`,
    /// `chart/v1`, and a list of `Uics` in `prices/subscriptions`.
    package var servesOldEndpoints = false

    package init() {}
}
