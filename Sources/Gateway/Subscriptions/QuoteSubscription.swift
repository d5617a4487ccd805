package import Brokerage
import Coordination
import GraphQL
import PorticoCore
import Synchronization
package import Upstream

/// The prices of some symbols for one subscriber: the first of each as soon as it is known, then each change.
///
/// Only one task at a time may iterate. A slow reader gets the latest value of each symbol; intermediate
/// values are dropped. The symbols are followed until this object is released. The sequence ends when no
/// source can return a price of any symbol again; each symbol was reported as failed before.
///
/// It executes the steps of a ``QuoteFallbackState`` at the feeds of its sources. Events of a feed arrive on the stream's
/// thread, and wake the reader. Symbols for which a feed is full, or for which the client has no call left, are requested
/// again after a pause, which grows with each attempt up to a maximum.
package final class QuoteSubscription: AsyncSequence, Sendable {
    package typealias Element = [Symbol: LiveNews]

    private struct State {
        var fallback: QuoteFallbackState
        /// The subscriptions to feeds, by their numbers.
        var subscriptions: [Int: SourceSubscription] = [:]
        var nextSubscriptionNumber = 0
        /// Symbols that sources have refused for now, by source.
        var retries: [Int: Retry] = [:]
    }

    private struct SourceSubscription {
        let source: Int
        var symbols: Set<Symbol>
        let follower: QuoteFeedSubscriber
    }

    private struct Retry {
        var symbols: Set<Symbol> = []
        /// The number of consecutive attempts without room.
        var failures = 0
        /// The task that waits for the next attempt.
        var timer: Task<Void, Never>?
    }

    /// Signals that events wait.
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let client: QuoteClient
    private let callBudget: OperationCallBudget?
    private let clock: TimeSource
    private let feed: @Sendable (Int) throws(ProviderFailure) -> QuoteFeed
    // Events come from several feeds at once. The lock is held during calls of the feeds, so that their
    // order is defined; feeds have their own locks, and call nothing back while they hold them.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - sources: For each symbol the sources that could have it, best first.
    ///   - client: The client against whose limit the symbols count.
    ///   - callBudget: The calls that the client may cause, renewed each time that a source is followed; nil
    ///     for no limit.
    ///   - clock: The clock for the pauses after which a full feed is tried again.
    ///   - feed: Returns the feed of a source; throws if the source is gone.
    package init(
        _ sources: [Symbol: [Int]], for client: QuoteClient, within callBudget: OperationCallBudget? = nil,
        clock: TimeSource = .system,
        at feed: @escaping @Sendable (Int) throws(ProviderFailure) -> QuoteFeed
    ) {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.client, self.callBudget, self.clock, self.feed) = (client, callBudget, clock, feed)
        state = Mutex(State(fallback: QuoteFallbackState(sources)))
        state.withLock { carryOut($0.fallback.start, &$0) }
    }

    deinit {
        for retry in state.withLock(\.retries).values { retry.timer?.cancel() }
    }

    package struct Iterator: AsyncIteratorProtocol {
        let quotes: QuoteSubscription
        var signals: AsyncStream<Void>.Iterator

        package mutating func next() async -> Element? {
            while let news = quotes.drainPending() {
                if !news.isEmpty { return news }
                guard await signals.next(isolation: #isolation) != nil else { return nil }
            }
            return nil
        }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(quotes: self, signals: signals.makeAsyncIterator())
    }

    /// The news that were not delivered yet, without waiting; they count as delivered from now on.
    ///
    /// - Returns: nil at the end.
    func drainPending() -> [Symbol: LiveNews]? {
        state.withLock { state in
            state.fallback.isOver && !state.fallback.hasPending ? nil : state.fallback.drainPending()
        }
    }

    /// Handles the signal of a feed.
    private func handleWakeSignal(_ number: Int) {
        change { state in drainSubscription(number, &state) }
    }

    /// Changes the state, and wakes the reader if there are news.
    private func change(_ change: (inout State) -> Void) {
        let hasNews = state.withLock { state in
            change(&state)
            return state.fallback.hasPending || state.fallback.isOver
        }
        if hasNews { signal.yield() }
    }

    private func drainSubscription(_ number: Int, _ state: inout State) {
        guard let leg = state.subscriptions[number] else { return }
        if let update = leg.follower.drainPending() {
            if !update.ended.isEmpty {
                let rest = leg.symbols.subtracting(update.ended)
                state.subscriptions[number]?.symbols = rest
                if rest.isEmpty { state.subscriptions[number] = nil }
            }
            handle(update, from: leg.source, &state)
        } else {
            // Its feed was closed, and its symbols are subscribed to again.
            state.subscriptions[number] = nil
            carryOut(QuoteFallbackState.Step(follow: [leg.source: leg.symbols]), &state)
        }
    }

    private func handle(_ update: QuoteFeedUpdate, from source: Int, _ state: inout State) {
        let refused = update.events.filter { update.ended.contains($0.key) && !$0.value.isFinalFailure }
        if !refused.isEmpty { followLater(refused, of: source, &state) }
        carryOut(state.fallback.receive(update.events, ended: update.ended, from: source), &state)
    }

    private func carryOut(_ step: QuoteFallbackState.Step, _ state: inout State) {
        for (source, symbols) in step.unfollow {
            state.retries[source]?.symbols.subtract(symbols)
            for (number, leg) in state.subscriptions where leg.source == source {
                let rest = leg.symbols.subtracting(symbols)
                state.subscriptions[number]?.symbols = rest
                leg.follower.unsubscribe(symbols)
                if rest.isEmpty { state.subscriptions[number] = nil }
            }
        }
        for (source, symbols) in step.follow {
            do throws(ProviderFailure) {
                try follow(symbols, of: source, &state)
            } catch {
                // The source has no room or was removed: the next source may have the quote.
                let news = Dictionary(symbols.map { ($0, QuoteEvent.failure(error)) }) { first, _ in first }
                handle(QuoteFeedUpdate(events: news, ended: symbols), from: source, &state)
            }
        }
    }

    /// Follows refused symbols after a pause, which grows with each consecutive attempt without room.
    private func followLater(_ refused: [Symbol: QuoteEvent], of source: Int, _ state: inout State) {
        var retry = state.retries[source] ?? Retry()
        retry.symbols.formUnion(refused.keys)
        if retry.timer == nil {
            retry.failures += 1
            let end = clock.now() + pause(after: retry.failures, refused.values)
            retry.timer = Task { [weak self, clock] in
                guard (try? await clock.sleep(end)) != nil else { return }
                self?.followAgain(source)
            }
        }
        state.retries[source] = retry
    }

    /// The pause before the next attempt.
    ///
    /// It is the longest one if each symbol was refused for a limit of this client: a client with thousands of
    /// refused symbols would otherwise take processor time from all others.
    private func pause(
        after failures: Int, _ refused: Dictionary<Symbol, QuoteEvent>.Values
    ) -> Duration {
        RetryPolicy.streams.pause(after: refused.allSatisfy(\.isClientLimit) ? .max : failures)
    }

    private func followAgain(_ source: Int) {
        change { state in
            guard let symbols = state.retries[source]?.symbols else { return }
            state.retries[source]?.symbols = []
            state.retries[source]?.timer = nil
            if !symbols.isEmpty { carryOut(QuoteFallbackState.Step(follow: [source: symbols]), &state) }
            if state.retries[source]?.symbols.isEmpty == true { state.retries[source] = nil }
        }
    }

    private func follow(
        _ symbols: Set<Symbol>, of source: Int, _ state: inout State
    ) throws(ProviderFailure) {
        let number = state.nextSubscriptionNumber
        state.nextSubscriptionNumber += 1
        // Weak, because the feed retains the closure until the follower is released.
        let follower = try feed(source).follow(symbols, for: client, within: callBudget?.renewed()) {
            [weak self] in
            self?.handleWakeSignal(number)
        }
        state.subscriptions[number] = SourceSubscription(source: source, symbols: symbols, follower: follower)
        // Reads the events that are available already.
        drainSubscription(number, &state)
    }
}

