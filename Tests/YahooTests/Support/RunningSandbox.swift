import Brokerage
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream
import Yahoo

/// The sandbox's Yahoo, and clients of it over HTTP, at one moment.
struct RunningSandbox {
    let sandbox: Sandbox
    /// What both go by.
    let clock: ManualClock
    let client: YahooClient

    /// What the market shows now.
    var view: MarketView { MarketView(sandbox.market, at: clock.now) }

    /// How often an endpoint was called.
    func calls(_ name: String) -> Int { sandbox.calls[.yahoo, name] }
}

/// Thursday, 12:34:56 in New York.
let midday = "2026-11-19T17:34:56Z"

func withSandbox(
    at moment: String = midday, _ change: (inout FakeYahooSettings) -> Void = { _ in },
    _ body: (RunningSandbox) async throws -> Void
) async throws {
    let clock = ManualClock(try #require(Instant(moment)))
    var configuration = SandboxConfiguration(seed: 7, clock: clock.clock)
    change(&configuration.yahoo)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of {
        try await HTTPClient.with(userAgent: "portico-tests") { transport in
            try await body(makeFixture(sandbox, clock, transport))
        }
    }
    await sandbox.stop()
    try result.get()
}

private func makeFixture(
    _ sandbox: Sandbox, _ clock: ManualClock, _ transport: HTTPClient
) throws -> RunningSandbox {
    let system = TimeSource.system
    let channel = ProviderChannel(
        QuotaAccount(.yahoo), over: transport,
        clock: TimeSource(now: system.now, wallTime: { clock.now }, sleep: system.sleep), retry: .once)
    let configuration = try YahooConfiguration(
        base: ProviderBaseURL(#require(HTTPURL(sandbox.yahoo.queryURL))),
        cookiePage: ProviderBaseURL(#require(HTTPURL(sandbox.yahoo.cookieURL))), windows: [])
    return RunningSandbox(sandbox: sandbox, clock: clock, client: YahooClient(configuration, over: channel))
}
