import Brokerage
import Foundation
import Polygon
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

/// The time that the clients under test read off the wall: a Saturday.
let wallTime = Instant(nanosecondsSince1970: 1_795_262_400_000_000_000)

let secretKey = "a-key-that-nobody-may-see"

/// An example out of `Tests/Golden/providers/polygon`.
func example(_ name: String) throws -> String {
    try String(contentsOf: Golden.url("providers/polygon/\(name).json"), encoding: .utf8)
}

/// Runs `body` with a client of a server that gives the answers written down.
func withPolygon(
    windows: [QuotaWindow] = PolygonConfiguration.freePlan, retry: RetryPolicy = .once,
    clock: TimeSource = .showing(wallTime),
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    _ body: (PolygonClient, CannedServer) async throws -> Void
) async throws {
    try await CannedServer.run(answering: answer) { server, transport in
        let configuration = try PolygonConfiguration(
            base: ProviderBaseURL(#require(HTTPURL(server.url + "/polygon"))), key: APIKey(secretKey),
            windows: windows)
        let channel = ProviderChannel(
            QuotaAccount(.polygon), over: transport, clock: clock, retry: retry)
        try await body(PolygonClient(configuration, over: channel), server)
    }
}
