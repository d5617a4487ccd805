package import Brokerage

/// The prices of some symbols, as one who follows them is told: the first of each as soon as it is known, then each change.
///
/// For one task at a time. Who is slow is told the latest of each symbol, and nothing of what lay between. The symbols are
/// followed until the follower goes away or the task is cancelled.
package final class QuoteFollower: AsyncSequence, Sendable {
    package typealias Element = [Symbol: QuoteNews]

    private let hub: QuoteHub
    private let number: Int

    init(_ number: Int, of hub: QuoteHub) {
        self.number = number
        self.hub = hub
    }

    deinit {
        hub.leave(number)
    }

    /// Does not follow some of the symbols any longer; without any left it is over.
    package func leave(_ symbols: Set<Symbol>) {
        hub.leave(symbols, of: number)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let follower: QuoteFollower

        package mutating func next() async -> Element? {
            await follower.hub.news(for: follower.number)
        }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(follower: self)
    }
}
