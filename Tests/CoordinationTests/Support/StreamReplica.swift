import Brokerage
import Coordination
import EngineTestSupport
import Redis
import Synchronization
import TestSupport
import Upstream

/// A provider's stream for all replicas of a test, which counts its connections.
final class TestStream: QuoteStream {
    private struct State {
        var open = 0
        var opened = 0
        var mostOpen = 0
        var wanted: Set<Symbol> = []
        var deliver: (@Sendable (StreamEvent<QuoteUpdate>) -> Void)?
        var fail: AsyncStream<Void>.Continuation?
    }

    let symbolLimit: Int?
    /// Why no connection can be opened; nil if they are.
    private let refusal: ProviderFailure.Cause?
    private let state = Mutex(State())

    init(symbolLimit: Int? = nil, refusal: ProviderFailure.Cause? = nil) {
        (self.symbolLimit, self.refusal) = (symbolLimit, refusal)
    }

    /// The number of attempts to open a connection.
    var opened: Int { state.withLock(\.opened) }
    var open: Int { state.withLock(\.open) }
    var mostOpen: Int { state.withLock(\.mostOpen) }
    var wanted: Set<Symbol> { state.withLock(\.wanted) }

    func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        if let refusal {
            state.withLock { $0.opened += 1 }
            throw ProviderFailure(.alpaca, refusal)
        }
        let (failures, fail) = AsyncStream.makeStream(of: Void.self)
        let number = state.withLock { state in
            state.open += 1
            state.opened += 1
            state.mostOpen = max(state.mostOpen, state.open)
            (state.deliver, state.fail) = (deliver, fail)
            return state.opened
        }
        deliver(.connected)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await symbols in wanted { self.state.withLock { $0.wanted = symbols } }
                // It ends with the task only.
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            }
            group.addTask { for await _ in failures { return } }
            await group.next()
            group.cancelAll()
        }
        state.withLock { state in
            state.open -= 1
            // Another owner can have opened its connection before this one has ended.
            if state.opened == number { state.deliver = nil }
        }
        throw ProviderFailure(.alpaca, Task.isCancelled ? .cancelled : .unavailable)
    }

    func tell(_ symbol: Symbol, price: Decimal) {
        var update = QuoteUpdate(symbol: symbol)
        update.price = price
        state.withLock(\.deliver)?(.value(update))
    }

    /// Reports the symbols that the provider accepts.
    func accept(_ symbols: Set<Symbol>) { state.withLock(\.deliver)?(.carrying(symbols)) }

    func fail() { state.withLock(\.fail)?.yield() }
}

/// A lease of one process at a time, as the database grants it.
final class TestLease: Sendable {
    private struct State {
        /// The epoch of the last holder.
        var epoch: Int64
        var holder: Int?
        /// The only replica that can get the lease next; nil for any.
        var next: Int?
        /// The work of the holder, while it holds the lease.
        var work: Task<Void, Never>?
    }

    private let state: Mutex<State>

    /// - Parameter epoch: The number below the first epoch.
    init(epoch: Int64 = 0) { state = Mutex(State(epoch: epoch)) }

    /// The lease for one replica.
    func lease(of replica: Int) -> SharedQuoteStream.Lease {
        { _, work in
            while !Task.isCancelled {
                let task = self.state.withLock { state -> Task<Void, Never>? in
                    guard state.holder == nil, state.next == nil || state.next == replica else { return nil }
                    state.epoch += 1
                    (state.holder, state.next) = (replica, nil)
                    let task = Task { [epoch = state.epoch] in await work(epoch) }
                    state.work = task
                    return task
                }
                if let task {
                    await withTaskCancellationHandler {
                        await task.value
                    } onCancel: {
                        task.cancel()
                    }
                    // Taken from it by `lose()`, or returned.
                    self.state.withLock { state in
                        if state.holder == replica { (state.holder, state.work) = (nil, nil) }
                    }
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    var holder: Int? { state.withLock(\.holder) }
    var epoch: Int64 { state.withLock(\.epoch) }

    /// Lets the holder with an epoch work with another one above a known epoch, as the renewal of its lease does.
    func raise(_ epoch: Int64, above known: Int64) {
        let work = state.withLock { state -> Task<Void, Never>? in
            let isHeld = state.holder != nil && state.epoch == epoch
            state.epoch = max(state.epoch, known)
            guard isHeld else { return nil }
            state.next = state.holder
            return state.work
        }
        work?.cancel()
    }

    /// Lets the next holder have the epoch after this one, as if the database was restored from a backup.
    func restore(to epoch: Int64) { state.withLock { $0.epoch = epoch } }

    /// Ends the lease of its holder, as if the database was lost; no replica gets it until ``free(for:)``.
    func lose() {
        let work = state.withLock { state in
            state.holder = -1
            return state.work
        }
        work?.cancel()
    }

    /// Lets a replica get the lease.
    func free(for replica: Int) { state.withLock { ($0.holder, $0.next) = (nil, replica) } }
}

/// One replica's part in a shared stream, with the events that it received.
final class StreamReplica: Sendable {
    private let wanted: AsyncStream<Set<Symbol>>.Continuation
    private let task: Task<ProviderFailure.Cause?, Never>

    init(
        _ number: Int, _ stream: TestStream, _ lease: TestLease, _ client: RunningClient,
        _ subscriptions: RunningClient, _ keyspace: RedisKeyspace
    ) {
        var times = SharedQuoteStream.Times()
        times.report = .milliseconds(200)
        times.silence = .milliseconds(2_400)
        times.renewal = .milliseconds(800)
        times.retry.pause = .milliseconds(10)
        let shared = SharedQuoteStream(
            stream, of: .alpaca, in: .paper, over: client.client, subscriptions: subscriptions.client,
            keyspace: keyspace, times: times,
            raiseEpoch: { _, epoch, known in lease.raise(epoch, above: known) },
            lease: lease.lease(of: number))
        let (symbols, wanted) = AsyncStream.makeStream(of: Set<Symbol>.self)
        self.wanted = wanted
        let events = Events()
        self.received = events
        task = Task {
            do throws(ProviderFailure) {
                try await shared.run(symbols) { event in events.list.withLock { $0.append(event) } }
                return nil
            } catch {
                return error.cause
            }
        }
    }

    private final class Events: Sendable {
        let list = Mutex<[StreamEvent<QuoteUpdate>]>([])
    }

    private let received: Events

    func want(_ symbols: Set<Symbol>) { wanted.yield(symbols) }

    /// The prices that were received, in order.
    var prices: [Decimal] {
        received.list.withLock { events in
            events.compactMap { event in if case .value(let update) = event { update.price } else { nil } }
        }
    }

    var connections: Int {
        received.list.withLock { events in
            events.count { event in if case .connected = event { true } else { false } }
        }
    }

    /// The symbols that the stream carries, by the last event.
    var carried: Set<Symbol>? {
        received.list.withLock { events in
            events.compactMap { event in if case .carrying(let symbols) = event { symbols } else { nil } }
                .last
        }
    }

    /// Stops the replica, and returns the reason of its end.
    @discardableResult
    func stop() async -> ProviderFailure.Cause? {
        task.cancel()
        return await task.value
    }

    /// The reason of its end, which it does not cause itself.
    var end: ProviderFailure.Cause? { get async { await task.value } }
}
