/// How long a value is good, from the moment at which it was read.
package struct CacheLifetime: Hashable, Sendable {
    /// It is served without another thought for so long.
    package let fresh: Duration
    /// After that it is served for so long while one call renews it: RFC 5861, section 3.
    ///
    /// It is not marked as stale unless that call fails: for values whose age matters less than the wait.
    package let whileRevalidating: Duration
    /// After its freshness it is served for so long where no source answers, marked as stale: RFC 5861, section 4.
    package let ifError: Duration

    /// Times below zero count as zero.
    package init(
        fresh: Duration, whileRevalidating: Duration = .zero, ifError: Duration = .zero
    ) {
        self.fresh = max(fresh, .zero)
        self.whileRevalidating = max(whileRevalidating, .zero)
        self.ifError = max(ifError, .zero)
    }

    /// After so long it is of no use at all.
    package var end: Duration { fresh + max(whileRevalidating, ifError) }
}
