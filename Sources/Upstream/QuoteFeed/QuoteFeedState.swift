import Brokerage

/// The state of a price feed: the subscribers of each symbol, its latest quote, and the undelivered events.
///
/// A value without clock or tasks: ``QuoteFeed`` stores it behind its lock and executes its results. The file is longer than
/// 350 lines, because all methods change the same entries.
struct QuoteFeedState {
    /// Signals a subscriber that there is an undelivered event, or that the feed has ended.
    typealias SendSignal = @Sendable () -> Void

    private struct Subscriber {
        let client: QuoteClient
        var symbols: Set<Symbol>
        /// The symbols with undelivered events; only the latest quote of each is delivered.
        var pending: Set<Symbol> = []
        /// Symbols that are no longer followed, with failures that are not delivered yet.
        var ended: [Symbol: ProviderFailure] = [:]
        let wakeSignal: SendSignal

        var hasPending: Bool { !pending.isEmpty || !ended.isEmpty }
    }

    private let provider: ProviderID
    /// The most symbols that are followed at once, in total and for one client.
    private let limit: (symbols: Int, perClient: Int)
    /// The number of symbols that one call reads; at least 1.
    private let symbolsPerCall: Int
    /// The age at which snapshots of streamed symbols are renewed, and the pause between two calls for symbols that lack
    /// their previous close.
    private let renewal: (age: Duration, pause: Duration)
    private var followers: [Int: Subscriber] = [:]
    private var entries: [Symbol: QuoteFeedEntry] = [:]
    /// The number of followers of each client for each symbol.
    private var clients: [QuoteClient: [Symbol: Int]] = [:]
    /// Symbols without an authenticated follower.
    ///
    /// They are removed to make room for symbols with one.
    private var evictable: Set<Symbol> = []
    private var soleFollowers = SoleFollowers()
    private var nextNumber = 0
    /// The symbols of the next snapshot.
    private var unread: Set<Symbol> = []
    /// Whether the stream is connected.
    private(set) var isStreaming = false
    /// The symbols that the stream reports to carry; nil for a stream that does not report them.
    private var carried: Set<Symbol>?
    /// When symbols that the stream carries were last read again.
    private var renewedAt: ContinuousClock.Instant?

    init(_ provider: ProviderID, _ policy: QuoteFeedPolicy) {
        self.provider = provider
        limit = (policy.symbols, policy.symbolsPerClient)
        symbolsPerCall = max(policy.symbolsPerCall, 1)
        renewal = (policy.renewalAge, policy.renewalPause)
    }

    var isIdle: Bool { followers.isEmpty }
    var followerCount: Int { followers.count }
    var symbols: Set<Symbol> { Set(entries.keys) }
    var symbolCount: Int { entries.count }

    // MARK: Followers

    /// Adds a subscriber, for which known prices and symbols without room are undelivered events; the other
    /// symbols are read.
    ///
    /// The wake signal is sent when there is an undelivered event and there was none before. A new
    /// subscriber takes its first events without a signal.
    ///
    /// - Returns: The subscriber's number, and the wake signals of the subscribers whose symbols were
    ///   removed.
    mutating func add(
        _ symbols: Set<Symbol>, for client: QuoteClient, within callBudget: OperationCallBudget?,
        wakeSignal: @escaping SendSignal
    ) -> (number: Int, wakeSignals: [SendSignal]) {
        nextNumber += 1
        let number = nextNumber
        // The caller's set is copied only if some of the symbols are refused.
        followers[number] = Subscriber(client: client, symbols: symbols, wakeSignal: wakeSignal)
        var wakeSignals: [SendSignal] = []
        // The number of symbols for which a call has been taken already.
        var paid = 0
        var callRefusal: ProviderFailure?
        for symbol in symbols {
            let isNew = entries[symbol] == nil
            if let failure = limitError(of: symbol, for: client) ?? (isNew ? callRefusal : nil) {
                reject(symbol, of: number, failure)
                continue
            }
            if isNew {
                if paid == 0 {
                    if let refusal = callBudget?.consume(isRetry: false) {
                        let failure = ProviderFailure(provider, .notAllowed(refusal))
                        callRefusal = failure
                        reject(symbol, of: number, failure)
                        continue
                    }
                    paid = symbolsPerCall
                }
                paid -= 1
                wakeSignals += evictIfFull(for: client)
            }
            add(symbol, to: number, of: client)
        }
        return (number, wakeSignals)
    }

