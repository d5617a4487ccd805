package import Brokerage

/// What a client of a provider calls through, and whose quota it spends.
package struct ProviderChannel: Sendable {
    package let quotaAccount: QuotaAccount
    package let transport: HTTPClient
    package let clock: TimeSource
    package let retry: RetryPolicy
    package let ledger: QuotaLedger
    package let monitor: ProviderMonitor
    let concurrencyLimiter: ConcurrencyLimiter

    /// A line of one credential.
    ///
    /// - Parameters:
    ///   - holder: Whose quota its calls spend.
    ///   - transport: What carries them.
    ///   - clock: What times are measured by.
    ///   - retry: How reads are tried again.
    ///   - ledger: What counts the calls: one for the process, so that all lines of a holder share its count; nil for one of
    ///     the line's own, in memory.
    ///   - monitor: What watches the calls: one for the process, so that a host that is out of order is left alone by all
    ///     lines, and that no provider has more calls in flight than it bears; nil for one of the line's own.
    package init(
        _ holder: QuotaAccount, over transport: HTTPClient, clock: TimeSource = .system,
        retry: RetryPolicy = RetryPolicy(), ledger: QuotaLedger? = nil, monitor: ProviderMonitor? = nil
    ) {
        self.quotaAccount = holder
        self.transport = transport
        self.clock = clock
        self.retry = retry
        self.ledger = ledger ?? QuotaLedger(clock: clock)
        self.monitor = monitor ?? ProviderMonitor(clock: clock)
        concurrencyLimiter = self.monitor.concurrencyLimiter(for: holder.provider)
    }

    /// A caller of one host, or of one group of endpoints that has a limit of its own.
    ///
    /// - Parameters:
    ///   - windows: The limits that every call counts against.
    ///   - reportedQuotas: What a response says of these limits.
    ///   - failure: What a response that is none means; nil for a good one. A provider that puts its errors under status 200
    ///     looks for them there.
    /// - Returns: the caller, whose calls fail at once where a limit is used up.
    package func client(
        within windows: [QuotaWindow] = [],
        reportedQuotas: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> [ReportedQuota] = {
            _, _ in []
        },
        failure: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause? = {
            ProviderFailure.Cause.status(of: $0, now: $1)
        }
    ) -> ProviderHTTPClient {
        ledger.declare(windows, of: quotaAccount)
        return ProviderHTTPClient(
            channel: self, windows: windows, reportedQuotas: reportedQuotas, failure: failure)
    }
}

/// Where a provider's paths begin.
package struct ProviderBaseURL: Sendable, Hashable {
    package let url: HTTPURL

    /// An address that paths cannot be put behind, because it has a query.
    package struct Invalid: Error, Hashable, CustomStringConvertible {
        package let url: HTTPURL

        package var description: String {
            "\(url) cannot be the base address of a provider: paths are put behind it, so it must end before"
                + " the \"?\"."
        }
    }

    package init(_ url: HTTPURL) throws(Invalid) {
        guard !url.text.contains("?") else { throw Invalid(url: url) }
        self.url = url
    }

    /// Whether a key would go over a network in clear: a reason to warn, or to refuse to start.
    package var exposesCredential: Bool { !url.isSecure && !url.isLoopback }
}
