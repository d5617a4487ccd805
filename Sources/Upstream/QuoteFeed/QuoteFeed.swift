package import Brokerage
import Synchronization

/// The bounds of a ``QuoteFeed``.
package struct QuoteFeedPolicy: Sendable {
    /// The interval at which symbols without a stream are polled.
    package var pollInterval = Duration.seconds(5)
    /// The longest pause after failed reads, if it is longer than the usual one.
    ///
    /// The pause doubles with each failed read.
    package var maximumPause = Duration.seconds(60)
    /// A snapshot may take so long.
    package var snapshotTimeout = Duration.seconds(10)
    /// The age at which the snapshots of streamed symbols are renewed, all with as few calls as possible.
    ///
    /// It applies to symbols whose previous close the stream does not send: the close of a day is known some time after the
    /// day, and the stream does not report it.
    package var renewalAge = Duration.seconds(900)
    /// The least time between two renewals of streamed symbols whose price is of a later day than their snapshot.
    package var renewalPause = Duration.seconds(60)
    /// The pauses between attempts to connect the stream; their number is not limited.
    package var retry = RetryPolicy.streams
    /// Symbols that are followed at once.
    package var symbols = 2_000
    /// The most symbols that are followed at once for one client: see ``QuoteClient``.
    package var symbolsPerClient = 400
    /// The number of symbols that one call of a snapshot reads.
    ///
    /// The calls that a follower causes are computed from it.
    package var symbolsPerCall = Int.max
    /// The maximum number of concurrent subscribers.
    package var followers = 50_000

    package init() {}
}

