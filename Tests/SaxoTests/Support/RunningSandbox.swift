import Brokerage
import PorticoCore
import ProviderTestSupport
import Saxo
import Synchronization
import TestSupport
import Testing
import Upstream

import struct Sandbox.FakeSaxoSettings
import class Sandbox.ManualClock
import struct Sandbox.OAuthApplication
import struct Sandbox.Sandbox
import struct Sandbox.SandboxConfiguration
import struct Sandbox.SandboxUser

/// A sandbox with a clock of its own, and clients that tell the time by it.
struct RunningSandbox: Sendable {
    let sandbox: Sandbox
    let transport: HTTPClient
    let time: TestTime

    /// A Friday, 11:00 in New York.
    static let open = "2026-11-20T16:00:00Z"
    static let demoToken = "sandbox-saxo-demo-access"

    static func run(
        at moment: String = open, users: [SandboxUser] = [.demo, .second],
        _ settings: (inout FakeSaxoSettings) -> Void = { _ in }, _ body: (RunningSandbox) async throws -> Void
    ) async throws {
        let time = TestTime(try #require(Instant(moment)))
        var configuration = SandboxConfiguration(clock: time.wall.clock, users: users)
        settings(&configuration.saxo)
        let sandbox = try await Sandbox.start(configuration)
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico-tests") {
                try await body(RunningSandbox(sandbox: sandbox, transport: $0, time: time))
            }
        }
        await sandbox.stop()
        try result.get()
    }

    var channel: ProviderChannel {
        ProviderChannel(
            QuotaAccount(.saxo, credential: "c1"), over: transport, clock: time.clock, retry: .attempts(3))
    }

    func client(
        _ access: SaxoCredential? = nil, token: String = demoToken, pricesPerCall: Int = 100,
        takesTradeLevel: Bool = false
    ) throws -> SaxoClient {
        let streaming = try #require(HTTPURL(sandbox.saxo.streamingAuthorizeURL))
        let configuration = try SaxoConfiguration(
            environment: .sandbox, restURL: #require(HTTPURL(sandbox.saxo.gatewayURL)),
            streamingURL: streaming, pricesPerCall: pricesPerCall)
        return SaxoClient(
            configuration, access: try access ?? .token(SaxoToken(token)), over: channel,
            instrumentCache: SaxoInstrumentCache(clock: time.clock), takesTradeLevel: takesTradeLevel)
    }

    /// A document of the gateway, as the demonstration user gets it.
    func document(_ path: String) async throws -> JSONValue {
        var headers = HTTPClientHeaders()
        headers.add("Authorization", "Bearer \(Self.demoToken)")
        let url = try #require(HTTPURL(sandbox.saxo.gatewayURL + path))
        let response = try await transport.send(
            HTTPClientRequest(.get, url, headers: headers, deadline: .now + .seconds(60)))
        return try JSONValue(parsing: String(decoding: response.body, as: UTF8.self))
    }

    /// Another application of a user takes the trade level of the user's sessions.
    func takeTradeLevelElsewhere(of user: String) async throws {
        let url = try #require(HTTPURL("http://\(sandbox.address)/_sandbox/saxo/trade-level"))
        let response = try await transport.send(
            HTTPClientRequest(
                .post, url, body: Array(#"{"user":"\#(user)"}"#.utf8), deadline: .now + .seconds(60)))
        #expect(response.status == 204)
    }

    /// The sandbox's app.
    func app(redirectURI: String = "http://localhost/back") throws -> SaxoOAuthClient {
        let application = FakeSaxoSettings().application
        return SaxoOAuthClient(
            key: application.clientID, secret: application.clientSecret, redirectURI: redirectURI,
            loginURL: try #require(HTTPURL(sandbox.saxo.authURL)))
    }

    /// How often an endpoint of the gateway was called.
    func calls(_ endpoint: String) -> Int { sandbox.calls[.saxo, endpoint] }
}

/// Time that stands still until a test moves it, but for pauses of a second or two, which are over at once.
struct TestTime: Sendable {
    let wall: ManualClock
    let sleeps = SleepLog()
    private let start: Instant
    private let origin = ContinuousClock.now

    init(_ start: Instant) {
        self.start = start
        wall = ManualClock(start)
    }

    var clock: TimeSource {
        let (wall, sleeps, start, origin) = (wall, sleeps, start, origin)
        let now: @Sendable () -> ContinuousClock.Instant = { origin + wall.now.duration(since: start) }
        return TimeSource(
            now: now, wallTime: { wall.now },
            sleep: { until in
                let pause = now().duration(to: until)
                if pause <= .seconds(2) {
                    wall.advance(by: max(pause, .zero))
                } else {
                    let end = wall.now + pause
                    sleeps.add(pause)
                    await wall.clock.wait(until: end)
                    try Task.checkCancellation()
                }
            })
    }

    /// Returns when something holds that other tasks bring about.
    func wait(until holds: () throws -> Bool) async throws {
        try await waitUntil { try holds() }
    }
}

/// How long was slept so far: with it a test knows that somebody waits for the time to pass, and for how long.
final class SleepLog: Sendable {
    private let durations = Mutex<[Duration]>([])

    func add(_ duration: Duration) {
        durations.withLock { $0.append(duration) }
    }

    /// How many sleeps there were of so long, to the second.
    func count(of duration: Duration) -> Int {
        durations.withLock { durations in
            durations.count { $0 > duration - .seconds(1) && $0 <= duration }
        }
    }
}
