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
    /// Tells a follower that there is something untold, or that it is over.
    typealias Bell = @Sendable () -> Void

    private struct Follower {
        var symbols: Set<Symbol>
        /// Of which there are news: the latest only, for who is slow is not told what is over.
        var untold: Set<Symbol> = []
        let bell: Bell
    }

    private struct Entry {
        var followers: Set<Int> = []
        var news: QuoteNews?
        /// What the stream has told since the last snapshot was asked for.
        var change: QuoteChange?

        var quote: Quote? { try? news?.get() }
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

    /// Takes a follower in: what is known is untold, the rest is to be read.
    ///
    /// The bell rings when something comes to be untold where nothing was; who has just come looks without being told.
    mutating func add(_ symbols: Set<Symbol>, ringing bell: @escaping Bell) -> Int {
        nextNumber += 1
        var follower = Follower(symbols: symbols, bell: bell)
        for symbol in symbols {
            entries[symbol, default: Entry()].followers.insert(nextNumber)
            if entries[symbol]?.news == nil {
                unread.insert(symbol)
            } else {
                follower.untold.insert(symbol)
            }
        }
        followers[nextNumber] = follower
        return nextNumber
    }

    /// Lets a follower go, and forgets what nobody follows any more.
    mutating func remove(_ number: Int) {
        guard let follower = followers.removeValue(forKey: number) else { return }
        for symbol in follower.symbols { forget(symbol, of: number) }
    }

    /// Lets a follower go from some of its symbols; from the last of them is as good as gone.
    mutating func remove(_ symbols: Set<Symbol>, of number: Int) {
        guard let follower = followers[number] else { return }
        if follower.symbols.isSubset(of: symbols) { return remove(number) }
        for symbol in follower.symbols.intersection(symbols) { forget(symbol, of: number) }
        followers[number]?.symbols.subtract(symbols)
        followers[number]?.untold.subtract(symbols)
    }

    private mutating func forget(_ symbol: Symbol, of number: Int) {
        entries[symbol]?.followers.remove(number)
        guard entries[symbol]?.followers.isEmpty == true else { return }
        entries[symbol] = nil
        unread.remove(symbol)
    }

    /// What a follower was not told; nil after it left.
    mutating func takeUntold(by number: Int) -> [Symbol: QuoteNews]? {
        guard let untold = followers[number]?.untold else { return nil }
        followers[number]?.untold.removeAll(keepingCapacity: true)
        var news: [Symbol: QuoteNews] = [:]
        for symbol in untold { news[symbol] = entries[symbol]?.news }
        return news
    }

    /// Lets all followers go.
    ///
    /// - Returns: their bells.
    mutating func removeAll() -> [Bell] {
        defer { (followers, entries, unread) = ([:], [:], []) }
        return followers.values.map(\.bell)
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
    mutating func settle(_ results: [Symbol: QuoteNews], at moment: Instant) -> [Bell] {
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
    mutating func apply(_ change: QuoteChange, at moment: Instant) -> [Bell] {
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

    /// Keeps what is known of symbols.
    ///
    /// - Returns: the bells of those for whom it says anything new, and who have not been rung for since they last looked.
    private mutating func tell(_ news: [Symbol: QuoteNews]) -> [Bell] {
        var bells: [Bell] = []
        for (symbol, item) in news {
            guard let known = entries[symbol] else { continue }
            entries[symbol]?.news = item
            guard known.news.map({ !item.says(theSameAs: $0) }) ?? true else { continue }
            bells.reserveCapacity(known.followers.count)
            for number in known.followers {
                guard let follower = followers[number] else { continue }
                if follower.untold.isEmpty { bells.append(follower.bell) }
                followers[number]?.untold.insert(symbol)
            }
        }
        return bells
    }
}
