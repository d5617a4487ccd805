import Brokerage
import Sandbox
import TestSupport
import Testing

/// A sandbox that stands still, and clients of it.
struct RunningSandbox {
    let sandbox: Sandbox
    var client: Client { Client(address: sandbox.address) }

    static let demo = ["Authorization": "Bearer \(SandboxUser.demo.alpaca.token)"]
    static let second = ["Authorization": "Bearer \(SandboxUser.second.alpaca.token)"]

    /// A request to the trading host, as the demonstration's user.
    func trading(_ path: String, _ headers: [String: String] = demo) async throws -> Client.Reply {
        try await client.get("/alpaca" + path, headers)
    }

    /// A request to the data host, as the demonstration's user.
    func data(_ path: String, _ headers: [String: String] = demo) async throws -> Client.Reply {
        try await client.get("/alpaca-data" + path, headers)
    }
}

/// Runs a test beside a sandbox of its own, which is stopped whatever happens.
func withSandbox<Result>(
    at moment: String = Moment.midday, _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (RunningSandbox) async throws -> Result
) async throws -> Result {
    var configuration = SandboxConfiguration(seed: 7, clock: .fixed(try instant(moment)))
    change(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    do {
        let result = try await body(RunningSandbox(sandbox: sandbox))
        await sandbox.stop()
        return result
    } catch {
        await sandbox.stop()
        throw error
    }
}

/// Moments of one week of November 2026, when New York was five hours behind UTC.
enum Moment {
    /// Thursday, 12:34:56 in New York.
    static let midday = "2026-11-19T17:34:56.25Z"
    /// Thursday, 08:00: before the market opens.
    static let morning = "2026-11-19T13:00:00Z"
    /// Thursday, 18:00: after it closed.
    static let evening = "2026-11-19T23:00:00Z"
    /// Saturday noon.
    static let weekend = "2026-11-21T17:00:00Z"

    static let all = [midday, morning, evening, weekend]
}

/// The date of a text that is one.
func date(_ text: String) throws -> CalendarDate {
    try #require(CalendarDate(text))
}

/// The instant of a text that is one.
func instant(_ text: String) throws -> Instant {
    try #require(Instant(text))
}

/// The session of a day that has one.
func session(_ date: String) throws -> TradingSession {
    let day = try #require(CalendarDate(date))
    return try #require(TradingCalendar.session(on: day))
}

/// The exact number of a JSON value, be it a number or a string.
func decimal(_ value: JSONValue?) throws -> Decimal {
    let text = try #require(value?.string ?? value?.digits)
    return try #require(Decimal(text))
}