    private mutating func reject(_ symbol: Symbol, of number: Int, _ failure: ProviderFailure) {
        followers[number]?.symbols.remove(symbol)
        followers[number]?.ended[symbol] = failure
    }

    private mutating func add(_ symbol: Symbol, to number: Int, of client: QuoteClient) {
        var entry = entries[symbol] ?? QuoteFeedEntry()
        entry.followers.insert(number)
        if client.isAuthenticated { entry.authenticated += 1 }
        if entry.authenticated > 0 { evictable.remove(symbol) } else { evictable.insert(symbol) }
        if entry.event == nil {
            unread.insert(symbol)
        } else {
            followers[number]?.pending.insert(symbol)
        }
        let isFirst = clients[client]?[symbol] == nil
        if isFirst { entry.clients += 1 }
        entries[symbol] = entry
        clients[client, default: [:]][symbol, default: 0] += 1
        if isFirst { updateSoleFollower(of: symbol) }
    }

    /// Records which client alone follows a symbol, after a client has begun or ended to follow it.
    private mutating func updateSoleFollower(of symbol: Symbol) {
        let first = entries[symbol].flatMap { $0.clients == 1 ? $0.followers.first : nil }
        soleFollowers.set(first.flatMap { followers[$0]?.client }, of: symbol)
    }

    /// The reason why a symbol may not be followed for a client; nil if it may, possibly in place of another
    /// symbol.
    private func limitError(of symbol: Symbol, for client: QuoteClient) -> ProviderFailure? {
        if let own = clients[client], own[symbol] == nil, own.count >= limit.perClient {
            return ProviderFailure(provider, .feedFull(symbolsPerClient: limit.perClient))
        }
        guard entries[symbol] == nil, entries.count >= limit.symbols else { return nil }
        if evicted(for: client) != nil { return nil }
        return ProviderFailure(provider, .feedFull(symbolsPerClient: nil))
    }

    /// The symbol that makes room for one more symbol of a client: for a user first one that only anonymous clients follow.
    private func evicted(for client: QuoteClient) -> Symbol? {
        if client.isAuthenticated, let symbol = evictable.first { return symbol }
        return soleFollowers.symbol(makingRoomFor: client)
    }

    /// Ends another symbol, if there is no room for one more symbol of a client.
    ///
    /// - Returns: The wake signals of its followers.
    private mutating func evictIfFull(for client: QuoteClient) -> [SendSignal] {
        guard entries.count >= limit.symbols, let evicted = evicted(for: client) else { return [] }
        return end(evicted, ProviderFailure(provider, .feedFull(symbolsPerClient: nil)))
    }

    /// Ends a symbol for all followers.
    ///
    /// - Returns: The wake signals of the followers to which none was sent since they last took their events.
    private mutating func end(_ symbol: Symbol, _ failure: ProviderFailure) -> [SendSignal] {
        var wakeSignals: [SendSignal] = []
        for number in entries[symbol]?.followers ?? [] {
            guard let follower = followers[number] else { continue }
            if !follower.hasPending { wakeSignals.append(follower.wakeSignal) }
            followers[number]?.symbols.remove(symbol)
            followers[number]?.pending.remove(symbol)
            followers[number]?.ended[symbol] = failure
            release(symbol, of: number, follower.client)
        }
        return wakeSignals
    }

    /// Removes a subscriber, and the symbols that have no subscriber any more.
    mutating func remove(_ number: Int) {
        guard let follower = followers.removeValue(forKey: number) else { return }
        for symbol in follower.symbols { release(symbol, of: number, follower.client) }
    }

