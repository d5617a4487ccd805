package import Brokerage

/// How the stand-in for Yahoo behaves where nothing is promised: all of it is known from recordings and
/// reports (the fact sheet marks the doubtful [C]).
package struct FakeYahooSettings: Sendable {
    /// Calls of one address each minute; nil for no limit.
    ///
    /// Yahoo tells of none, and has one.
    package var requestsPerMinute: Int? = 500
    /// The body of a 429: text, no JSON.
    package var tooManyRequestsText = "Edge: Too Many Requests"
    /// Beginnings of a `User-Agent` that get a 429 at once.
    package var rejectedUserAgents: [String] = []

    /// What the endpoint of the crumb answers.
    package var crumbResponse = CrumbAnswer.crumb
    /// Whether quotes and summaries need cookie and crumb.
    package var needsCrumb = true
    /// How long a cookie and its crumb are good; nil for ever.
    package var crumbLifetime: Duration?
    /// What follows the cookie.
    ///
    /// Yahoo says `Domain=.yahoo.com; Secure` as well, which a client that keeps to
    /// RFC 6265 would not bring back to this machine.
    package var cookieAttributes = "Max-Age=31557600; Path=/; SameSite=None; HttpOnly"
    /// The description in a 401.
    package var unauthorizedDescription = "Invalid Crumb"

    /// The most symbols of one call for quotes.
    package var maximumSymbols = 100
    /// Symbols that were listed once: quotes of the type `NONE`.
    package var delisted: Set<String> = ["BRKS"]

    /// Whether prices in charts are those of binary numbers of 32 bits: `226.10000610351562`.
    package var pricesAreSinglePrecision = true
    /// One in so many bars of less than a day is null throughout; nil for none.
    package var missingBarOneIn: Int? = 50
    /// Whether a bar of the running second follows the grid of a chart of less than a day.
    package var addsLiveBar = true
    /// The status for a symbol that is not listed: 404, or 200 by some reports.
    package var unknownSymbolStatus = 404
    /// The status for a range that is not to be had: 422, or 400 by some reports.
    package var badRangeStatus = 422
    /// The first day of every chart.
    package var historyBegins = CalendarDate(year: 1990, month: 1, day: 2) ?? .earliest

    /// Whether numbers of a summary are objects of their texts unless the request says `formatted=false`.
    package var summariesAreFormatted = true
    /// Whether a search finds a company without a symbol too.
    package var searchFindsPrivateCompanies = true

    /// What became of YQL.
    package var yql = Yql.serving

    package init() {}

    package enum CrumbAnswer: Sendable, Hashable {
        case crumb
        /// The text of a refusal where the crumb should be, with that status: it must not be kept.
        case tooManyRequests(status: Int)
        /// The page that asks for consent, with a 200.
        case page
    }

    package enum Yql: Sendable, Hashable {
        /// As in the spring of 2017.
        case serving
        /// As since 2017-11-01: 403, and why.
        case discontinued
    }
}
