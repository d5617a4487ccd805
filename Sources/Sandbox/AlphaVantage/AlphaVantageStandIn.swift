import Brokerage
import NIOHTTP1

/// Where the stand-in for Alpha Vantage is reached.
package struct AlphaVantageURLs: Sendable, Hashable {
    /// Stands for `https://www.alphavantage.co`.
    package let baseURL: String

    init(under base: String) {
        baseURL = "\(base)/\(AlphaVantageStandIn.prefix)"
    }
}

/// Alpha Vantage's one endpoint, `GET /query`.
///
/// Calls are counted and faults are addressed by function: `GET /query GLOBAL_QUOTE`.
struct AlphaVantageStandIn {
    static let prefix = "alpha-vantage"

    let standIn: StandIn
    let budget = CallBudget()

    init(_ configuration: SandboxConfiguration, stage: Stage) {
        let settings = configuration.alphaVantage
        let gate = AlphaVantageGate(settings: settings, budget: budget)
        let functions = Route.Qualifier(AlphaVantageFunction.allCases.map(\.rawValue)) {
            Self.function(of: $0)?.rawValue
        }
        let query = Route(.GET, "/query", qualifier: functions) { request in
            do {
                let plan = try gate.admit(request[query: "apikey"], at: stage.clock.now)
                guard let function = Self.function(of: request) else {
                    throw AlphaVantageNotice.invalidCall(function: request[query: "function"] ?? "")
                }
                let call = AlphaVantageCall(
                    function: function, request: request, plan: plan, view: stage.view, settings: settings)
                return .json(try call.answer())
            } catch let notice as AlphaVantageNotice {
                return Response(notice)
            }
        }
        standIn = StandIn(
            provider: .alphaVantage, prefix: Self.prefix, routes: [query],
            failures: StandIn.Failures(
                unknownPath: .alphaVantage(status: 404, settings),
                methodNotAllowed: .alphaVantage(status: 405, settings),
                expiredToken: Response(.missingKey(settings.missingKeyMember)),
                status: { .alphaVantage(status: $0, settings) }))
    }

    private static func function(of request: Request) -> AlphaVantageFunction? {
        request[query: "function"].flatMap(AlphaVantageFunction.init)
    }
}

extension AlphaVantageCall {
    /// The document that answers the call; throws the notice that stands in its place.
    fileprivate func answer() throws -> JSON {
        let samples = function == .bulkQuotes && settings.freeKeysGetSampleQuotes
        guard plan == .premium || samples || !settings.premiumFunctions.contains(function.rawValue) else {
            throw AlphaVantageNotice.premiumEndpoint
        }
        switch function {
        case .globalQuote: return try AlphaVantageQuotes(call: self).globalQuote()
        case .bulkQuotes: return try AlphaVantageQuotes(call: self).bulk()
        case .search: return try search()
        case .intraday: return try AlphaVantageIntraday(self).document()
        case .daily, .weekly, .monthly: return try AlphaVantageSeries(self).document()
        case .overview: return try overview()
        }
    }
}
