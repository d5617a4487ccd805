import Brokerage
import Upstream

/// What all lines to providers share: one transport, one ledger, one monitor.
struct ProviderChannelFactory: Sendable {
    let transport: HTTPClient
    let ledger: QuotaLedger
    let monitor: ProviderMonitor
    let clock: TimeSource
    let retry: RetryPolicy

    /// The line of a credential.
    func channel(for holder: QuotaAccount) -> ProviderChannel {
        ProviderChannel(holder, over: transport, clock: clock, retry: retry, ledger: ledger, monitor: monitor)
    }

    /// What is left of the limits of a credential.
    func limits(of holder: QuotaAccount) -> @Sendable () -> [QuotaStatus] {
        { [ledger] in ledger.status(of: holder) }
    }
}
