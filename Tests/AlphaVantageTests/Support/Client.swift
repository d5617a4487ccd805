import AlphaVantage
import Brokerage
import Foundation
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

/// The time that the clients under test read off the wall: a Saturday.
let wallTime = Instant(nanosecondsSince1970: 1_795_262_400_000_000_000)

let secretKey = "A-KEY-THAT-NOBODY-MAY-SEE"

/// An example out of `Tests/Golden/providers/alphavantage`.
func example(_ name: String) throws -> String {
    try String(contentsOf: Golden.url("providers/alphavantage/\(name).json"), encoding: .utf8)
}

/// Runs `body` with a client of a server that gives the answers written down.
func withAlphaVantage(
    _ plan: AlphaVantagePlan = .free, entitlement: AlphaVantageEntitlement? = nil, retry: RetryPolicy = .once,
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    _ body: (AlphaVantageClient, CannedServer) async throws -> Void
) async throws {
    try await CannedServer.run(answering: answer) { server, transport in
        let configuration = try AlphaVantageConfiguration(
            base: ProviderBaseURL(#require(HTTPURL(server.url + "/av"))), key: APIKey(secretKey), plan: plan,
            entitlement: entitlement)
        let channel = ProviderChannel(
            QuotaAccount(.alphaVantage), over: transport, clock: .showing(wallTime), retry: retry)
        try await body(AlphaVantageClient(configuration, over: channel), server)
    }
}

/// Answers each function with a body of its own, and all others with an empty object.
func functions(
    _ bodies: [String: String]
) -> @Sendable (CannedServer.Request, Int) -> CannedServer.Reply {
    { request, _ in
        let name = bodies.keys.first { request.target.contains("function=\($0)&") }
        return .text(name.flatMap { bodies[$0] } ?? "{}")
    }
}