/// The prices of a subscription, one at a time.
///
/// For one reader. For each symbol only the latest event waits: a slow reader does not receive intermediate
/// events.
struct QuoteSequence: AsyncSequence, Sendable {
    typealias Element = LiveValue<Quote>

    private let quotes: QuoteSubscription
    private let unknown: [Symbol]

    /// - Parameters:
    ///   - quotes: The subscription.
    ///   - unknown: Symbols that no source has: each is reported once as not found.
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
                return .failure(FieldError([], of: symbol.phrase))
            }
            // New events replace the waiting ones.
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

extension SubscriptionService {
    /// Subscribes to prices: each symbol at the first source of the route that has a price; equal
    /// subscriptions are shared.
    ///
    /// - Parameters:
    ///   - symbols: At most 200.
    ///   - provider: The only provider to use; nil for the route.
    /// - Returns: The prices from now on; a symbol that no source can have is not among them.
    /// - Throws: `FieldError` if there is no source of quotes.
    package func follow(_ symbols: [Symbol], from provider: ProviderID?) throws -> QuoteSubscription {
        try FieldError.checkCount(of: symbols, maximum: QuoteService.maximumSymbols)
        let sources = try reads.sources(for: .quotes, from: provider)
        let places = Dictionary(
            symbols.map { symbol in (symbol, sources.indices.filter { sources[$0].has(symbol) }) },
            uniquingKeysWith: { first, _ in first })
        return QuoteSubscription(
            places, for: quoteClient, within: scope.call.callBudget, clock: subscriptions.clock
        ) {
            [services = scope.services] place throws(ProviderFailure) in
            services.live.feed(for: try services.currentSource(sources[place]))
        }
    }

    /// The client against whose limit symbols of price feeds count.
    ///
    /// A guest counts together with the other guests at the same address, since one client can create any
    /// number of guests.
    private var quoteClient: QuoteClient {
        guard let owner = scope.session.owner, !scope.session.isLimitedByAddress else {
            return .address(scope.client.number)
        }
        return .user(owner)
    }
}

extension GatewayServices {
    /// The current source for a source of an earlier time.
    ///
    /// - Throws: `unauthorized` for a source of a connection that was removed.
    fileprivate func currentSource(_ source: MarketDataSource) throws(ProviderFailure) -> MarketDataSource {
        switch source.audience {
        case .everybody: return source
        case .owner(let owner, let connection):
            guard let now = links(of: owner).first(where: { $0.id == connection })?.market else {
                throw ProviderFailure(source.provider, .unauthorized)
            }
            return now
        }
    }
}
