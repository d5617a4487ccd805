package import Logging

/// The configuration of a sandbox.
package struct SandboxConfiguration: Sendable {
    /// The address to listen on.
    package var host: String
    /// The port to listen on; 0 picks a free one.
    package var port: Int
    /// The seed of the market's prices: the same seed and clock give the same responses.
    package var seed: UInt64
    /// The trading hours of the market.
    package var hours = MarketHours.exchange
    package var clock: SandboxClock
    /// The users of the providers.
    package var users: [SandboxUser]
    package var alpaca: FakeAlpacaSettings
    package var alphaVantage = FakeAlphaVantageSettings()
    package var yahoo = FakeYahooSettings()
    package var polygon = FakePolygonSettings()
    package var saxo = FakeSaxoSettings()
    /// The time that ``Sandbox/stop()`` waits for running responses.
    package var grace: Duration = .seconds(2)
    package var logger: Logger

    package init(
        host: String = "127.0.0.1", port: Int = 0, seed: UInt64 = 1, clock: SandboxClock = .real,
        users: [SandboxUser] = [.demo, .second], alpaca: FakeAlpacaSettings = FakeAlpacaSettings(),
        logger: Logger = Logger(label: "sandbox")
    ) {
        self.host = host
        self.port = port
        self.seed = seed
        self.clock = clock
        self.users = users
        self.alpaca = alpaca
        self.logger = logger
    }
}
