import Brokerage
import GraphQL
import Upstream

/// Prices that are followed, one at a time, as a subscription tells them.
///
/// For one reader. Of each symbol only the latest waits: who is slow is told nothing of what lay between.
struct QuoteSequence: AsyncSequence, Sendable {
    typealias Element = LiveValue<Quote>

    private let quotes: QuoteSubscription
    private let unknown: [Symbol]

    /// - Parameters:
    ///   - quotes: What is followed.
    ///   - unknown: Symbols that no source could have: each is reported once as not found.
    init(_ quotes: QuoteSubscription, unknown: [Symbol]) {
        self.quotes = quotes
        self.unknown = unknown
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let quotes: QuoteSubscription
        fileprivate var events: QuoteSubscription.Iterator
        /// The symbols that are first reported as not found.
        fileprivate var unknown: ArraySlice<Symbol>
        // The news as returned by the hubs, so that all subscribers share one copy.
        fileprivate var waiting = ConflatingQueue<Symbol, LiveNews>()

        mutating func next() async -> Element? {
            if let symbol = unknown.popFirst() {
                return .failure(FieldError([], of: "symbol \"\(symbol)\""))
            }
            // What has come meanwhile takes the place of what waits.
            put(quotes.drainPending() ?? [:])
            while true {
                if let (_, item) = waiting.popFirst() { return Result { try item.get() } }
                guard let more = await events.next() else { return nil }
                put(more)
            }
        }

        private mutating func put(_ news: QuoteSubscription.Element) {
            for (symbol, item) in news { waiting.put(item, for: symbol) }
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(quotes: quotes, events: quotes.makeAsyncIterator(), unknown: unknown[...])
    }
}
