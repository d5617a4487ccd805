import Brokerage
import Upstream

/// What all lines to providers share: one transport, one ledger, one monitor.
struct Lines: Sendable {
    let transport: Transport
    let ledger: QuotaLedger
    let monitor: ProviderMonitor
    let clock: CallClock
    let retry: RetryPolicy

    /// The line of a user's connection with a provider, or without one, of the server's own credential.
    func line(to provider: Provider, connection: String? = nil) -> ProviderLine {
        ProviderLine(
            QuotaHolder(provider, connection: connection), over: transport, clock: clock, retry: retry,
            ledger: ledger, monitor: monitor)
    }

    /// What is left of the limits that count for one connection alone.
    func limits(of provider: Provider, connection: String) -> @Sendable () -> [QuotaStatus] {
        let holder = QuotaHolder(provider, connection: connection)
        return { [ledger] in ledger.status(of: holder) }
    }
}
