package import Brokerage

/// How the stand-in for Alpha Vantage behaves where that depends on the plan or the year, or is known from
/// reports only (marked [C] in the fact sheet).
package struct FakeAlphaVantageSettings: Sendable {
    /// Keys that have been given out, and what was paid for each.
    package var keys: [String: Plan] = [demoKey: .free, secondKey: .free, premiumKey: .premium]
    /// Whether a key that was never given out is as good as a free one.
    package var acceptsAnyKey = true
    /// Whether the complaint about a missing key is an error or a piece of information.
    package var missingKeyMember = NoticeMember.errorMessage

    /// Calls of a free key each day; nil for no limit.
    package var requestsPerDay: Int? = 25
    /// Where a day ends.
    package var dayEnds = Midnight.newYork
    /// Whether the notice at the day's limit shows the key.
    package var dailyNoticeEchoesKey = true
    /// Calls of a free key each minute, as from 2018 to 2023 (5 then); nil for no limit.
    package var requestsPerMinute: Int?
    /// The least time between two calls of a free key; nil for none.
    package var burstInterval: Duration? = .seconds(1)
    /// Calls of a premium key each minute.
    package var premiumRequestsPerMinute = 75

    /// Functions that free keys are refused.
    package var premiumFunctions: Set<String> = ["REALTIME_BULK_QUOTES"]
    /// Whether free keys get sample data of a premium function of quotes instead of a refusal.
    package var freeKeysGetSampleQuotes = false
    /// Whether `outputsize=full` is for premium keys only.
    package var fullOutputIsPremium = true
    /// The first day of every series.
    package var historyBegins = CalendarDate(year: 1999, month: 11, day: 1) ?? .earliest
    /// Whether class shares are found with a dot as well, `BRK.B`; the answer has the dash.
    package var acceptsDottedSymbols = true
    /// What stands for a number that there is not: `None` or `-`.
    package var missingNumber = "None"
    /// The time zone of New York as a search tells it, summer and winter.
    package var searchTimeZone = "UTC-04"
    /// That of London, likewise.
    package var londonSearchTimeZone = "UTC+01"

    package init() {}

    package enum Plan: Sendable, Hashable {
        case free
        case premium
    }

    package enum NoticeMember: String, Sendable, Hashable {
        case note = "Note"
        case information = "Information"
        case errorMessage = "Error Message"
    }

    package enum Midnight: Sendable, Hashable {
        case newYork
        case utc
    }

    /// The demonstration's key.
    package static let demoKey = "SANDBOXDEMO00001"
    /// Another free key, so that tests can tell whose budget is used up.
    package static let secondKey = "SANDBOXSECOND002"
    package static let premiumKey = "SANDBOXPREMIUM03"
}
