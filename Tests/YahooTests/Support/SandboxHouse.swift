import Brokerage
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

@testable import Yahoo

/// The sandbox's Yahoo, and clients of it over HTTP, at one moment.
struct SandboxHouse {
    let sandbox: Sandbox
    /// What both go by.
    let clock: SettableClock
    let client: YahooClient
    /// Speaks the language of 2017.
    let queryClient: YahooQueryClient

    /// What the market shows now.
    var view: MarketView { MarketView(sandbox.market, at: clock.now) }

    /// How often an endpoint was called.
    func calls(_ name: String) -> Int { sandbox.calls[.yahoo, name] }
}

/// Thursday, 12:34:56 in New York.
let midday = "2026-11-19T17:34:56Z"

func withSandbox(
    at moment: String = midday, _ change: (inout YahooSettings) -> Void = { _ in },
    _ body: (SandboxHouse) async throws -> Void
) async throws {
    let clock = SettableClock(try #require(Instant(moment)))
    var configuration = SandboxConfiguration(seed: 7, clock: clock.clock)
    change(&configuration.yahoo)
    let sandbox = try await Sandbox.start(configuration)
    let transport = try Transport(userAgent: "portico-tests")
    let result: Result<Void, any Error>
    do {
        let house = try house(sandbox, clock, transport)
        result = .success(try await body(house))
    } catch {
        result = .failure(error)
    }
    await transport.shutDown()
    await sandbox.stop()
    try result.get()
}

private func house(
    _ sandbox: Sandbox, _ clock: SettableClock, _ transport: Transport
) throws -> SandboxHouse {
    let system = CallClock.system
    let line = ProviderLine(
        QuotaHolder(.yahoo), over: transport,
        clock: CallClock(now: system.now, wallTime: { clock.now }, sleep: system.sleep), retry: .once)
    let configuration = try YahooConfiguration(
        base: ProviderBase(#require(HTTPURL(sandbox.yahoo.queryURL))),
        cookiePage: ProviderBase(#require(HTTPURL(sandbox.yahoo.cookieURL))), windows: [])
    let queryConfiguration = try YahooQueryConfiguration(
        base: ProviderBase(#require(HTTPURL(sandbox.yahoo.yqlURL))))
    return SandboxHouse(
        sandbox: sandbox, clock: clock, client: YahooClient(configuration, over: line),
        queryClient: YahooQueryClient(queryConfiguration, over: line))
}
