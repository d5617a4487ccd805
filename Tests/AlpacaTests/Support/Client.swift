import Alpaca
import Brokerage
import Testing
import Upstream

/// The time that the clients under test read off the wall.
let wallTime = Instant(nanosecondsSince1970: 1_795_014_300_000_000_000)

let keyID = "PKTESTTESTTESTTEST01"
let secretKey = "a-secret-that-nobody-may-see"

extension CallContext {
    /// Long enough for a call to this machine, however busy it is.
    static var patient: CallContext { CallContext(deadline: .now + .seconds(60)) }
}

extension RetryPolicy {
    static var once: RetryPolicy { attempts(1) }

    /// So many attempts, without a pause between them.
    static func attempts(_ count: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = count
        policy.jitter = { 0 }
        policy.attemptTimeout = .seconds(60)
        return policy
    }
}

func client(
    at url: String, credential: AlpacaCredential, feed: AlpacaFeed? = nil, retry: RetryPolicy = .once,
    over transport: HTTPClient
) throws -> AlpacaClient {
    let configuration = try AlpacaConfiguration(
        environment: .paper, tradingURL: #require(HTTPURL(url + "/trading/")),
        dataURL: #require(HTTPURL(url + "/data")), credential: credential, feed: feed)
    let system = TimeSource.system
    let clock = TimeSource(now: system.now, wallTime: { wallTime }, sleep: system.sleep)
    let channel = ProviderChannel(
        QuotaAccount(.alpaca, credential: "test"), over: transport, clock: clock, retry: retry)
    // The responses that a test writes down have no probe among them.
    return AlpacaClient(
        configuration, over: channel, assetCache: AlpacaAssetCache(clock: clock), plans: .fixed(.unknown))
}

/// Runs `body` with a client of a server that gives the answers written down.
func withAlpaca(
    answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
    feed: AlpacaFeed? = nil, retry: RetryPolicy = .once,
    _ body: (AlpacaClient, CannedServer) async throws -> Void
) async throws {
    let server = try await CannedServer(answer)
    let transport = try HTTPClient(userAgent: "alpaca-tests")
    let result: Result<Void, any Error>
    do {
        let alpaca = try client(
            at: server.url, credential: .keys(id: keyID, secret: secretKey), feed: feed, retry: retry,
            over: transport)
        result = .success(try await body(alpaca, server))
    } catch {
        result = .failure(error)
    }
    await transport.shutDown()
    try await server.stop()
    try result.get()
}
