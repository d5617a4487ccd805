import Alpaca
import Brokerage
import PorticoCore
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

/// A stand-in of Alpaca, and clients of it.
struct SandboxSession {
    let sandbox: Sandbox
    let transport: HTTPClient
    /// The sandbox's time, and the clients' on the wall.
    let clock: ManualClock

    /// A Friday, 11:00 in New York.
    static let open = "2026-11-20T16:00:00Z"

    var now: Instant { clock.now }

    static var keys: AlpacaCredential {
        get throws {
            let keys = SandboxUser.demo.alpaca
            return try .keys(id: keys.keyID, secret: keys.secretKey)
        }
    }

    /// A client whose pauses and timeouts last as long as `sleep` says, by default as they should.
    func client(
        _ credential: AlpacaCredential, retry: RetryPolicy = .once, feed: AlpacaFeed? = nil,
        streamSymbols: Int? = nil, plans: AlpacaPlanSource? = nil, account: String = "demo",
        sleep: (@Sendable (ContinuousClock.Instant) async throws -> Void)? = nil
    ) throws -> AlpacaClient {
        // A WebSocket's address begins as an HTTP one does.
        let streams = sandbox.alpaca.dataStreamURL.replacing("ws://", with: "http://")
        let configuration = try AlpacaConfiguration(
            environment: .sandbox, tradingURL: #require(HTTPURL(sandbox.alpaca.tradingURL)),
            dataURL: #require(HTTPURL(sandbox.alpaca.dataURL)),
            dataStreamURL: HTTPURL(streams),
            credential: credential, feed: feed, streamSymbols: streamSymbols,
            streamTimeout: .seconds(300))
        let clock = callClock(sleep: sleep)
        let channel = ProviderChannel(
            QuotaAccount(.alpaca, credential: account), over: transport, clock: clock, retry: retry)
        return AlpacaClient(
            configuration, over: channel, assetCache: AlpacaAssetCache(clock: clock), plans: plans)
    }

    func callClock(sleep: (@Sendable (ContinuousClock.Instant) async throws -> Void)? = nil) -> TimeSource {
        let system = TimeSource.system
        return TimeSource(now: system.now, wallTime: { [clock] in clock.now }, sleep: sleep ?? system.sleep)
    }
}

/// Runs a test with a client of a sandbox of its own.
func withSandbox(
    at time: String = SandboxSession.open, _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (AlpacaClient, Sandbox, SandboxSession) async throws -> Void
) async throws {
    let clock = ManualClock(try #require(Instant(time)))
    var configuration = SandboxConfiguration(clock: clock.clock)
    change(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of {
        try await HTTPClient.with(userAgent: "alpaca-tests") { transport in
            let session = SandboxSession(sandbox: sandbox, transport: transport, clock: clock)
            try await body(session.client(.token(SandboxUser.demo.alpaca.token)), sandbox, session)
        }
    }
    await sandbox.stop()
    try result.get()
}
