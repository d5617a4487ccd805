import Brokerage
import PorticoCore
import Redis
import Synchronization
import Upstream

/// Publishes the events of a stream that this process owns.
///
/// Changes of one symbol that wait are combined, so that at most one for each symbol waits for Redis.
final class QuoteStreamPublisher: Sendable {
    private struct State {
        var epoch: Int64
        /// The number of the last message.
        var number: Int64 = 0
        var isConnected = false
        /// The symbols that the connection was given.
        var wanted: Set<Symbol> = []
        /// Those that the provider accepts; nil for all.
        var accepted: Set<Symbol>?
        var updates: [Symbol: QuoteUpdate] = [:]
        /// Whether the state must be sent before the next updates.
        var hasNewState = true
        /// Gives the connection its symbols.
        var symbols: AsyncStream<Set<Symbol>>.Continuation?
    }

    /// The most updates of one message.
    private static let updatesPerMessage = 200

    private let channel: String
    private let client: RedisClient
    private let signal = WakeSignal()
    // Held for a few stores, never while anything is sent.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - epoch: The epoch of the owner's lease.
    ///   - channel: The channel of the messages.
    ///   - client: The client that publishes them.
    init(_ epoch: Int64, to channel: String, over client: RedisClient) {
        self.channel = channel
        self.client = client
        state = Mutex(State(epoch: epoch))
    }

    /// Continues with another epoch.
    func begin(_ epoch: Int64) {
        state.withLock { state in
            (state.epoch, state.number, state.hasNewState) = (epoch, 0, true)
        }
        signal.send()
    }

    // MARK: The connection

    /// The symbols for a new connection: those that are known now, then each change.
    func wantedSymbols() -> AsyncStream<Set<Symbol>> {
        let (symbols, continuation) = AsyncStream.makeStream(
            of: Set<Symbol>.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.wanted)
            state.symbols = continuation
        }
        return symbols
    }

    /// Changes the symbols of the connection.
    func want(_ symbols: Set<Symbol>) {
        let isNew = state.withLock { state in
            guard symbols != state.wanted else { return false }
            (state.wanted, state.hasNewState) = (symbols, true)
            state.symbols?.yield(symbols)
            return true
        }
        if isNew { signal.send() }
    }

    func put(_ event: StreamEvent<QuoteUpdate>) {
        state.withLock { state in
            switch event {
            case .connected:
                (state.isConnected, state.hasNewState, state.updates) = (true, true, [:])
                state.accepted = nil
            case .carrying(let symbols): (state.accepted, state.hasNewState) = (symbols, true)
            case .value(let update):
                state.updates[update.symbol] = state.updates[update.symbol]?.followed(by: update) ?? update
            }
        }
        signal.send()
    }

    func disconnected() {
        state.withLock { state in
            (state.isConnected, state.hasNewState, state.updates) = (false, true, [:])
        }
        signal.send()
    }

    // MARK: Messages

    /// Publishes what waits, and the state in each interval, until the task is cancelled.
    ///
    /// - Throws: The failure of Redis.
    func publish(every interval: Duration) async throws(RedisFailure) {
        var reportedAt: ContinuousClock.Instant?
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let isReport = reportedAt.map { $0 + interval <= now } ?? true
            if isReport { reportedAt = now }
            try await send(drain(withState: isReport))
            _ = await signal.wait { try? await Task.sleep(for: interval) }
        }
    }

    /// Publishes the state once.
    func publishState() async throws(RedisFailure) {
        try await send(drain(withState: true))
    }

    private func send(_ messages: [QuoteStreamMessage]) async throws(RedisFailure) {
        let commands = messages.map { message in
            RedisCommand("PUBLISH", Array(channel.utf8), message.persistentBytes)
        }
        for case .error(let code) in try await client.send(commands) { throw .refused(code: code) }
    }

    private func drain(withState isReport: Bool) -> [QuoteStreamMessage] {
        state.withLock { state in
            var contents: [QuoteStreamMessage.Content] = []
            if isReport || state.hasNewState {
                let carried = state.wanted.intersection(state.accepted ?? state.wanted)
                contents.append(.state(isConnected: state.isConnected, carried: carried))
                state.hasNewState = false
            }
            let updates = Array(state.updates.values)
            state.updates = [:]
            for start in stride(from: 0, to: updates.count, by: Self.updatesPerMessage) {
                contents.append(
                    .updates(Array(updates[start..<min(start + Self.updatesPerMessage, updates.count)])))
            }
            return contents.map { content in
                state.number += 1
                return QuoteStreamMessage(epoch: state.epoch, number: state.number, content)
            }
        }
    }
}
