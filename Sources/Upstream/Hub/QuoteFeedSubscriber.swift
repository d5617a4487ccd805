package import Brokerage

/// One who follows the prices of some symbols: the first of each as soon as it is known, then each change.
///
/// Who is slow is told the latest of each symbol, and nothing of what lay between. The symbols are followed until this goes
/// away.
package final class QuoteFeedSubscriber: Sendable {
    private let feed: QuoteFeed
    private let number: Int

    init(_ number: Int, of hub: QuoteFeed) {
        self.number = number
        self.feed = hub
    }

    deinit {
        feed.unsubscribe(number)
    }

    /// What was not told yet; it counts as told from now on.
    ///
    /// - Returns: nil where it is over: nothing is left to follow, or the hub was closed.
    package func drainPending() -> QuoteFeedUpdate? {
        feed.drainPending(by: number)
    }

    /// Does not follow some of the symbols any longer; without any left it is over.
    package func unsubscribe(_ symbols: Set<Symbol>) {
        feed.unsubscribe(symbols, of: number)
    }
}
