/// How the stand-in for Polygon behaves where that depends on the plan, or is known from reports only (marked
/// [C] in the fact sheet).
package struct FakePolygonSettings: Sendable {
    /// Keys that have been given out, and what was paid for each.
    package var keys: [String: Plan] = [
        demoKey: .free, secondKey: .free, delayedKey: .delayed, realtimeKey: .realtime,
    ]
    /// Calls of a free key each minute; pages of one answer are calls as well.
    package var requestsPerMinute = 5
    /// How many years back free keys may look.
    package var yearsOfHistory = 2
    /// The status for a request without a key: 401, or 400 by some reports.
    package var missingKeyStatus = 401
    /// Whether a 429 says why.
    package var tooManyRequestsHasBody = true
    /// The message for a ticker without details.
    package var tickerNotFoundMessage = "Ticker not found."
    /// Whether bars tell of trades and their average price.
    package var barsHaveTrades = true
    /// What absolute links begin with, `https://api.polygon.io:443`; nil for the address that was asked.
    package var linkBase: String?

    package init() {}

    package enum Plan: Sendable, Hashable {
        /// Days that are over, of the last years, for few calls.
        case free
        /// Everything, a quarter of an hour late.
        case delayed
        case realtime
    }

    /// The demonstration's key.
    package static let demoKey = "sandbox-polygon-demo"
    /// Another free key, so that tests can tell whose budget is used up.
    package static let secondKey = "sandbox-polygon-second"
    package static let delayedKey = "sandbox-polygon-delayed"
    package static let realtimeKey = "sandbox-polygon-realtime"
}
