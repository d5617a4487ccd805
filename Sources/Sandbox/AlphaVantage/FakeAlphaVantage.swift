package import Brokerage
import NIOHTTP1

/// Where the stand-in for Alpha Vantage is reached.
package struct FakeAlphaVantageURLs: Sendable, Hashable {
    /// Stands for `https://www.alphavantage.co`.
    package let baseURL: String

    init(under base: String) {
        baseURL = "\(base)/\(FakeAlphaVantage.prefix)"
    }
}

/// Alpha Vantage's one endpoint, `GET /query`.
///
/// Calls are counted and faults are addressed by function: `GET /query GLOBAL_QUOTE`.
struct FakeAlphaVantage {
    static let prefix = "alpha-vantage"

    let fakeHost: FakeHost
    let budget = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.alphaVantage
        let gate = FakeAlphaVantageAuthenticator(settings: settings, budget: budget)
        let functions = SandboxRoute.Qualifier(FakeAlphaVantageFunction.allCases.map(\.rawValue)) {
            Self.function(of: $0)?.rawValue
        }
        let query = SandboxRoute(.GET, "/query", qualifier: functions) { request in
            do {
                let plan = try gate.admit(request[query: "apikey"], at: scriptedMarket.clock.now)
                guard let function = Self.function(of: request) else {
                    throw FakeAlphaVantageNotice.invalidCall(function: request[query: "function"] ?? "")
                }
                let call = FakeAlphaVantageCall(
                    function: function, request: request, plan: plan, view: scriptedMarket.view,
                    settings: settings)
                return .json(try call.document())
            } catch let notice as FakeAlphaVantageNotice {
                return SandboxResponse(notice)
            }
        }
        fakeHost = FakeHost(
            provider: .alphaVantage, prefix: Self.prefix, routes: [query],
            failures: FakeHost.Failures(
                unknownPath: .alphaVantage(status: 404, settings),
                methodNotAllowed: .alphaVantage(status: 405, settings),
                expiredToken: SandboxResponse(.missingKey(settings.missingKeyMember)),
                status: { .alphaVantage(status: $0, settings) }))
    }

    private static func function(of request: SandboxRequest) -> FakeAlphaVantageFunction? {
        request[query: "function"].flatMap(FakeAlphaVantageFunction.init)
    }
}

extension FakeAlphaVantageCall {
    /// The document that answers the call; throws the notice that stands in its place.
    fileprivate func document() throws -> JSONDocument {
        let samples = function == .bulkQuotes && settings.freeKeysGetSampleQuotes
        guard plan == .premium || samples || !settings.premiumFunctions.contains(function.rawValue) else {
            throw FakeAlphaVantageNotice.premiumEndpoint
        }
        switch function {
        case .globalQuote: return try FakeAlphaVantageQuotes(call: self).globalQuote()
        case .bulkQuotes: return try FakeAlphaVantageQuotes(call: self).bulk()
        case .search: return try search()
        case .intraday: return try FakeAlphaVantageIntraday(self).document()
        case .daily, .weekly, .monthly: return try FakeAlphaVantageSeries(self).document()
        case .overview: return try overview()
        }
    }
}

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

/// Who may ask, and how often.
struct FakeAlphaVantageAuthenticator: Sendable {
    let settings: FakeAlphaVantageSettings
    let budget: CallQuota

    /// Lets one call in, and takes it from its key's budget; throws what is said instead.
    func admit(_ key: String?, at now: Instant) throws(FakeAlphaVantageNotice)
        -> FakeAlphaVantageSettings.Plan
    {
        guard let key, !key.isEmpty else { throw .missingKey(settings.missingKeyMember) }
        guard key != "demo" else { throw .demoKey }
        guard let plan = settings.keys[key] ?? (settings.acceptsAnyKey ? .free : nil) else {
            throw .missingKey(settings.missingKeyMember)
        }
        let isFree = plan == .free
        let refusal = budget.consume(
            for: key, at: now, windows: windows(of: plan), interval: isFree ? settings.burstInterval : nil)
        switch refusal {
        case nil: return plan
        case .tooSoon: throw .tooSoon(perDay: settings.requestsPerDay ?? 25)
        case .exhausted(let window):
            switch window.period {
            case .minute: throw .minuteIsUsedUp(limit: window.limit, perDay: settings.requestsPerDay ?? 500)
            case .dayInNewYork, .dayInUTC:
                throw .dayIsUsedUp(limit: window.limit, key: settings.dailyNoticeEchoesKey ? key : nil)
            }
        }
    }

    private func windows(of plan: FakeAlphaVantageSettings.Plan) -> [CallQuota.Window] {
        switch plan {
        case .premium: return [.init(period: .minute, limit: settings.premiumRequestsPerMinute)]
        case .free:
            let day: CallQuota.Window.Period = settings.dayEnds == .newYork ? .dayInNewYork : .dayInUTC
            return [
                settings.requestsPerDay.map { .init(period: day, limit: $0) },
                settings.requestsPerMinute.map { .init(period: .minute, limit: $0) },
            ].compactMap { $0 }
        }
    }
}
