import Brokerage
import Upstream

/// What all lines to providers share: one transport, one ledger, one monitor.
struct Lines: Sendable {
    let transport: Transport
    let ledger: QuotaLedger
    let monitor: ProviderMonitor
    let clock: CallClock
    let retry: RetryPolicy

    /// The line of a credential.
    func line(of holder: QuotaHolder) -> ProviderLine {
        ProviderLine(holder, over: transport, clock: clock, retry: retry, ledger: ledger, monitor: monitor)
    }

    /// What is left of the limits of a credential.
    func limits(of holder: QuotaHolder) -> @Sendable () -> [QuotaStatus] {
        { [ledger] in ledger.status(of: holder) }
    }
}
