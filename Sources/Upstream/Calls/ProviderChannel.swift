package import Brokerage

/// The HTTP client, quota account and concurrency limit of a provider's client.
package struct ProviderChannel: Sendable {
    package let quotaAccount: QuotaAccount
    package let transport: HTTPClient
    package let clock: TimeSource
    package let retry: RetryPolicy
    package let ledger: any QuotaLimiter
    package let monitor: ProviderMonitor
    let concurrencyLimiter: ConcurrencyLimiter

    /// Creates the channel of one credential.
    ///
    /// - Parameters:
    ///   - quotaAccount: The account whose quota the calls use.
    ///   - transport: The HTTP client.
    ///   - clock: The clock of deadlines and quotas.
    ///   - retry: The policy of retries of reads.
    ///   - ledger: Counts the calls. The process has one, so that all channels of an account share its counts; nil for a
    ///     separate one in memory.
    ///   - monitor: Has the circuit breakers and the limits of concurrent calls. The process has one for all channels; nil
    ///     for a separate one.
    package init(
        _ quotaAccount: QuotaAccount, over transport: HTTPClient, clock: TimeSource = .system,
        retry: RetryPolicy = RetryPolicy(), ledger: (any QuotaLimiter)? = nil, monitor: ProviderMonitor? = nil
    ) {
        self.quotaAccount = quotaAccount
        self.transport = transport
        self.clock = clock
        self.retry = retry
        self.ledger = ledger ?? QuotaLedger(clock: clock)
        self.monitor = monitor ?? ProviderMonitor(clock: clock)
        concurrencyLimiter = self.monitor.concurrencyLimiter(for: quotaAccount.provider)
    }

    /// Returns a client of one host, or of one group of endpoints with its own rate limit.
    ///
    /// - Parameters:
    ///   - windows: The limits that every call counts against.
    ///   - reportedQuotas: Reads the limits that a response reports.
    ///   - failure: Converts a response to a failure; nil for a success. A provider that returns errors with
    ///     the status 200 reads them here.
    /// - Returns: The client, whose calls fail immediately if a limit is exhausted.
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

/// The base URL of a provider's paths.
package struct ProviderBaseURL: Sendable, Hashable {
    package let url: HTTPURL

    /// An address with a query, to which no path can be appended.
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
}
