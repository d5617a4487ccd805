/// How the stand-in for Alpaca behaves where Alpaca's own behaviour depends on the plan, or is known from
/// reports only (marked [C] in the fact sheet).
package struct AlpacaSettings: Sendable {
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

    /// The applications that may ask users for access, by OAuth.
    package var applications: [OAuthApplication] = [.sandbox]

    package enum Environment: String, Sendable, Hashable {
        case live
        case paper
    }

    package init() {}
}
