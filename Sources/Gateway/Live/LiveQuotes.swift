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

    package struct Iterator: AsyncIteratorProtocol {
        let quotes: LiveQuotes
        var nudges: AsyncStream<Void>.Iterator

        package mutating func next() async -> Element? {
            while true {
                let news = quotes.desk.takeUntold()
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
        let pump: Task<Void, Never>
    }

    /// Tells that there is something untold.
    let nudges: AsyncStream<Void>
    private let nudge: AsyncStream<Void>.Continuation
    private let hub: @Sendable (Int) throws(ProviderFailure) -> QuoteHub
    // News come from several hubs at once. It is held while hubs are told to follow and to leave too, so that they are told so
    // in the board's order; they have their own locks, and call nobody back.
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
        for leg in legs.values { leg.pump.cancel() }
        nudge.finish()
    }

    func takeUntold() -> [Symbol: QuoteNews] {
        state.withLock { $0.board.takeUntold() }
    }

    private func take(_ news: [Symbol: QuoteNews], from source: Int) {
        state.withLock { state in
            guard !state.isOver else { return }
            carryOut(state.board.take(news, from: source), &state)
        }
        nudge.yield()
    }

    private func carryOut(_ step: LiveBoard.Step, _ state: inout State) {
        for (source, symbols) in step.leave {
            for (number, leg) in state.legs where leg.source == source {
                state.legs[number]?.symbols.subtract(symbols)
                leg.follower.leave(symbols)
            }
        }
        for (source, symbols) in step.follow {
            do throws(ProviderFailure) {
                follow(try hub(source).follow(symbols), symbols, of: source, &state)
            } catch {
                // As much as the source bears is followed there already, or it is no more: the next one may help.
                let news = Dictionary(symbols.map { ($0, QuoteNews.failure(error)) }) { first, _ in first }
                carryOut(state.board.take(news, from: source), &state)
            }
        }
    }

    private func follow(
        _ follower: QuoteFollower, _ symbols: Set<Symbol>, of source: Int, _ state: inout State
    ) {
        let number = state.nextLeg
        state.nextLeg += 1
        // A task of its own: it belongs to the one who follows, wherever they are asked from.
        let pump = Task.detached { [self] in
            for await news in follower { take(news, from: source) }
            end(number)
        }
        state.legs[number] = Leg(source: source, symbols: symbols, follower: follower, pump: pump)
    }

    /// A leg is over: nothing was left to follow, or its hub was closed, and what was followed there is followed anew.
    private func end(_ number: Int) {
        state.withLock { state in
            guard let leg = state.legs.removeValue(forKey: number), !leg.symbols.isEmpty, !state.isOver
            else { return }
            carryOut(LiveBoard.Step(follow: [leg.source: leg.symbols]), &state)
        }
        nudge.yield()
    }
}