/// The price feed of one provider, shared by all subscribers.
///
/// While there are subscribers, one connection of the provider's stream carries all symbols. After a failure
/// it reconnects, with growing pauses; until then, and for symbols that the stream does not carry, prices
/// are polled. The first quote of a symbol, and the first one after each reconnection, comes from a
/// snapshot, to which the stream's changes are applied. Snapshots are renewed while the stream is connected if it does not
/// send the previous close.
package final class QuoteFeed: Sendable {
    /// Reads the latest quotes of some symbols, within quota.
    package typealias Snapshot = @Sendable ([Symbol], CallContext) async -> [Symbol: QuoteEvent]

    private struct State {
        var feed: QuoteFeedState
        /// The number of the current work; an earlier one has no effect any more.
        var generation = 0
        /// The task that updates the state while there are subscribers.
        var work: Task<Void, Never>?
        /// Since when there are no subscribers.
        var idleSince: ContinuousClock.Instant?
        /// Sends the symbols that the connection must carry.
        var symbolsContinuation: AsyncStream<Set<Symbol>>.Continuation?
        /// Signals that there are unread symbols.
        var readRequest: AsyncStream<Void>.Continuation?
        /// No subscriber is accepted any more.
        var isClosed = false
        /// The signals to send after the lock is released.
        var wakeSignals: [QuoteFeedState.SendSignal] = []
        /// Whether a task is about to send the wake signals.
        var isSignaling = false
    }

    private let provider: ProviderID
    private let stream: (any QuoteStream)?
    private let policy: QuoteFeedPolicy
    private let clock: TimeSource
    private let snapshot: Snapshot
    // Held while the state changes, never during an `await` or a wake signal: messages of the stream arrive
    // on its thread. The streams of wanted symbols and of read requests are written while it is held, in the order
    // of the changes. So no handler of a cancellation or of a stream's end may wait for it: such a handler
    // runs while a lock of the reading task is held, for which `yield` waits.
    private let state: Mutex<State>

    /// Creates a feed that makes no call until there is a subscriber.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - stream: The stream of the provider; nil if it has none.
    ///   - policy: The limits and intervals.
    ///   - clock: The clocks.
    ///   - snapshot: Reads quotes.
    package init(
        _ provider: ProviderID, stream: (any QuoteStream)?, policy: QuoteFeedPolicy = QuoteFeedPolicy(),
        clock: TimeSource = .system, snapshot: @escaping Snapshot
    ) {
        self.provider = provider
        self.stream = stream
        self.policy = policy
        self.clock = clock
        self.snapshot = snapshot
        state = Mutex(State(feed: QuoteFeedState(provider, policy), idleSince: clock.now()))
    }

    /// The number of subscribed symbols.
    package var symbolCount: Int { state.withLock { $0.feed.symbolCount } }

    /// Since when there are no subscribers; nil while there are.
    package var idleSince: ContinuousClock.Instant? { state.withLock(\.idleSince) }

    /// Subscribes to symbols until the subscriber is released.
    ///
    /// If the feed is full, symbols of an authenticated user replace symbols that only anonymous clients
    /// follow, and otherwise those of the user who follows the most symbols alone; so it is among anonymous clients. A symbol
    /// for which there is no room, or above the client's share, is reported as ended (`feedFull`). So is a symbol that no client
    /// follows yet, if the client may make no call for it (`notAllowed`). The other symbols are added.
    ///
    /// - Parameters:
    ///   - symbols: At least one.
    ///   - client: The client for which they are counted.
    ///   - callBudget: The calls that the client may cause: one is used for each call that reads symbols that
    ///     no client follows yet. Later reads are for all subscribers. Nil for no limit.
    ///   - wakeSignal: Called once there are undelivered events, again when they were taken and there are more,
    ///     and at the end. A new subscriber takes its first events without it. It is called on any thread,
    ///     and must be fast; it may call the feed.
    /// - Returns: The subscriber, which delivers the events. It ends immediately if the feed has been
    ///   closed.
    /// - Throws: `feedFull` if there are as many subscribers as allowed.
    package func follow(
        _ symbols: Set<Symbol>, for client: QuoteClient, within callBudget: OperationCallBudget? = nil,
        wakeSignal: @escaping @Sendable () -> Void
    ) throws(ProviderFailure) -> QuoteFeedSubscriber {
        let (number, mustSend): (Int?, Bool) = state.withLock { state in
            // A number that no subscriber has.
            if state.isClosed { return (0, false) }
            guard state.feed.followerCount < policy.followers else { return (nil, false) }
            let (number, wakeSignals) = state.feed.add(
                symbols, for: client, within: callBudget, wakeSignal: wakeSignal)
            state.idleSince = nil
            if state.work == nil { start(&state) }
            state.symbolsContinuation?.yield(state.feed.streamed(atMost: stream?.symbolLimit))
            state.readRequest?.yield()
            return (number, enqueue(wakeSignals, &state))
        }
        guard let number else { throw ProviderFailure(provider, .feedFull(symbolsPerClient: nil)) }
        if mustSend { Task.detached { [self] in sendWakeSignals() } }
        return QuoteFeedSubscriber(number, of: self)
    }

    /// Ends the feed: it makes no more calls, and all subscribers end.
    package func close() {
        let (wakeSignals, work) = state.withLock { state in
            state.isClosed = true
            return (state.feed.removeAll(), stop(&state))
        }
        work?.cancel()
        for send in wakeSignals { send() }
    }

    func drainPending(by number: Int) -> QuoteFeedUpdate? {
        state.withLock { $0.feed.drainPending(by: number) }
    }

    func unsubscribe(_ number: Int) {
        applyRemoval { $0.remove(number) }
    }

    func unsubscribe(_ symbols: Set<Symbol>, of number: Int) {
        applyRemoval { $0.remove(symbols, of: number) }
    }

    private func applyRemoval(_ removal: (inout QuoteFeedState) -> Void) {
        let work = state.withLock { state -> Task<Void, Never>? in
            removal(&state.feed)
            guard state.feed.isIdle else {
                state.symbolsContinuation?.yield(state.feed.streamed(atMost: stream?.symbolLimit))
                return nil
            }
            if state.work != nil { state.idleSince = clock.now() }
            return stop(&state)
        }
        work?.cancel()
    }

    // MARK: Work

    /// Starts the work in a task of its own, because it belongs to all subscribers and not to the first one.
    private func start(_ state: inout State) {
        let (readRequests, readRequest) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.generation += 1
        state.readRequest = readRequest
        let generation = state.generation
        state.work = Task.detached { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.keepConnected(generation) }
                group.addTask { await self.readUnread(readRequests, generation) }
                group.addTask { await self.poll(generation) }
            }
        }
    }

    /// Removes the task, which must be cancelled outside of the lock.
    private func stop(_ state: inout State) -> Task<Void, Never>? {
        defer {
            state.generation += 1
            state.work = nil
            state.symbolsContinuation = nil
            state.readRequest = nil
            state.feed.disconnected()
        }
        return state.work
    }

    private func readUnread(_ readRequests: AsyncStream<Void>, _ generation: Int) async {
        for await _ in readRequests {
            await read(generation) { $0.drainUnread(at: clock.now()) }
        }
    }

    private func poll(_ generation: Int) async {
        var pause = policy.pollInterval
        while (try? await clock.sleep(clock.now() + pause)) != nil {
            let hasFailed = await !read(generation) {
                $0.beginPoll(beyond: stream?.symbolLimit, at: clock.now())
            }
            pause =
                hasFailed
                ? max(policy.pollInterval, min(pause * 2, policy.maximumPause)) : policy.pollInterval
        }
    }

    /// - Returns: false if there was something to read, and all reads failed.
    @discardableResult
    private func read(_ generation: Int, _ symbols: (inout QuoteFeedState) -> [Symbol]) async -> Bool {
        let (ofUsers, ofOthers) = state.withLock { state -> ([Symbol], [Symbol]) in
            let symbols = state.generation == generation ? symbols(&state.feed) : []
            let areOfUsers = symbols.map { state.feed.isFollowedByUser($0) }
            // If calls are not scarce, one call for both is better than two.
            guard provider.traits.hasLowQuota || !areOfUsers.contains(true) else { return (symbols, []) }
            return (
                zip(symbols, areOfUsers).filter(\.1).map(\.0),
                zip(symbols, areOfUsers).filter { !$0.1 }.map(\.0)
            )
        }
        // Anonymous clients use no more of a quota by subscriptions than by queries.
        let outcomes = [
            await read(ofUsers, nil, generation), await read(ofOthers, .ofAnonymousClients, generation),
        ].compactMap(\.self)
        return outcomes.isEmpty || outcomes.contains(true)
    }

    /// Whether any of the symbols was read; nil if there are none.
    private func read(
        _ symbols: [Symbol], _ callBudget: OperationCallBudget?, _ generation: Int
    ) async -> Bool? {
        guard !symbols.isEmpty else { return nil }
        let call = CallContext(deadline: clock.now() + policy.snapshotTimeout, callBudget: callBudget)
        let results = await snapshot(symbols, call)
        change(generation) { $0.settle(results, at: clock.wallTime()) }
        return results.values.contains { (try? $0.get()) != nil }
    }

    /// Runs one connection after another; returns at once without a stream, and all symbols are polled.
    private func keepConnected(_ generation: Int) async {
        guard let stream else { return }
        _ = await ReconnectingStream(policy.retry, clock: clock).run { didStand throws(ProviderFailure) in
            defer { disconnected(generation) }
            try await stream.run(symbolUpdates(for: stream, generation)) { event in
                if case .connected = event { didStand() }
                self.handle(event, generation)
            }
        }
    }

    private func symbolUpdates(for stream: any QuoteStream, _ generation: Int) -> AsyncStream<Set<Symbol>> {
        let (wanted, continuation) = AsyncStream.makeStream(
            of: Set<Symbol>.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            guard state.generation == generation else { return continuation.finish() }
            continuation.yield(state.feed.streamed(atMost: stream.symbolLimit))
            state.symbolsContinuation = continuation
        }
        return wanted
    }

    private func disconnected(_ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.symbolsContinuation = nil
            state.feed.disconnected()
        }
    }

    private func handle(_ event: StreamEvent<QuoteUpdate>, _ generation: Int) {
        switch event {
        case .connected:
            state.withLock { state in
                guard state.generation == generation else { return }
                state.feed.connected()
                // A stream may learn its limit when it connects.
                state.symbolsContinuation?.yield(state.feed.streamed(atMost: stream?.symbolLimit))
                state.readRequest?.yield()
            }
        case .carrying(let symbols):
            state.withLock { state in
                guard state.generation == generation else { return }
                state.feed.carry(symbols)
            }
        case .value(let value):
            change(generation) { $0.apply(value, at: clock.wallTime()) }
        }
    }

    private func change(_ generation: Int, _ change: (inout QuoteFeedState) -> [QuoteFeedState.SendSignal]) {
        let mustSend = state.withLock { state in
            guard state.generation == generation else { return false }
            let count = state.feed.symbolCount
            let wakeSignals = change(&state.feed)
            if state.feed.symbolCount != count {
                state.symbolsContinuation?.yield(state.feed.streamed(atMost: stream?.symbolLimit))
            }
            return enqueue(wakeSignals, &state)
        }
        // Not immediately: messages that the stream sends together, a trade and then its quote, become one
        // event.
        if mustSend { Task.detached { [self] in sendWakeSignals() } }
    }

    /// - Returns: whether the caller must send the wake signals outside of the lock.
    private func enqueue(_ wakeSignals: [QuoteFeedState.SendSignal], _ state: inout State) -> Bool {
        state.wakeSignals += wakeSignals
        if state.wakeSignals.isEmpty || state.isSignaling { return false }
        state.isSignaling = true
        return true
    }

    private func sendWakeSignals() {
        while true {
            let wakeSignals = state.withLock { state in
                defer { state.wakeSignals = [] }
                state.isSignaling = !state.wakeSignals.isEmpty
                return state.wakeSignals
            }
            if wakeSignals.isEmpty { return }
            for send in wakeSignals { send() }
        }
    }
}
