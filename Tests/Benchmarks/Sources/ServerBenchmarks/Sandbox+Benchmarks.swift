import PorticoCore
import Sandbox

extension Sandbox {
    /// The settings of a server that uses this sandbox as its demo user, with open sign-up.
    var environment: [String: String] {
        [
            "PORTICO_ALPACA_BASE_URL": alpaca.tradingURL, "PORTICO_ALPACA_DATA_URL": alpaca.dataURL,
            // Settings have https for wss, and http for ws.
            "PORTICO_ALPACA_DATA_STREAM_URL": alpaca.dataStreamURL.replacing("ws://", with: "http://"),
            "PORTICO_ALPACA_KEY_ID": SandboxUser.demo.alpaca.keyID,
            "PORTICO_ALPACA_SECRET_KEY": SandboxUser.demo.alpaca.secretKey, "PORTICO_SIGN_UP": "open",
            // All load without a session comes from one address.
            "PORTICO_UPSTREAM_CALLS_PER_CLIENT": "1000000",
        ]
    }

    /// Runs work with a sandbox whose market is always open.
    static func with<Value>(
        clock: SandboxClock = .real, _ work: (Sandbox) async throws -> Value
    ) async throws -> Value {
        var configuration = SandboxConfiguration(clock: clock)
        configuration.alpaca.tradingRequestsPerMinute = 1_000_000
        configuration.alpaca.dataRequestsPerMinute = 1_000_000
        let sandbox = try await Sandbox.start(configuration)
        sandbox.script = MarketScript(hours: .open)
        let result = await Result.of { try await work(sandbox) }
        await sandbox.stop()
        return try result.get()
    }
}
