package import Brokerage

/// What followers are told of a symbol: its latest quote, or why there is none.
package typealias QuoteNews = Result<Quote, ProviderFailure>

extension QuoteNews {
    /// Whether it tells nothing new after another, but that it was read again.
    package func says(theSameAs other: QuoteNews) -> Bool {
        guard case (.success(var quote), .success(let known)) = (self, other) else { return self == other }
        let (reading, knownReading) = (quote.reading, known.reading)
        quote.reading = knownReading
        return quote == known && reading.source == knownReading.source && reading.asOf == knownReading.asOf
            && reading.isStale == knownReading.isStale
    }
}

/// Who follows which symbols, what is known of each, and what each follower has not been told yet.
///
/// A value without time or tasks: ``QuoteHub`` keeps it behind its lock and does what it says.
struct QuoteBoard {
    typealias Waiter = CheckedContinuation<[Symbol: QuoteNews]?, Never>

    private struct Follower {
        var symbols: Set<Symbol>
        /// The latest of each symbol only: who is slow is not told what is over.
        var untold: [Symbol: QuoteNews] = [:]
        var waiter: Waiter?
    }

    private struct Entry {
        var followers: Set<Int> = []
        var news: QuoteNews?
        /// What the stream has told since the last snapshot was asked for.
        var change: QuoteChange?

        var quote: Quote? { try? news?.get() }
    }

    /// Someone to be woken, and with what.
    struct Wake {
        let waiter: Waiter
        let news: [Symbol: QuoteNews]?
    }

    private let provider: Provider
    private var followers: [Int: Follower] = [:]
    private var entries: [Symbol: Entry] = [:]
    private var nextNumber = 0
    /// Symbols that a snapshot is wanted of as soon as possible.
    private var unread: Set<Symbol> = []
    /// Whether the stream stands.
    private(set) var isStreaming = false

    init(_ provider: Provider) {
        self.provider = provider
    }

    var isIdle: Bool { followers.isEmpty }
    var followerCount: Int { followers.count }
    var symbols: Set<Symbol> { Set(entries.keys) }

    /// How many symbols would be followed with these.
    func count(with symbols: Set<Symbol>) -> Int {
        entries.count + symbols.count { entries[$0] == nil }
    }

    // MARK: Followers

    /// Takes a follower in: what is known is told at once, the rest is to be read.
    mutating func add(_ symbols: Set<Symbol>) -> Int {
        nextNumber += 1
        var follower = Follower(symbols: symbols)
        for symbol in symbols {
            entries[symbol, default: Entry()].followers.insert(nextNumber)
            if let news = entries[symbol]?.news {
                follower.untold[symbol] = news
            } else {
                unread.insert(symbol)
            }
        }
        followers[nextNumber] = follower
        return nextNumber
    }

    /// Lets a follower go, and forgets what nobody follows any more.
    mutating func remove(_ number: Int) -> Wake? {
        guard let follower = followers.removeValue(forKey: number) else { return nil }
        for symbol in follower.symbols { forget(symbol, of: number) }
        return follower.waiter.map { Wake(waiter: $0, news: nil) }
    }

    /// Lets a follower go from some of its symbols; from the last of them is as good as gone.
    mutating func remove(_ symbols: Set<Symbol>, of number: Int) -> Wake? {
        guard var follower = followers[number] else { return nil }
        if follower.symbols.isSubset(of: symbols) { return remove(number) }
        for symbol in follower.symbols.intersection(symbols) {
            forget(symbol, of: number)
            follower.untold[symbol] = nil
        }
        follower.symbols.subtract(symbols)
        followers[number] = follower
        return nil
    }

    private mutating func forget(_ symbol: Symbol, of number: Int) {
        entries[symbol]?.followers.remove(number)
        guard entries[symbol]?.followers.isEmpty == true else { return }
        entries[symbol] = nil
        unread.remove(symbol)
    }

