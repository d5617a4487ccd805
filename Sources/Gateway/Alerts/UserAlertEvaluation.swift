import Brokerage
import GraphQL
import PorticoCore
import Storage
import Synchronization
import Upstream

/// Evaluates the active alerts of one user.
///
/// One task follows each subject of the alerts, by the feeds and subscriptions that clients also use, so that no value is
/// read twice. Their observations are stored, and one loop evaluates them and records firings. If a firing
/// cannot be stored, it is tried again after a pause with the same observations, and with half as many firings in the
/// transaction: many firings of a user with many webhooks can exceed its time with a slow database.
final class UserAlertEvaluation: Sendable {
    private struct PendingObservations {
        /// Whether the alerts must be read from the database.
        var needsReload = true
        /// Whether prices must be followed at the present sources.
        var hasNewSources = false
        var prices: [Symbol: ObservedPrice] = [:]
        var orders: [String: AlertSubject.Observation<ObservedOrder>] = [:]
        var goals: [String: AlertSubject.Observation<Bool>] = [:]
        /// The goals of the alerts, for the task that reads them, and what wakes that task.
        var goalIDs: Set<String> = []
        var goalSignal: WakeSignal?
    }

    /// Alerts that fire in one transaction, whose time is limited.
    private static let maximumFirings = 100

    private let owner: OwnerID
    private let services: GatewayServices
    private let clock: TimeSource
    private let settings: AlertEvaluation.Settings
    private let report: @Sendable (StorageError) -> Void
    // Filled by the tasks that follow subjects; held for a few stores.
    private let pending = Mutex(PendingObservations())
    private let wakeSignal = WakeSignal()

    init(
        of owner: OwnerID, _ services: GatewayServices, clock: TimeSource,
        settings: AlertEvaluation.Settings, reporting report: @escaping @Sendable (StorageError) -> Void
    ) {
        (self.owner, self.services, self.clock) = (owner, services, clock)
        (self.settings, self.report) = (settings, report)
    }

    /// The alerts have changed.
    func reload() {
        pending.withLock { $0.needsReload = true }
        wakeSignal.send()
    }

    /// Goals, holdings or connections have changed.
    func refresh() {
        pending.withLock(\.goalSignal)?.send()
        wakeSignal.send()
    }

    /// The user has another connection, or one with another credential.
    func sourcesChanged() {
        pending.withLock { $0.hasNewSources = true }
        wakeSignal.send()
    }

    /// Whether no change has arrived that was not evaluated.
    var isIdle: Bool { pending.withLock { !$0.needsReload } }

    /// Evaluates the alerts until the task is cancelled, or the user has no active alert.
    ///
    /// - Parameter mayEnd: Called if there is no active alert; if it returns false, the alerts are read again.
    func run(endingIf mayEnd: @Sendable () -> Bool) async {
        var alertState = UserAlertState()
        var followers: [AlertSubject: Task<Void, Never>] = [:]
        defer { for follower in followers.values { follower.cancel() } }
        var failures = 0
        var maximumFirings = Self.maximumFirings
        while !Task.isCancelled {
            do throws(StorageError) {
                if pending.withLock({ $0.needsReload }) {
                    try await reload(&alertState)
                    follow(alertState.subjects, &followers)
                    if alertState.alerts.isEmpty, mayEnd() { return }
                }
                followAtNewSources(&followers)
                try await evaluate(&alertState, &maximumFirings)
                failures = 0
            } catch {
                if Task.isCancelled { return }
                report(error)
                failures += 1
                // Not earlier, because each price sends the signal.
                try? await clock.sleep(clock.now() + RetryPolicy.streams.pause(after: failures))
                continue
            }
            let end = clock.now() + pause(alertState)
            await wakeSignal.waitOrCancel { [clock] in try? await clock.sleep(end) }
        }
    }

    /// The longest time to wait for the next observation.
    private func pause(_ alertState: UserAlertState) -> Duration {
        let now = clock.wallTime()
        let arming = alertState.nextArming(after: now).map { $0.duration(since: now) }
        let connections = alertState.connectionIDs.isEmpty ? nil : settings.connectionInterval
        return [arming, connections].compactMap(\.self).min() ?? settings.maximumPause
    }

    private func reload(_ alertState: inout UserAlertState) async throws(StorageError) {
        pending.withLock { $0.needsReload = false }
        do throws(StorageError) {
            alertState.replace(with: try await services.userData.alerts.active(of: owner))
        } catch {
            pending.withLock { $0.needsReload = true }
            throw error
        }
        let goals = alertState.goalIDs
        let signal = pending.withLock { pending in
            defer { pending.goalIDs = goals }
            return pending.goalIDs.isSuperset(of: goals) ? nil : pending.goalSignal
        }
        signal?.send()
    }

