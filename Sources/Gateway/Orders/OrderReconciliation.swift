package import Brokerage
import PorticoCore
package import Storage
import Synchronization
import Upstream

/// Queries brokers for the outcome of writes whose responses were lost.
///
/// It never sends a write again.
///
/// Connections are checked in parallel. Each checks one write at a time, for at most ``Settings/timeout`` in
/// one pass, so that a broker that does not respond delays only its own writes. All calls count against the
/// brokers' quotas, as any other call does.
package final class OrderReconciliation: Sendable {
    private let services: GatewayServices
    private let clock: TimeSource
    private let settings: Settings
    // A lock, because the checks of several connections change the schedule.
    private let schedule: Mutex<ReconciliationSchedule>

    package struct Settings: Sendable {
        /// The time after which a write that the broker does not know is taken as never received.
        ///
        /// A request is sent within 5 s after it was marked or not at all, and its HTTP connection is closed
        /// 30 s later.
        ///
        /// The time is measured by a monotonic clock, from the moment at which this process learned of the
        /// loss.
        package var arrival = Duration.seconds(60)
        /// The pause of a write after its first check.
        ///
        /// It doubles up to ``maximumPause``. A pause does not go beyond ``arrival``, after which a check determines the
        /// outcome of a write that the broker does not know.
        package var pause = Duration.seconds(1)
        package var maximumPause = Duration.seconds(300)
        /// Connections that are checked at a time.
        package var maximumConnections = 16
        /// The longest time of one query, and the time after which one pass of a connection checks no further
        /// write.
        package var timeout = Duration.seconds(10)
        /// The time between two searches for writes of other processes that have ended.
        package var takeover = Duration.seconds(3)

        package init() {}
    }

    package init(_ services: GatewayServices, clock: TimeSource = .system, settings: Settings = Settings()) {
        self.services = services
        self.clock = clock
        self.settings = settings
        schedule = Mutex(
            ReconciliationSchedule(
                pauses: settings.pause...max(settings.pause, settings.maximumPause),
                maximumConnections: settings.maximumConnections))
    }

    private var orderWorkflow: OrderWorkflow { services.userData.orders }
    private var journal: OrderJournal { orderWorkflow.journal }

    // MARK: Rounds

    /// Determines the outcome of the writes of an earlier process, then of every write whose response is
    /// lost, until its task is cancelled.
    ///
    /// With PostgreSQL, the writes of each other process that ends are among them.
    ///
    /// - Parameter report: Called if the journal cannot be read or written. The journal is then tried again.
    package func run(reporting report: @escaping @Sendable (StorageError) -> Void) async {
        await withDiscardingTaskGroup { group in
            var failurePause = settings.pause
            while !Task.isCancelled {
                var wake =
                    clock.now() + (journal.isShared ? settings.takeover : settings.maximumPause)
                var failure: StorageError?
                do throws(StorageError) {
                    let due = try await due(at: clock.now())
                    for batch in due.batches {
                        group.addTask { await self.check(batch, reporting: report) }
                    }
                    if let next = schedule.withLock(\.next) { wake = min(wake, next) }
                    failure = due.failure
                    if due.hasMore, failure == nil { wake = clock.now() }
                } catch {
                    failure = error
                }
                if let failure {
                    // GRDB throws from a read whose task is cancelled.
                    if Task.isCancelled { break }
                    report(failure)
                    wake = min(wake, clock.now() + failurePause)
                    failurePause = min(
                        failurePause * 2, journal.isShared ? settings.takeover : settings.maximumPause)
                } else {
                    failurePause = settings.pause
                }
                let (sleep, until) = (clock.sleep, wake)
                await orderWorkflow.wakeSignal.waitOrCancel { try? await sleep(until) }
            }
        }
    }

    /// Checks each due write once.
    ///
    /// - Returns: Whether a write without a known outcome is left.
    /// - Throws: `StorageError` if the journal cannot be read, or not all writes of ended processes could be taken over; the
    ///   others were checked.
    package func round() async throws(StorageError) -> Bool {
        let start = clock.now()
        var due = try await due(at: start)
        while !due.batches.isEmpty || due.hasMore && due.failure == nil {
            await withDiscardingTaskGroup { group in
                for batch in due.batches {
                    group.addTask { await self.check(batch, reporting: { _ in }) }
                }
            }
            due = try await self.due(at: start)
        }
        if let failure = due.failure { throw failure }
        return schedule.withLock { !$0.isEmpty }
    }

    /// The checks that are due.
    private struct DueChecks {
        let batches: [ReconciliationSchedule.ConnectionWrites]
        /// Whether more writes of ended processes may have to be taken over.
        let hasMore: Bool
        /// The reason why some of them could not be taken over; nil if there is none.
        let failure: StorageError?
    }

    /// Takes over writes of ended processes, then begins the checks that are due, also if some writes cannot be taken over.
    private func due(at now: ContinuousClock.Instant) async throws(StorageError) -> DueChecks {
        let takeover = await journal.takeOverUnattended()
        for order in takeover.orders {
            orderWorkflow.followedConnections.send(for: order.owner, order.connection)
        }
        let writes = try await journal.unconfirmed()
        let since = clock.runningTime()
        let batches = schedule.withLock { $0.begin(writes, at: now, since: since) }
        return DueChecks(batches: batches, hasMore: takeover.hasMore, failure: takeover.failure)
    }

    /// Checks writes of one connection, one after the other, until ``Settings/timeout`` has passed.
    private func check(
        _ batch: ReconciliationSchedule.ConnectionWrites, reporting report: @Sendable (StorageError) -> Void
    ) async {
        let end = clock.now() + settings.timeout
        for id in batch.writes where !Task.isCancelled && clock.now() < end {
            var isOpen = true
            do throws(StorageError) {
                // The write may have been settled since the check began.
                if let write = try await journal.unconfirmed(id) {
                    isOpen = try await check(write)
                } else {
                    isOpen = false
                }
            } catch {
                if Task.isCancelled { break }
                report(error)
            }
            let (now, running) = (clock.now(), clock.runningTime())
            schedule.withLock { schedule in
                let age = schedule.since(id).map { $0.duration(to: running) } ?? settings.arrival
                schedule.didCheck(id, isOpen: isOpen, at: now, untilArrival: settings.arrival - age)
            }
        }
        schedule.withLock { $0.end(batch.connection) }
        orderWorkflow.wakeSignal.send()
    }

    // MARK: One write

    /// - Returns: Whether the outcome is still unknown.
    private func check(_ write: JournalWrite) async throws(StorageError) -> Bool {
        let (owner, id) = (write.order.owner, write.order.connection)
        let connections = services.connections(of: owner, with: write.provider)
        guard let connection = connections.first(where: { $0.id == id }) else {
            // A connection that is stored but cannot be opened waits until its user renews it.
            if try await services.userData.connections.contains(id, of: owner) { return true }
            try await journal.recordOutcome(.undeterminable, of: write.id)
            return false
        }
        guard let tradingAPI = connection.orders, let outcome = await outcome(of: write, using: tradingAPI)
        else {
            return true
        }
        var previous: [Order] = []
        if case .found(let order) = outcome {
            let call = CallContext(deadline: clock.now() + settings.timeout)
            let decided = try await services.decide([order], of: connection, in: call)
            guard decided.failure == nil else { return true }
            previous = decided.previous
        }
        services.reads.invalidateHoldings(of: owner, at: connection.provider)
        try await journal.recordOutcome(outcome, of: write.id, previous)
        orderWorkflow.followedConnections.send(for: owner, connection.id)
        services.subscriptions.orders.changed(by: connection)
        services.subscriptions.holdingsChanged(of: owner)
        // A cancellation stays open if its order has given its place back to the one that it was to replace.
        return try await journal.unconfirmed(write.id) != nil
    }

    /// A write about which its broker is queried.
    private struct OutcomeQuery {
        let write: JournalWrite
        let tradingAPI: any TradingAPI
        let call: CallContext
        /// Whether enough time had passed before the first query that the broker has the request, if it ever
        /// receives it.
        let hasArrived: Bool
    }

    /// The outcome of a write according to its broker; nil if the broker's response does not determine it.
    private func outcome(of write: JournalWrite, using tradingAPI: any TradingAPI) async -> OrderWriteOutcome?
    {
        // Determined before the first query: a response proves nothing about a request that arrives after it, and the
        // process can be paused for a minute between query and response.
        let hasArrived = hasArrived(write)
        let call = CallContext(deadline: clock.now() + settings.timeout)
        let query = OutcomeQuery(write: write, tradingAPI: tradingAPI, call: call, hasArrived: hasArrived)
        do throws(ProviderFailure) {
            switch write.kind {
            case .place: return try await outcome(ofPlacing: query)
            case .replace(let change): return try await outcome(of: change, query)
            case .cancel: return try await outcome(ofCancelling: query)
            }
        } catch {
            return nil
        }
    }

    private func outcome(ofPlacing query: OutcomeQuery) async throws(ProviderFailure) -> OrderWriteOutcome? {
        switch try await trace(query) {
        case .found(let order): .found(order)
        case .absent: missing(query)
        // It may have been filled.
        case .unknown: query.hasArrived ? .undeterminable : nil
        }
    }

    private func outcome(
        of change: OrderReplacement, _ query: OutcomeQuery
    ) async throws(ProviderFailure) -> OrderWriteOutcome? {
        // A broker that replaces an order by a new one finds it by the client order id of the new one.
        if case .found(let order) = try await trace(query) { return .found(order) }
        guard let order = try await changedOrder(query) else { return removedOrderOutcome(query) }
        if order.has(change) { return .found(order) }
        // A request that arrives later cannot change an order that has ended.
        if order.state.isFinal, order.state != .replaced {
            return .rejected(OrderRejection(.tooLate, message: nil))
        }
        return missing(query)
    }

    private func outcome(ofCancelling query: OutcomeQuery) async throws(ProviderFailure) -> OrderWriteOutcome?
    {
        guard let order = try await changedOrder(query) else { return removedOrderOutcome(query) }
        return order.state == .pendingCancel || order.state.isFinal ? .found(order) : missing(query)
    }

    /// The broker's record of the order that the write was to place.
    private func trace(_ query: OutcomeQuery) async throws(ProviderFailure) -> OrderLookup {
        let write = query.write
        return try await query.tradingAPI.order(
            clientID: write.clientOrderID, of: write.account, in: query.call)
    }

    /// The order to be changed; nil if the broker does not know it, or no longer.
    private func changedOrder(_ query: OutcomeQuery) async throws(ProviderFailure) -> Order? {
        guard let id = query.write.providerOrderID else { return nil }
        do throws(ProviderFailure) {
            return try await query.tradingAPI.order(id, of: query.write.account, in: query.call)
        } catch {
            guard error.cause == .notFound else { throw error }
            return nil
        }
    }

    /// The outcome of a change of an order that its broker no longer returns.
    ///
    /// A broker that returns all orders never received the change. At any other broker the order has ended, with or
    /// without the change.
    private func removedOrderOutcome(_ query: OutcomeQuery) -> OrderWriteOutcome? {
        if query.tradingAPI.orderCapabilities.endedOrders == .all { return missing(query) }
        return query.hasArrived ? .undeterminable : nil
    }

    /// The outcome "never received", if the time of ``Settings/arrival`` had passed before the query; nil otherwise.
    private func missing(_ query: OutcomeQuery) -> OrderWriteOutcome? {
        guard query.hasArrived else { return nil }
        let provider = query.write.provider.name.text
        return .notFound(
            OrderRejection(.other, message: "The order did not reach \(provider): nothing was placed."))
    }

    /// Whether enough time has passed that the broker has the request, if it ever receives it.
    private func hasArrived(_ write: JournalWrite) -> Bool {
        guard let since = schedule.withLock({ $0.since(write) }) else { return false }
        return since.duration(to: clock.runningTime()) >= settings.arrival
    }
}

extension Order {
    /// Whether it is as a change would have it.
    fileprivate func has(_ change: OrderReplacement) -> Bool {
        if let quantity = change.quantity, quantity != self.quantity { return false }
        if let timeInForce = change.timeInForce, timeInForce != self.timeInForce { return false }
        switch change.price {
        case .market: return type == .market
        case .limit(let limit): return type == .limit && limitPrice == limit
        case .stop(let stop): return type == .stop && stopPrice == stop
        case .stopLimit(let stop, let limit):
            return type == .stopLimit && stopPrice == stop && limitPrice == limit
        case .trailingStop(.percent(let percent)): return trailPercent == percent
        case .trailingStop(.amount(let amount)): return trailAmount == amount
        case nil: return true
        }
    }
}
