package import Brokerage
import Synchronization
package import Upstream

/// The prices of some symbols, as one who follows them is told: the first of each as soon as it is known, then each change.
///
/// For one task at a time. Who is slow is told the latest of each symbol, and nothing of what lay between. The symbols are
/// followed until this goes away.
package final class LiveQuotes: AsyncSequence, Sendable {
    package typealias Element = [Symbol: QuoteNews]

    private let desk: LiveDesk

    /// - Parameters:
    ///   - sources: For each symbol those that could have it, best first.
    ///   - hub: Where a source is followed now; it throws where it can be no more.
    init(
        _ sources: [Symbol: [Int]], at hub: @escaping @Sendable (Int) throws(ProviderFailure) -> QuoteHub
    ) {
        desk = LiveDesk(LiveBoard(sources), at: hub)
        desk.start()
    }

    deinit {
        desk.end()
    }

    /// What was not told yet, without waiting for it; it counts as told from now on.
    func takeUntold() -> Element { desk.takeUntold() }

    package struct Iterator: AsyncIteratorProtocol {
        let quotes: LiveQuotes
        var nudges: AsyncStream<Void>.Iterator

        package mutating func next() async -> Element? {
            while true {
                let news = quotes.takeUntold()
                if !news.isEmpty { return news }
                guard await nudges.next(isolation: #isolation) != nil else { return nil }
            }
        }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(quotes: self, nudges: desk.nudges.makeAsyncIterator())
    }
}

/// Follows symbols at the hubs of their sources as a ``LiveBoard`` says.
///
/// Without a task of its own: what a hub's stream tells goes through here on the stream's thread, and wakes the reader.
private final class LiveDesk: Sendable {
    private struct State {
        var board: LiveBoard
        /// What is followed at hubs, by numbers of their own.
        var legs: [Int: Leg] = [:]
        var nextLeg = 0
        var isOver = false
    }

    private struct Leg {
        let source: Int
        var symbols: Set<Symbol>
        let follower: QuoteFollower
    }

    /// Tells that there is something untold.
    let nudges: AsyncStream<Void>
    private let nudge: AsyncStream<Void>.Continuation
    private let hub: @Sendable (Int) throws(ProviderFailure) -> QuoteHub
    // News come from several hubs at once. It is held while hubs are asked for them, and told to follow and to leave, so that
    // all of it happens in one order; they have their own locks, and call nobody back while they hold them.
    private let state: Mutex<State>

    init(_ board: LiveBoard, at hub: @escaping @Sendable (Int) throws(ProviderFailure) -> QuoteHub) {
        (nudges, nudge) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.hub = hub
        state = Mutex(State(board: board))
    }

    func start() {
        state.withLock { carryOut($0.board.start, &$0) }
    }

    func end() {
        let legs = state.withLock { state in
            state.isOver = true
            defer { state.legs = [:] }
            return state.legs
        }
        // Its followers go away here, outside of the lock.
        withExtendedLifetime(legs) {}
        nudge.finish()
    }

    func takeUntold() -> [Symbol: QuoteNews] {
        state.withLock { $0.board.takeUntold() }
    }

    /// A hub has rung.
    private func look(_ number: Int) {
        let hasNews = state.withLock { state in
            if !state.isOver { look(number, &state) }
            return state.board.hasUntold
        }
        if hasNews { nudge.yield() }
    }

    private func look(_ number: Int, _ state: inout State) {
        guard let leg = state.legs[number] else { return }
        if let news = leg.follower.takeUntold() {
            carryOut(state.board.take(news, from: leg.source), &state)
        } else {
            // Its hub was closed, and what was followed there is followed anew.
            state.legs[number] = nil
            carryOut(LiveBoard.Step(follow: [leg.source: leg.symbols]), &state)
        }
    }

    private func carryOut(_ step: LiveBoard.Step, _ state: inout State) {
        for (source, symbols) in step.leave {
            for (number, leg) in state.legs where leg.source == source {
                let rest = leg.symbols.subtracting(symbols)
                state.legs[number]?.symbols = rest
                leg.follower.leave(symbols)
                if rest.isEmpty { state.legs[number] = nil }
            }
        }
        for (source, symbols) in step.follow {
            do throws(ProviderFailure) {
                try follow(symbols, of: source, &state)
            } catch {
                // As much as the source bears is followed there already, or it is no more: the next one may help.
                let news = Dictionary(symbols.map { ($0, QuoteNews.failure(error)) }) { first, _ in first }
                carryOut(state.board.take(news, from: source), &state)
            }
        }
    }

    private func follow(
        _ symbols: Set<Symbol>, of source: Int, _ state: inout State
    ) throws(ProviderFailure) {
        let number = state.nextLeg
        state.nextLeg += 1
        // The hub keeps this as long as it is followed there, which ends with `end`.
        let follower = try hub(source).follow(symbols) { [self] in look(number) }
        state.legs[number] = Leg(source: source, symbols: symbols, follower: follower)
        // What is known already.
        look(number, &state)
    }
}
