import Brokerage
import Foundation
import ProviderTestSupport
import Saxo
import TestSupport
import Testing
import Upstream

/// The time that the clients under test read off the wall: 2026-11-20T15:15:00Z.
let wallTime = Instant(nanosecondsSince1970: 1_795_187_700_000_000_000)

let secretToken = "a-token-that-nobody-may-see"

/// An example out of `Tests/Golden/providers/saxo`.
func goldenText(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: Golden.url("providers/saxo/\(name).json")), as: UTF8.self)
}

/// A client of a server at `url`, with a token that nobody renews.
func client(
    at url: String, over transport: HTTPClient, access: SaxoCredential? = nil,
    clock: TimeSource = .showing(wallTime),
    ledger: QuotaLedger? = nil, instrumentCache: SaxoInstrumentCache? = nil
) throws -> SaxoClient {
    let configuration = try SaxoConfiguration(
        environment: .paper, restURL: #require(HTTPURL(url + "/sim/openapi")))
    let channel = ProviderChannel(
        QuotaAccount(.saxo, credential: "c1"), over: transport, clock: clock, retry: .once, ledger: ledger)
    return SaxoClient(
        configuration, access: try access ?? .token(SaxoToken(secretToken)), over: channel,
        instrumentCache: instrumentCache ?? SaxoInstrumentCache(clock: clock))
}

/// Runs `body` with a client of a server that answers by path; what is not written down is an empty 404.
func withSaxo(
    _ bodies: [String: String], _ body: (SaxoClient, CannedServer) async throws -> Void
) async throws {
    try await withSaxo(
        answering: { request, _ in
            bodies[request.path].map { .text($0) } ?? .text("", status: 404)
        }, body)
}

/// Runs `body` with a client of a server that gives the answers written down.
func withSaxo(
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    _ body: (SaxoClient, CannedServer) async throws -> Void
) async throws {
    try await CannedServer.run(answering: answer) { server, transport in
        try await body(try client(at: server.url, over: transport), server)
    }
}

extension CannedServer.Request {
    /// Below the base address, without the query.
    var path: String {
        String(target.prefix { $0 != "?" }.dropFirst("/sim/openapi".count))
    }

    /// The query, its escapes resolved.
    var query: [String: String] {
        let items = URLComponents(string: target)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}