    /// Removes symbols of a subscriber; a subscriber without symbols is removed.
    mutating func remove(_ symbols: Set<Symbol>, of number: Int) {
        guard let follower = followers[number] else { return }
        if follower.symbols.isSubset(of: symbols) { return remove(number) }
        for symbol in follower.symbols.intersection(symbols) { release(symbol, of: number, follower.client) }
        followers[number]?.symbols.subtract(symbols)
        followers[number]?.pending.subtract(symbols)
    }

    private mutating func release(_ symbol: Symbol, of number: Int, _ client: QuoteClient) {
        let count = clients[client]?[symbol] ?? 0
        if count > 0 {
            clients[client]?[symbol] = count > 1 ? count - 1 : nil
            if clients[client]?.isEmpty == true { clients[client] = nil }
        }
        guard entries[symbol]?.followers.remove(number) != nil else { return }
        defer { if count <= 1 { updateSoleFollower(of: symbol) } }
        if count == 1 { entries[symbol]?.clients -= 1 }
        if client.isAuthenticated { entries[symbol]?.authenticated -= 1 }
        if entries[symbol]?.followers.isEmpty == true {
            entries[symbol] = nil
            unread.remove(symbol)
            evictable.remove(symbol)
        } else if entries[symbol]?.authenticated == 0 {
            evictable.insert(symbol)
        }
    }

    /// Returns the undelivered events of a subscriber; nil after it was removed.
    mutating func drainPending(by number: Int) -> QuoteFeedUpdate? {
        guard let follower = followers[number] else { return nil }
        // Releases the capacity, because most followers have no undelivered news most of the time.
        followers[number]?.pending = []
        var update = QuoteFeedUpdate()
        for symbol in follower.pending { update.events[symbol] = entries[symbol]?.event }
        if !follower.ended.isEmpty {
            followers[number]?.ended = [:]
            for (symbol, failure) in follower.ended { update.events[symbol] = .failure(failure) }
            update.ended = Set(follower.ended.keys)
        }
        return update
    }

    /// Lets all followers go.
    ///
    /// - Returns: The wake signals of all followers.
    mutating func removeAll() -> [SendSignal] {
        defer {
            (followers, entries, unread, clients, evictable) = ([:], [:], [], [:], [])
            soleFollowers = SoleFollowers()
        }
        return followers.values.map(\.wakeSignal)
    }

    // MARK: News

    /// The symbols that wait for their first snapshot, or for one after the stream stood again.
    mutating func drainUnread(at now: ContinuousClock.Instant) -> [Symbol] {
        let symbols = unread.filter { entries[$0] != nil }
        unread = []
        return begin(Array(symbols), at: now)
    }

    /// The symbols that the stream does not carry: all while it is not connected, otherwise those above its
    /// limit, and those whose snapshot failed; and the streamed ones whose snapshot must be renewed.
    mutating func beginPoll(beyond streamed: Int?, at now: ContinuousClock.Instant) -> [Symbol] {
        guard isStreaming else { return begin(Array(entries.keys), at: now) }
        let carried = self.carried ?? self.streamed(atMost: streamed)
        let polled = entries.filter { !carried.contains($0.key) || $0.value.quote == nil }.map(\.key)
        let renewed = dueRenewals(of: carried, at: now)
        return begin(polled, at: now) + begin(renewed, at: now, isRenewal: true)
    }

    /// The streamed symbols whose previous close is read again, because the stream does not send it.
    ///
    /// All of them if one snapshot is old, so that they have the same age afterwards, and few calls read them. Before that,
    /// those whose price is of a later day than their snapshot: each is such a symbol once a day.
    private mutating func dueRenewals(of carried: Set<Symbol>, at now: ContinuousClock.Instant) -> [Symbol] {
        let candidates = entries.filter { carried.contains($0.key) && $0.value.needsRenewals }
        let isOld = candidates.values.contains { $0.wasRequested(by: now - renewal.age) }
        var due = Array(candidates.keys)
        if !isOld {
            due = candidates.filter(\.value.isRenewalUrgent).map(\.key)
            if due.isEmpty || renewedAt.map({ now < $0 + renewal.pause }) ?? false { return [] }
        }
        renewedAt = now
        return due
    }

