import Brokerage
package import Storage
package import Upstream

/// Asks brokers what became of writes whose answers were lost; it never sends one again.
package struct OrderReconciliation: Sendable {
    private let backends: Backends
    private let clock: CallClock
    private let settings: Settings

    /// How patiently it asks.
    package struct Settings: Sendable {
        /// What a broker does not know so long after it was sent has never come to it: a request is given up earlier.
        package var arrival = Duration.seconds(60)
        /// What was begun so long ago has nobody who sees it through: a request has ended long before.
        package var abandonment = Duration.seconds(180)
        /// The first pause between two rounds that leave something open; it doubles up to ``longestPause``.
        package var pause = Duration.seconds(1)
        package var longestPause = Duration.seconds(300)
        /// Of one round.
        package var mostWrites = 100
        /// Of one question.
        package var patience = Duration.seconds(10)

        package init() {}
    }

    package init(_ backends: Backends, clock: CallClock = .system, settings: Settings = Settings()) {
        self.backends = backends
        self.clock = clock
        self.settings = settings
    }

    private var keeping: OrderKeeping { backends.household.orders }
    private var journal: OrderJournal { keeping.journal }

    /// Sees to what an earlier process left behind, then to whatever loses its answer, until its task is cancelled.
    ///
    /// - Parameter report: told of what keeps it from doing so; it tries again.
    package func run(reporting report: @escaping @Sendable (StorageError) -> Void) async {
        var pause = settings.pause
        while !Task.isCancelled {
            var isOpen = true
            do throws(StorageError) {
                isOpen = try await round()
            } catch {
                report(error)
            }
            let (sleep, until) = (clock.sleep, clock.now() + (isOpen ? pause : settings.longestPause))
            let hasRung = await withTaskCancellationHandler {
                await keeping.bell.wait { try? await sleep(until) }
            } onCancel: {
                keeping.bell.ring()
            }
            pause = hasRung || !isOpen ? settings.pause : min(pause * 2, settings.longestPause)
        }
    }

    /// Asks once about each write whose answer was lost.
    ///
    /// - Returns: whether something is still open.
    /// - Throws: `StorageError` where the journal cannot be read or written.
    package func round() async throws(StorageError) -> Bool {
        let old = clock.wallTime() - settings.abandonment
        try await journal.abandon(begunBefore: max(old, keeping.startedAt))
        var isOpen = false
        for write in try await journal.unconfirmed(limit: settings.mostWrites) {
            if Task.isCancelled { return true }
            guard let connection = connection(of: write), let desk = connection.orders else {
                isOpen = true
                continue
            }
            guard let outcome = await outcome(of: write, asking: desk) else {
                isOpen = true
                continue
            }
            backends.reads.forgetHoldings(of: connection.owner, at: connection.provider)
            try await journal.note(outcome, of: write.id)
            backends.watches.orders.changed(by: connection)
            backends.watches.holdingsChanged(of: connection.owner)
        }
        return isOpen
    }

    private func connection(of write: JournalWrite) -> BrokerConnection? {
        backends.connections(of: write.order.owner, with: write.provider)
            .first { $0.id == write.order.connection }
    }

    /// What the broker says of a write; nil where that leaves it open.
    private func outcome(of write: JournalWrite, asking desk: any OrderDesk) async -> WriteOutcome? {
        let call = CallContext(deadline: clock.now() + settings.patience)
        do throws(ProviderFailure) {
            switch write.kind {
            case .place: return try await outcome(ofPlacing: write, asking: desk, in: call)
            case .replace(let change):
                return try await outcome(of: change, write, asking: desk, in: call)
            case .cancel: return try await outcome(ofCancelling: write, asking: desk, in: call)
            }
        } catch {
            return nil
        }
    }

    private func outcome(
        ofPlacing write: JournalWrite, asking desk: any OrderDesk, in call: CallContext
    ) async throws(ProviderFailure) -> WriteOutcome? {
        switch try await desk.order(clientID: write.clientOrderID, of: write.account, in: call) {
        case .found(let order): .found(order)
        case .absent: gone(write)
        // It may have been filled.
        case .unknown: nil
        }
    }

    private func outcome(
        of change: OrderChange, _ write: JournalWrite, asking desk: any OrderDesk, in call: CallContext
    ) async throws(ProviderFailure) -> WriteOutcome? {
        // A broker that puts a new order into the place of the old one knows it by the id that it was to get.
        let trace = try await desk.order(clientID: write.clientOrderID, of: write.account, in: call)
        if case .found(let order) = trace { return .found(order) }
        guard let id = write.providerOrderID else { return gone(write) }
        do throws(ProviderFailure) {
            let order = try await desk.order(id, of: write.account, in: call)
            return order.has(change) ? .found(order) : gone(write)
        } catch {
            guard error.cause == .notFound else { throw error }
            return gone(write)
        }
    }

    private func outcome(
        ofCancelling write: JournalWrite, asking desk: any OrderDesk, in call: CallContext
    ) async throws(ProviderFailure) -> WriteOutcome? {
        guard let id = write.providerOrderID else { return gone(write) }
        do throws(ProviderFailure) {
            let order = try await desk.order(id, of: write.account, in: call)
            return order.state == .pendingCancel || order.state.isFinal ? .found(order) : gone(write)
        } catch {
            guard error.cause == .notFound else { throw error }
            return gone(write)
        }
    }

    /// That the broker never got it, if it would have it by now.
    private func gone(_ write: JournalWrite) -> WriteOutcome? {
        guard clock.wallTime().duration(since: write.since) >= settings.arrival else { return nil }
        return .notFound(
            OrderRejection(
                .other, message: "The order never came to \(write.provider.rawValue): nothing was placed."))
    }
}

extension Order {
    /// Whether it is as a change would have it.
    fileprivate func has(_ change: OrderChange) -> Bool {
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
