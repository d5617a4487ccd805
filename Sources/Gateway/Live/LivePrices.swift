import Brokerage
import GraphQL
import Upstream

/// Prices that are followed, one at a time, as a subscription tells them.
///
/// For one reader. Of each symbol only the latest waits: who is slow is told nothing of what lay between.
struct LivePrices: AsyncSequence, Sendable {
    typealias Element = LiveValue<Quote>

    private let quotes: LiveQuotes
    private let unknown: [Symbol]

    /// - Parameters:
    ///   - quotes: What is followed.
    ///   - unknown: Symbols that no source could have: of each it is said once that it is not found.
    init(_ quotes: LiveQuotes, unknown: [Symbol]) {
        self.quotes = quotes
        self.unknown = unknown
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let quotes: LiveQuotes
        fileprivate var news: LiveQuotes.Iterator
        fileprivate var waiting = LatestQueue<Symbol, Element>()

        mutating func next() async -> Element? {
            // What has come meanwhile takes the place of what waits.
            put(quotes.takeUntold() ?? [:])
            while true {
                if let value = waiting.take() { return value }
                guard let more = await news.next() else { return nil }
                put(more)
            }
        }

        private mutating func put(_ news: LiveQuotes.Element) {
            for (symbol, item) in news { waiting.put(item.told(of: symbol), for: symbol) }
        }
    }

    func makeAsyncIterator() -> Iterator {
        var iterator = Iterator(quotes: quotes, news: quotes.makeAsyncIterator())
        for symbol in unknown {
            iterator.waiting.put(.failure(FieldError([], of: "symbol \"\(symbol)\"")), for: symbol)
        }
        return iterator
    }
}

extension QuoteNews {
    /// As a subscription tells it.
    fileprivate func told(of symbol: Symbol) -> LiveValue<Quote> {
        switch self {
        case .success(let quote): .success(quote)
        case .failure(let failure): .failure(FieldError([failure], of: "symbol \"\(symbol)\""))
        }
    }
}
