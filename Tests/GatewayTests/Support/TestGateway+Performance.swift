import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

extension TestGateway {
    /// The part of an answer without errors.
    func data(_ query: String, as owner: OwnerID = alice, _ backends: GatewayServices) async throws
        -> JSONValue
    {
        let answer = try await ask(query, as: owner, backends)
        try #require(answer.failures.isEmpty, "\(answer)")
        return try #require(answer["data"])
    }

    /// A response of the fake Saxo to the demo user, without Portico's client.
    func saxoResponse(_ path: [String], _ query: [(name: String, value: String?)]) async throws -> JSONValue {
        let user = try #require(SandboxUser.demo.saxo)
        var url = try #require(HTTPURL(sandbox.saxo.gatewayURL))
        for segment in path { url = try #require(url.appending(path: segment)) }
        var headers = HTTPClientHeaders()
        headers.add("Authorization", "Bearer \(user.credentials.accessToken)")
        let request = HTTPClientRequest(
            .get, try #require(url.appending(query: query)), headers: headers,
            deadline: .now + .seconds(3_600))
        let response = try await transport.send(request)
        try #require(response.status == 200, "\(response.status)")
        return try JSONValue(parsing: response.body)
    }
}

extension JSONValue {
    /// A decimal of the schema.
    var decimal: Brokerage.Decimal? { string.flatMap { Brokerage.Decimal($0) } }
}

/// The fields of a figure of a performance.
let performanceFields = """
    currency from through firstValue lastValue netDeposits
    timeWeighted {
      percentage annualizedPercentage from through method unvaluedFlowDates estimated chains
      known { percentage } undetermined { reason date symbol currency solutionPercentages } }
    grossTimeWeighted { percentage known { percentage } undetermined { reason } }
    moneyWeighted { percentage annualizedPercentage known { percentage } undetermined { reason } }
    gain { total price income taxes fees exchangeRates includesInstrumentCurrencies
      known { total } undetermined { reason date symbol currency } }
    series(points: 400) { date value netDeposits gain timeWeightedPercentage benchmarkPercentage }
    benchmark { symbol source excessPercentage
      percentage includesDividends undetermined { reason symbol } }
    unclassified usesCarriedRates rateSources asOf fetchedAt source stale
    """