    /// - Parameters:
    ///   - alertState: The alerts and the observations.
    ///   - maximumFirings: Alerts that fire in one transaction: half as many after a failure, twice as many after a success.
    /// - Throws: `StorageError` if a firing or the end of an alert could not be stored.
    private func evaluate(
        _ alertState: inout UserAlertState, _ maximumFirings: inout Int
    ) async throws(StorageError) {
        let news = pending.withLock { pending in
            defer { (pending.prices, pending.orders, pending.goals) = ([:], [:], [:]) }
            return (prices: pending.prices, orders: pending.orders, goals: pending.goals)
        }
        for (symbol, price) in news.prices { alertState.observe(price, of: symbol) }
        for (id, order) in news.orders { alertState.observe(order, of: id) }
        alertState.observe(goals: news.goals)
        alertState.observe(connections: await connections(alertState.connectionIDs))
        let now = clock.wallTime()
        let outcome = alertState.evaluate(at: now)
        let (store, events) = (services.userData.alerts, services.subscriptions.alerts)
        if !outcome.met.isEmpty {
            // The rest is met after the alerts were read again.
            let met = Array(outcome.met.prefix(maximumFirings))
            let fired: AlertStore.Fired
            do throws(StorageError) {
                fired = try await store.fire(met, of: owner, now: now, body: AlertMessage.body)
            } catch {
                maximumFirings = max(met.count / 2, 1)
                throw error
            }
            alertState.didFire(met)
            maximumFirings = min(maximumFirings * 2, Self.maximumFirings)
            events.count { counts in
                counts.firings += fired.firings.count
                counts.discarded += fired.droppedDeliveries
            }
            // The alerts have another state.
            reload()
            events.publish(fired.alerts, of: owner)
            if fired.deliveries > 0 { events.deliverySignal.send() }
        }
        if !outcome.impossible.isEmpty {
            let ended = try await store.end(outcome.impossible, of: owner, now: now)
            reload()
            events.publish(ended, of: owner)
        }
    }

    // MARK: Subjects

    /// Starts and ends the tasks that follow the subjects.
    private func follow(_ subjects: Set<AlertSubject>, _ followers: inout [AlertSubject: Task<Void, Never>]) {
        for (subject, follower) in followers where !subjects.contains(subject) {
            follower.cancel()
            followers[subject] = nil
        }
        for subject in subjects where followers[subject] == nil {
            // Each task has its own, because one task at a time may wait for a signal.
            let goalSignal = WakeSignal()
            if subject == .goals { pending.withLock { $0.goalSignal = goalSignal } }
            followers[subject] = Task { [self] in
                switch subject {
                case .price(let symbol): await followPrice(of: symbol, replacing: nil)
                case .order(let id): await followOrder(id)
                case .goals: await followGoals(wokenBy: goalSignal)
                // No call is needed for them.
                case .connections: break
                }
            }
        }
    }

    /// Follows prices at the present sources, if they may have changed; the observations stay.
    private func followAtNewSources(_ followers: inout [AlertSubject: Task<Void, Never>]) {
        let mustFollow = pending.withLock { pending in
            defer { pending.hasNewSources = false }
            return pending.hasNewSources
        }
        guard mustFollow else { return }
        for (subject, follower) in followers {
            guard case .price(let symbol) = subject else { continue }
            followers[subject] = Task { [self] in await followPrice(of: symbol, replacing: follower) }
        }
    }

    private func scope() -> RequestScope {
        RequestScope(
            session: Session(owner: owner, scopes: [.read]), services: services,
            call: CallContext(deadline: clock.now() + settings.timeout))
    }

    private func put(_ change: (inout PendingObservations) -> Void) {
        pending.withLock { change(&$0) }
        wakeSignal.send()
    }

    /// Follows the price at the sources of the user's route; without a price that is still valid, it is unknown.
    ///
    /// The task that followed it before is canceled afterwards, so that a feed of both keeps its connection.
    private func followPrice(of symbol: Symbol, replacing former: Task<Void, Never>?) async {
        defer { former?.cancel() }
        while !Task.isCancelled {
            if let quotes = try? SubscriptionService(scope()).follow([symbol], from: nil) {
                former?.cancel()
                for await news in quotes {
                    guard !Task.isCancelled, let news = news[symbol] else { continue }
                    let quote = (try? news.get()).flatMap { $0.provenance.isStale ? nil : $0 }
                    put { $0.prices[symbol] = quote.map { ObservedPrice($0) } ?? .unknown }
                }
            }
            // No source has it: the user may connect with another one.
            former?.cancel()
            if !Task.isCancelled { put { $0.prices[symbol] = .unknown } }
            try? await clock.sleep(clock.now() + settings.maximumPause)
        }
    }

