package import Brokerage

/// The state of one window of an account.
package struct QuotaStatus: Hashable, Sendable {
    package let window: QuotaWindow
    /// The calls in a period: the configured limit, or a smaller one that the provider reports.
    package let limit: Int
    /// Calls that can go out now.
    package let remaining: Int
    /// When all calls are available again; nil if no call is counted, or if it is unknown.
    package let resetsAt: Instant?

    package init(window: QuotaWindow, limit: Int, remaining: Int, resetsAt: Instant?) {
        (self.window, self.limit, self.remaining, self.resetsAt) = (window, limit, remaining, resetsAt)
    }
}

extension [(provider: ProviderID, status: QuotaStatus)] {
    /// The windows of all providers, by provider and name; of several credentials the one with the fewest calls left.
    package init(tightestOf accounts: some Sequence<(QuotaAccount, [QuotaStatus])>) {
        var tightest: [ProviderID: [String: QuotaStatus]] = [:]
        for (account, windows) in accounts {
            for status in windows {
                let known = tightest[account.provider]?[status.window.name]
                if let known, known.remaining <= status.remaining { continue }
                tightest[account.provider, default: [:]][status.window.name] = status
            }
        }
        self = tightest.sorted { $0.key.name.text < $1.key.name.text }.flatMap { provider, windows in
            windows.sorted { $0.key < $1.key }.map { (provider, $0.value) }
        }
    }
}
