import NIOCore
import Synchronization

/// When updates reached those who follow them.
///
/// All clients are told the same bytes, so that updates are told apart by these. The market's move that an update tells of
/// is the last one before it reached anybody.
final class Deliveries: Sendable {
    private struct State {
        var isCounting = false
        var moves: [ByteBuffer: ContinuousClock.Instant] = [:]
        var delays: [Duration] = []
        var ofClients: [Int: Int] = [:]
    }

    /// What came of it.
    struct Result {
        let updates: Int
        let count: Int
        /// Of any client.
        let fewest: Int
        let p50: Duration
        let p99: Duration
    }

    private let market: HastyClock
    // Told on the event loop of the clients, asked elsewhere.
    private let state = Mutex(State())

    init(after market: HastyClock) {
        self.market = market
    }

    /// An update has reached a client.
    func take(_ update: ByteBuffer, by client: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard state.isCounting else { return }
            let move = state.moves[update] ?? market.lastMove(before: now)
            state.moves[update] = move
            state.delays.append(move.duration(to: now))
            state.ofClients[client, default: 0] += 1
        }
    }

    func begin() {
        state.withLock { $0.isCounting = true }
    }

    /// - Throws: where nobody was told anything.
    func end() throws -> Result {
        let state = state.withLock { state in
            state.isCounting = false
            return state
        }
        let delays = state.delays.sorted()
        guard !delays.isEmpty else { throw BenchmarkError("No subscriber was told anything.") }
        return Result(
            updates: state.moves.count, count: delays.count, fewest: state.ofClients.values.min() ?? 0,
            p50: delays[delays.count / 2], p99: delays[delays.count * 99 / 100])
    }
}