    /// Follows an order by the subscription to the orders of its connection; an order that is not among them is read.
    private func followOrder(_ id: String) async {
        while !Task.isCancelled {
            let connections = services.connections(of: owner, with: nil)
            let connection = connections.first { id.hasPrefix(ConnectedOrder.Name.prefix(of: $0)) }
            if let connection, connection.orders != nil {
                let subscription = SubscriptionService(scope()).orderSubscription(to: connection)
                for await orders in subscription.orders.values() {
                    guard let orders = try? orders.get() else { continue }
                    if let order = orders.first(where: { $0.globalID == id }) {
                        let observed = ObservedOrder(order.connectedOrder.order)
                        put { $0.orders[id] = .known(observed) }
                    } else if let observed = await readOrderRepeatedly(id) {
                        put { $0.orders[id] = observed }
                    }
                }
            } else if await isConnectionMissing(ofOrder: id) {
                return put { $0.orders[id] = .missing }
            }
            try? await clock.sleep(clock.now() + settings.retryInterval)
        }
    }

    /// Whether the connection of an order does not exist; false if it cannot be opened, or the database does not respond.
    private func isConnectionMissing(ofOrder id: String) async -> Bool {
        guard let connection = ConnectedOrder.Name.connection(ofGlobal: id) else { return true }
        return (try? await isMissing(connection)) ?? false
    }

    /// Whether a connection does not exist.
    ///
    /// Memory can be older than the alerts, which are read from the database; and the end of an alert is final.
    private func isMissing(_ connection: String) async throws(StorageError) -> Bool {
        if services.links(of: owner).contains(where: { $0.id == connection }) { return false }
        return try await !services.userData.connections.contains(connection, of: owner)
    }

    /// Reads an order until it could be read, because no event of it may follow; nil if the task is cancelled.
    private func readOrderRepeatedly(_ id: String) async -> AlertSubject.Observation<ObservedOrder>? {
        while !Task.isCancelled {
            if let observed = await readOrder(id) { return observed }
            try? await clock.sleep(clock.now() + settings.retryInterval)
        }
        return nil
    }

    /// Reads an order that is not open; nil if it could not be read.
    private func readOrder(_ id: String) async -> AlertSubject.Observation<ObservedOrder>? {
        do {
            if let order = try await OrderService(scope()).orderIfAny(id).value() {
                return .known(ObservedOrder(order.order))
            }
            // No order is found either while its connection is not open.
            let isOpen = services.connections(of: owner, with: nil).contains {
                id.hasPrefix(ConnectedOrder.Name.prefix(of: $0))
            }
            if isOpen { return .missing }
            return await isConnectionMissing(ofOrder: id) ? .missing : nil
        } catch {
            return nil
        }
    }

    /// Reads the goals at an interval, and after changes of the user's goals and holdings.
    private func followGoals(wokenBy signal: WakeSignal) async {
        while !Task.isCancelled {
            let wanted = pending.withLock(\.goalIDs)
            if !wanted.isEmpty {
                let observed = await readGoals(wanted)
                put { $0.goals.merge(observed) { $1 } }
            }
            let end = clock.now() + settings.goalInterval
            await signal.waitOrCancel { [clock] in try? await clock.sleep(end) }
        }
    }

    /// - Returns: Whether each goal has been reached.
    private func readGoals(_ ids: Set<String>) async -> [String: AlertSubject.Observation<Bool>] {
        let scope = scope()
        do {
            let goals = (try await GoalService(scope).goals().value() ?? []).filter {
                ids.contains($0.goal.id)
            }
            var observed = ids.reduce(into: [:]) { $0[$1] = AlertSubject.Observation<Bool>.missing }
            for (goal, own) in zip(goals, try await GoalService(scope).appraisals(of: goals).value()) {
                let isCurrent = !own.provenances.contains(where: \.isStale)
                observed[goal.goal.id] =
                    if isCurrent, let achieved = try? own.total() {
                        .known(achieved >= goal.goal.content.target)
                    } else {
                        .unknown
                    }
            }
            return observed
        } catch {
            return ids.reduce(into: [:]) { $0[$1] = .unknown }
        }
    }

    /// A connection that cannot be looked for is unknown: it must not stop the alerts on prices.
    private func connections(_ ids: Set<String>) async -> [String: AlertSubject.Observation<Bool>] {
        var observed: [String: AlertSubject.Observation<Bool>] = [:]
        for id in ids {
            let link = services.links(of: owner).first { $0.id == id }
            observed[id] = link.map { .known($0.status.needsRenewal) }
            if link == nil { observed[id] = (try? await isMissing(id)) ?? false ? .missing : .unknown }
        }
        return observed
    }
}
