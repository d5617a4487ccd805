import Brokerage
import Upstream

/// What a follower is told, awaited one after the other.
final class FollowedNews: AsyncSequence, Sendable {
    typealias Element = [Symbol: QuoteEvent]

    private let follower: QuoteFeedSubscriber
    private let rings: AsyncStream<Void>

    init(_ symbols: Set<Symbol>, for client: QuoteClient, at hub: QuoteFeed) throws(ProviderFailure) {
        let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.rings = rings
        follower = try hub.follow(symbols, for: client) { ring.yield() }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let news: FollowedNews
        fileprivate var rings: AsyncStream<Void>.Iterator

        mutating func next() async -> Element? {
            while let untold = news.follower.drainPending() {
                if !untold.events.isEmpty { return untold.events }
                guard await rings.next(isolation: #isolation) != nil else { return nil }
            }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(news: self, rings: rings.makeAsyncIterator())
    }
}

extension QuoteFeed {
    func follow(
        _ symbols: Set<Symbol>, for client: QuoteClient = .address(1)
    ) throws(ProviderFailure) -> FollowedNews {
        try FollowedNews(symbols, for: client, at: self)
    }
}
