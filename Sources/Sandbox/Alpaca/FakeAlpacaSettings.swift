/// How the stand-in for Alpaca behaves where Alpaca's own behaviour depends on the plan, or is known from
/// reports only (marked [C] in the fact sheet).
package struct FakeAlpacaSettings: Sendable {
    /// Which of Alpaca's trading hosts it is; keys of the other are refused.
    package var environment: Environment = .paper
    /// Requests a minute and credential on the trading host.
    package var tradingRequestsPerMinute = 200
    /// Requests a minute and credential on the data host.
    package var dataRequestsPerMinute = 200
    /// Whether quantity, value and cost of a short position are below zero, or only its side tells.
    package var shortsAreNegative = true
    /// The message of a 401.
    package var unauthorizedMessage = "request is not authorized"
    /// Whether today's point of a daily history is there before the market closes.
    package var historyIncludesToday = true
    /// The most shares of an order that the market takes in one second; nil for any number.
    package var sharesPerSecond: Int?
    /// The message of a 422 for a watchlist whose name another has.
    package var duplicateWatchlistMessage = "watchlist name must be unique"
    /// Symbols that are listed and may not be traded.
    package var untradable: Set<String> = []
    /// How long ago history from the consolidated tape (SIP) must lie; nil with a plan that has it at once.
    package var recentSIPDelay: Duration?
    /// How many data streams a user may have open at once.
    package var dataStreamsPerUser = 1
    /// How many symbols of trades and quotes a data stream may carry; nil for any, 30 on the free plan.
    package var streamedSymbolLimit: Int?
    /// Whether a data stream takes an OAuth token, as the secret of the key `oauth`.
    package var dataStreamAcceptsTokens = false
    /// The applications that may ask users for access, by OAuth.
    package var applications: [OAuthApplication] = [.sandbox]

    package enum Environment: String, Sendable, Hashable {
        case live
        case paper
    }

    package init() {}
}
