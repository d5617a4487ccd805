import Brokerage
import Logging
import Sandbox
import Upstream

// Time that stands still on the sandbox, so that the same questions get the same answers.

extension ProviderMode {
    /// What the providers' times are read by.
    var clock: TimeSource {
        switch self {
        case .sandbox(let time?):
            // Deadlines and pauses are the machine's own still: they must come to their ends.
            TimeSource(now: TimeSource.system.now, wallTime: { time }, sleep: TimeSource.system.sleep)
        case .sandbox(nil), .providers: .system
        }
    }
}

extension SandboxConfiguration {
    /// The embedded sandbox, at a time or at the machine's.
    init(at time: Instant?, logger: Logger) {
        self.init(logger: logger)
        guard let time else { return }
        clock = .fixed(time)
        // A minute that never ends would have its limit reached once and for all.
        alpaca.tradingRequestsPerMinute = StandingTime.enough
        alpaca.dataRequestsPerMinute = StandingTime.enough
        saxo.requestsPerMinute = StandingTime.enough
        saxo.ordersPerSecond = nil
        alphaVantage.requestsPerDay = nil
        alphaVantage.burstInterval = nil
        polygon.requestsPerMinute = StandingTime.enough
        yahoo.requestsPerMinute = nil
    }
}

/// What holds while time stands still.
private enum StandingTime {
    /// So many calls nobody makes.
    static let enough = 1_000_000
}
