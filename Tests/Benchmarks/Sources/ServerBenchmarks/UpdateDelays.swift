import NIOCore
import Synchronization

/// The delays between changes of the market and the updates that clients receive.
///
/// All clients receive the same bytes for one update, so the bytes identify the update. It belongs to the last
/// change of the market before the first client received it.
final class UpdateDelays: Sendable {
    private struct State {
        var isCounting = false
        var moves: [ByteBuffer: ContinuousClock.Instant] = [:]
        var delays: [Duration] = []
        var countByClient: [Int: Int] = [:]
    }

    /// The delays of one measurement.
    struct Result {
        let updates: Int
        let count: Int
        /// The smallest number of updates that one client received.
        let minimumPerClient: Int
        let p50: Duration
        let p99: Duration
    }

    private let market: AcceleratedClock
    // Written on the event loop of the clients, read by the benchmark's task.
    private let state = Mutex(State())

    init(after market: AcceleratedClock) {
        self.market = market
    }

    /// Records an update that a client received.
    func record(_ update: ByteBuffer, by client: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard state.isCounting else { return }
            let move = state.moves[update] ?? market.lastMove(before: now)
            state.moves[update] = move
            state.delays.append(move.duration(to: now))
            state.countByClient[client, default: 0] += 1
        }
    }

    func begin() {
        state.withLock { $0.isCounting = true }
    }

    /// - Throws: If no client received an update.
    func end() throws -> Result {
        let state = state.withLock { state in
            state.isCounting = false
            return state
        }
        let delays = state.delays.sorted()
        guard !delays.isEmpty else { throw BenchmarkError("No subscriber received an update.") }
        return Result(
            updates: state.moves.count, count: delays.count,
            minimumPerClient: state.countByClient.values.min() ?? 0,
            p50: delays[delays.count / 2], p99: delays[delays.count * 99 / 100])
    }
}
