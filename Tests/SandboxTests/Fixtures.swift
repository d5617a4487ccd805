import Brokerage
import PorticoCore
import Sandbox
import TestSupport
import Testing

/// A sandbox with a stopped clock, and its clients.
struct RunningSandbox {
    let sandbox: Sandbox
    var client: Client { Client(address: sandbox.address) }

    static let demo = ["Authorization": "Bearer \(SandboxUser.demo.alpaca.token)"]
    static let second = ["Authorization": "Bearer \(SandboxUser.second.alpaca.token)"]

    /// Sends a request to the trading host, as the demonstration user.
    func trading(_ path: String, _ headers: [String: String] = demo) async throws -> Client.Reply {
        try await client.get("/alpaca" + path, headers)
    }

    /// Sends a request to the data host, as the demonstration user.
    func data(_ path: String, _ headers: [String: String] = demo) async throws -> Client.Reply {
        try await client.get("/alpaca-data" + path, headers)
    }
}

/// Runs a test with its own sandbox, which is always stopped afterwards.
func withSandbox<Value>(
    at moment: String = Moment.midday, _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (RunningSandbox) async throws -> Value
) async throws -> Value {
    var configuration = SandboxConfiguration(seed: 7, clock: .fixed(try instant(moment)))
    change(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of { try await body(RunningSandbox(sandbox: sandbox)) }
    await sandbox.stop()
    return try result.get()
}

/// Runs a test with its own sandbox, and a clock that the test advances.
func withClock(
    at moment: String = Moment.midday, _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (RunningSandbox, ManualClock) async throws -> Void
) async throws {
    let clock = ManualClock(try instant(moment))
    try await withSandbox({
        $0.clock = clock.clock
        change(&$0)
    }) { try await body($0, clock) }
}

/// Moments of one week of November 2026, when New York was five hours behind UTC.
enum Moment {
    /// Thursday, 12:34:56 in New York.
    static let midday = "2026-11-19T17:34:56.25Z"
    /// Thursday, 08:00: before the market opens.
    static let morning = "2026-11-19T13:00:00Z"
    /// Thursday, 18:00: after the market closed.
    static let evening = "2026-11-19T23:00:00Z"
    /// Saturday noon.
    static let weekend = "2026-11-21T17:00:00Z"

    static let all = [midday, morning, evening, weekend]
}

func date(_ text: String) throws -> CalendarDate {
    try #require(CalendarDate(text))
}

func instant(_ text: String) throws -> Instant {
    try #require(Instant(text))
}

/// Returns the session of a trading day.
func session(_ date: String) throws -> TradingSession {
    let day = try #require(CalendarDate(date))
    return try #require(NewYorkCalendar.session(on: day))
}

/// Returns the exact number of a JSON number or string.
func decimal(_ value: JSONValue?) throws -> Decimal {
    let text = try #require(value?.string ?? value?.digits)
    return try #require(Decimal(text))
}
