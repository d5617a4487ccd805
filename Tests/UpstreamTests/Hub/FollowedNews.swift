import Brokerage
import Upstream

/// What a follower is told, awaited one after the other.
final class FollowedNews: AsyncSequence, Sendable {
    typealias Element = [Symbol: QuoteNews]

    private let follower: QuoteFollower
    private let rings: AsyncStream<Void>

    init(_ symbols: Set<Symbol>, at hub: QuoteHub) throws(ProviderFailure) {
        let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.rings = rings
        follower = try hub.follow(symbols) { ring.yield() }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let news: FollowedNews
        fileprivate var rings: AsyncStream<Void>.Iterator

        mutating func next() async -> Element? {
            while let untold = news.follower.takeUntold() {
                if !untold.isEmpty { return untold }
                guard await rings.next(isolation: #isolation) != nil else { return nil }
            }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(news: self, rings: rings.makeAsyncIterator())
    }
}

extension QuoteHub {
    func follow(_ symbols: Set<Symbol>) throws(ProviderFailure) -> FollowedNews {
        try FollowedNews(symbols, at: self)
    }
}
