import Brokerage
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
