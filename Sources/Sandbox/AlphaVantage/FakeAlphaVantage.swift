package import Brokerage
import NIOHTTP1

/// The base URL of the fake Alpha Vantage.
package struct FakeAlphaVantageURLs: Sendable, Hashable {
    /// Replaces `https://www.alphavantage.co`.
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
    let quota = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.alphaVantage
        let authenticator = FakeAlphaVantageAuthenticator(settings: settings, quota: quota)
        let functions = SandboxRoute.Qualifier(FakeAlphaVantageFunction.allCases.map(\.rawValue)) {
            Self.function(of: $0)?.rawValue
        }
        let query = SandboxRoute(.GET, "/query", qualifier: functions) { request in
            do {
                let plan = try authenticator.admit(request[query: "apikey"], at: scriptedMarket.clock.now)
                guard let function = Self.function(of: request) else {
                    throw FakeAlphaVantageNotice.invalidCall(function: request[query: "function"] ?? "")
                }
                let call = FakeAlphaVantageCall(
                    function: function, request: request, plan: plan, view: scriptedMarket.view,
                    settings: settings)
                let document = try call.document()
                if request[query: "datatype"] == "csv", let csv = FakeAlphaVantageCSV(document, of: function)
                {
                    return .text(csv.text, type: "application/x-download", status: .ok)
                }
                return .json(document)
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
    /// Returns the document of the call; throws the notice that replaces it.
    fileprivate func document() throws -> JSONDocument {
        let isIncluded =
            function == .bulkQuotes
            ? plan.entitlements.contains("realtime") || settings.keysWithoutBulkQuotesGetSamples
            : plan != .free
        guard isIncluded || !settings.premiumFunctions.contains(function.rawValue) else {
            throw FakeAlphaVantageNotice.premiumEndpoint
        }
        switch function {
        case .globalQuote:
            try checkEntitlement()
            return try FakeAlphaVantageQuotes(call: self).globalQuote()
        case .bulkQuotes: return try FakeAlphaVantageQuotes(call: self).bulk()
        case .search: return try search()
        case .intraday:
            try checkEntitlement()
            return try FakeAlphaVantageIntraday(self).document()
        case .daily, .weekly, .monthly: return try FakeAlphaVantageSeries(self).document()
        case .overview: return try overview()
        case .dividends: return try dividends()
        case .splits: return try splits()
        }
    }

    /// Throws the notice if the plan does not include the prices of the parameter `entitlement`.
    private func checkEntitlement() throws(FakeAlphaVantageNotice) {
        guard let entitlement = self["entitlement"], !plan.entitlements.contains(entitlement) else { return }
        throw .notEntitled(entitlement)
    }
}

/// The settings of the fake Alpha Vantage.
///
/// They cover behaviour that depends on the plan or the year, or is known from reports only.
package struct FakeAlphaVantageSettings: Sendable {
    /// The issued keys, with the plan of each.
    package var keys: [String: Plan] = [
        demoKey: .free, secondKey: .free, premiumKey: .realTime, delayedKey: .delayed, endOfDayKey: .endOfDay,
    ]
    /// True if an unknown key counts as a free one.
    package var acceptsAnyKey = true
    /// True if a missing key is reported as an error, not as information.
    package var missingKeyMember = NoticeMember.errorMessage

    /// Calls of a free key per day; nil for no limit.
    package var requestsPerDay: Int? = 25
    /// The time zone whose midnight ends a day.
    package var dayEnds = Midnight.newYork
    /// True if the daily limit notice contains the key.
    package var dailyNoticeEchoesKey = true
    /// Calls of a free key per minute, as from 2018 to 2023 (5 then); nil for no limit.
    package var requestsPerMinute: Int?
    /// The minimum time between two calls of a free key; nil for none.
    package var burstInterval: Duration? = .seconds(1)
    /// Calls of a key of a premium plan per minute.
    package var premiumRequestsPerMinute = 75

    /// Functions that are not available for free keys.
    package var premiumFunctions: Set<String> = ["REALTIME_BULK_QUOTES"]
    /// True if keys without bulk quotes get sample data of them instead of a notice.
    package var keysWithoutBulkQuotesGetSamples = false
    /// True if `outputsize=full` is restricted to premium keys.
    package var fullOutputIsPremium = true
    /// The first day of every series.
    package var historyBegins = CalendarDate(year: 1999, month: 11, day: 1) ?? .earliest
    /// True if class shares are found with a dot as well, `BRK.B`; the response has the dash.
    package var acceptsDottedSymbols = true
    /// The text of a missing number: `None` or `-`.
    package var missingNumber = "None"
    /// The time zone of New York in a search result, in summer and winter.
    package var searchTimeZone = "UTC-04"
    /// The time zone of London in a search result, in summer and winter.
    package var londonSearchTimeZone = "UTC+01"

    package init() {}

    /// A plan; all but the free one are premium plans.
    package enum Plan: Sendable, Hashable {
        case free
        /// Without American prices of the running day, such as before its owner has accepted the terms of the exchanges.
        case endOfDay
        /// With American prices that are 15 minutes late.
        case delayed
        /// With real-time American prices, and bulk quotes.
        case realTime

        /// The values of the parameter `entitlement` that are accepted.
        var entitlements: Set<String> {
            switch self {
            case .free, .endOfDay: []
            case .delayed: ["delayed"]
            case .realTime: ["delayed", "realtime"]
            }
        }
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

    /// The key of the demonstration user.
    package static let demoKey = "SANDBOXDEMO00001"
    /// A second free key, for tests of separate quotas.
    package static let secondKey = "SANDBOXSECOND002"
    /// A key of a premium plan with real-time prices.
    package static let premiumKey = "SANDBOXPREMIUM03"
    package static let delayedKey = "SANDBOXDELAYED04"
    package static let endOfDayKey = "SANDBOXENDOFDAY5"
}

/// Checks keys and limits.
struct FakeAlphaVantageAuthenticator: Sendable {
    let settings: FakeAlphaVantageSettings
    let quota: CallQuota

    /// Accepts one call and counts it against the limits of its key; throws the notice otherwise.
    func admit(_ key: String?, at now: Instant) throws(FakeAlphaVantageNotice)
        -> FakeAlphaVantageSettings.Plan
    {
        guard let key, !key.isEmpty else { throw .missingKey(settings.missingKeyMember) }
        guard key != "demo" else { throw .demoKey }
        guard let plan = settings.keys[key] ?? (settings.acceptsAnyKey ? .free : nil) else {
            throw .missingKey(settings.missingKeyMember)
        }
        let isFree = plan == .free
        let rejection = quota.consume(
            for: key, at: now, windows: windows(of: plan), interval: isFree ? settings.burstInterval : nil)
        switch rejection {
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
        case .endOfDay, .delayed, .realTime:
            return [.init(period: .minute, limit: settings.premiumRequestsPerMinute)]
        case .free:
            let day: CallQuota.Window.Period = settings.dayEnds == .newYork ? .dayInNewYork : .dayInUTC
            return [
                settings.requestsPerDay.map { .init(period: day, limit: $0) },
                settings.requestsPerMinute.map { .init(period: .minute, limit: $0) },
            ].compactMap { $0 }
        }
    }
}