    /// The symbols that the stream should carry, at most the given number.
    func streamed(atMost limit: Int?) -> Set<Symbol> {
        guard let limit, limit < entries.count else { return symbols }
        return Set(ordered.prefix(max(limit, 0)))
    }

    /// Whether an authenticated user follows a symbol.
    func isFollowedByUser(_ symbol: Symbol) -> Bool { entries[symbol].map { $0.authenticated > 0 } ?? false }

    /// The symbols of authenticated users first, in a stable order, so that a limit cuts off the same ones
    /// each time.
    private var ordered: [Symbol] {
        entries.keys.sorted { first, second in
            let (isFirstEvictable, isSecondEvictable) = (
                evictable.contains(first), evictable.contains(second)
            )
            return isFirstEvictable == isSecondEvictable ? first.text < second.text : isSecondEvictable
        }
    }

    /// Records that a snapshot is requested now: later changes of the stream are newer than it.
    private mutating func begin(
        _ symbols: [Symbol], at now: ContinuousClock.Instant, isRenewal: Bool = false
    ) -> [Symbol] {
        for symbol in symbols { entries[symbol]?.begin(at: now, isRenewal: isRenewal) }
        return symbols
    }

    /// Stores the results of a snapshot.
    ///
    /// A symbol that the provider does not know is no longer followed.
    mutating func settle(_ results: [Symbol: QuoteEvent], at moment: Instant) -> [SendSignal] {
        var news: [Symbol: QuoteEvent] = [:]
        var wakeSignals: [SendSignal] = []
        for (symbol, result) in results {
            guard let place = entries.index(forKey: symbol) else { continue }
            switch (result, entries.values[place].event) {
            case (.success(let quote), .success?)
            where quote.provenance.isStale && isStreaming && entries.values[place].isKeptByStream:
                // The value of the cache after a failed read; the stream keeps the known one up to date.
                continue
            case (.success(let quote), _):
                news[symbol] = .success(entries.values[place].merge(quote, from: provider, at: moment))
            case (.failure, .success(let known)?):
                // A price that the stream keeps up to date is not stale because a snapshot failed.
                if !isStreaming || !entries.values[place].isKeptByStream {
                    news[symbol] = .success(known.markedStale)
                }
            case (.failure(let failure), _) where failure.cause.traits.contains(.unknownObject):
                wakeSignals += end(symbol, failure)
            case (.failure, _):
                news[symbol] = result
            }
        }
        return wakeSignals + publish(news)
    }

    /// Applies a change from the stream.
    mutating func apply(_ change: QuoteUpdate, at moment: Instant) -> [SendSignal] {
        guard let place = entries.index(forKey: change.symbol),
            let quote = entries.values[place].apply(change, from: provider, at: moment)
        else { return [] }
        return publish([change.symbol: .success(quote)])
    }

    /// Records that the stream is connected: earlier changes are unknown, so all symbols are read again.
    mutating func connected() {
        isStreaming = true
        carried = nil
        unread = symbols
        forgetStreamed()
    }

    mutating func disconnected() {
        isStreaming = false
        carried = nil
        forgetStreamed()
    }

    private mutating func forgetStreamed() {
        for place in entries.values.indices { entries.values[place].forgetStreamed() }
    }

    /// Records the symbols that the stream carries.
    mutating func carry(_ symbols: Set<Symbol>) {
        carried = symbols
    }

    /// Stores the events of symbols.
    ///
    /// - Returns: The wake signals of the subscribers that have a new event, and got no signal since they
    ///   last read.
    private mutating func publish(_ news: [Symbol: QuoteEvent]) -> [SendSignal] {
        var wakeSignals: [SendSignal] = []
        for (symbol, item) in news {
            guard let known = entries[symbol] else { continue }
            entries[symbol]?.event = item
            guard known.event.map({ !item.isEquivalent(to: $0) }) ?? true else { continue }
            wakeSignals.reserveCapacity(known.followers.count)
            for number in known.followers {
                guard let follower = followers[number] else { continue }
                if !follower.hasPending { wakeSignals.append(follower.wakeSignal) }
                followers[number]?.pending.insert(symbol)
            }
        }
        return wakeSignals
    }
}