    /// What a follower was not told; nil after it left.
    ///
    /// Where there is nothing yet, `waiter` is kept until there is.
    mutating func take(_ number: Int, _ waiter: Waiter) -> Wake? {
        guard var follower = followers[number] else { return Wake(waiter: waiter, news: nil) }
        // One task at a time reads a follower's news; a second one would wait in vain.
        if follower.waiter != nil { return Wake(waiter: waiter, news: nil) }
        guard follower.untold.isEmpty else {
            let news = follower.untold
            follower.untold = [:]
            followers[number] = follower
            return Wake(waiter: waiter, news: news)
        }
        follower.waiter = waiter
        followers[number] = follower
        return nil
    }

    /// Lets all followers go.
    mutating func removeAll() -> [Wake] {
        defer { (followers, entries, unread) = ([:], [:], []) }
        return followers.values.compactMap { follower in
            follower.waiter.map { Wake(waiter: $0, news: nil) }
        }
    }

    // MARK: News

    /// The symbols that wait for their first snapshot, or for one after the stream stood again.
    mutating func takeUnread() -> [Symbol] {
        let symbols = unread.filter { entries[$0] != nil }
        unread = []
        return begin(Array(symbols))
    }

    /// The symbols that no stream tells of: all while none stands, else those that it has no room for, and those whose
    /// snapshot failed.
    mutating func takePolled(beyond streamed: Int?) -> [Symbol] {
        guard isStreaming else { return begin(Array(entries.keys)) }
        let carried = self.streamed(atMost: streamed)
        return begin(entries.filter { !carried.contains($0.key) || $0.value.quote == nil }.map(\.key))
    }

    /// What the stream is to carry, at most so many.
    func streamed(atMost limit: Int?) -> Set<Symbol> {
        guard let limit, limit < entries.count else { return symbols }
        return Set(ordered.prefix(max(limit, 0)))
    }

    /// In an order of their own, so that a bound cuts off the same ones each time.
    private var ordered: [Symbol] { entries.keys.sorted { $0.text < $1.text } }

    /// A snapshot is asked for now: what the stream tells from here on is later than it.
    private mutating func begin(_ symbols: [Symbol]) -> [Symbol] {
        for symbol in symbols { entries[symbol]?.change = nil }
        return symbols
    }

    /// Takes in what a snapshot says.
    mutating func settle(_ results: [Symbol: QuoteNews], at moment: Instant) -> [Wake] {
        var news: [Symbol: QuoteNews] = [:]
        for (symbol, result) in results {
            guard let entry = entries[symbol] else { continue }
            switch (result, entry.news) {
            case (.success(let quote), _):
                news[symbol] = .success(
                    entry.change.map { quote.applying($0, from: provider, at: moment) } ?? quote)
            case (.failure, .success(let known)?):
                // What the stream keeps telling is not out of date because a snapshot failed.
                if !isStreaming || entry.change == nil { news[symbol] = .success(known.asStale) }
            case (.failure, _):
                news[symbol] = result
            }
        }
        return tell(news)
    }

    /// Takes in what the stream says.
    mutating func apply(_ change: QuoteChange, at moment: Instant) -> [Wake] {
        let symbol = change.symbol
        guard let entry = entries[symbol] else { return [] }
        entries[symbol]?.change = entry.change?.followed(by: change) ?? change
        // Without a snapshot most of the quote is unknown yet, and not none.
        guard case .success(let quote)? = entry.news else { return [] }
        return tell([symbol: .success(quote.applying(change, from: provider, at: moment))])
    }

    /// The stream stands: what happened before is not known, so all is to be read again.
    mutating func connected() {
        isStreaming = true
        unread = symbols
    }

    mutating func disconnected() {
        isStreaming = false
    }

    /// Keeps what is known of symbols, and tells it where it says anything new.
    private mutating func tell(_ news: [Symbol: QuoteNews]) -> [Wake] {
        var told: Set<Int> = []
        for (symbol, item) in news {
            guard var entry = entries[symbol] else { continue }
            let isNew = entry.news.map { !item.says(theSameAs: $0) } ?? true
            entry.news = item
            entries[symbol] = entry
            guard isNew else { continue }
            for number in entry.followers {
                followers[number]?.untold[symbol] = item
                told.insert(number)
            }
        }
        return told.compactMap { number in
            guard let waiter = followers[number]?.waiter, let untold = followers[number]?.untold else {
                return nil
            }
            followers[number]?.waiter = nil
            followers[number]?.untold = [:]
            return Wake(waiter: waiter, news: untold)
        }
    }
}
