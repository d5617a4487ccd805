import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

/// The time that the clients under test read off the wall.
let wallTime = Instant(nanosecondsSince1970: 1_795_014_300_000_000_000)

let keyID = "PKTESTTESTTESTTEST01"
let secretKey = "a-secret-that-nobody-may-see"

func client(
    at url: String, credential: AlpacaCredential, feed: AlpacaFeed? = nil, retry: RetryPolicy = .once,
    over transport: HTTPClient
) throws -> AlpacaClient {
    let configuration = try AlpacaConfiguration(
        environment: .paper, tradingURL: #require(HTTPURL(url + "/trading/")),
        dataURL: #require(HTTPURL(url + "/data")), credential: credential, feed: feed)
    let channel = ProviderChannel(
        QuotaAccount(.alpaca, credential: "test"), over: transport, clock: .showing(wallTime), retry: retry)
    // The responses that a test writes down have no probe among them.
    return AlpacaClient(
        configuration, over: channel, assetCache: AlpacaAssetCache(clock: channel.clock),
        plans: .fixed(.unknown))
}

/// Runs `body` with a client of a server that returns the given responses.
func withAlpaca(
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    feed: AlpacaFeed? = nil, retry: RetryPolicy = .once,
    _ body: (AlpacaClient, CannedServer) async throws -> Void
) async throws {
    try await CannedServer.run(answering: answer) { server, transport in
        let alpaca = try client(
            at: server.url, credential: .keys(id: keyID, secret: secretKey), feed: feed, retry: retry,
            over: transport)
        try await body(alpaca, server)
    }
}
