package import Brokerage
package import Storage

/// The active alerts of a user, and the latest observations of their subjects: determines which alerts are met.
///
/// A value without time or tasks: ``UserAlertEvaluation`` supplies the observations.
package struct UserAlertState: Sendable {
    package private(set) var alerts: [StoredAlert] = []
    private var prices: [Symbol: ObservedPrice] = [:]
    private var orders: [String: AlertSubject.Observation<ObservedOrder>] = [:]
    private var goals: [String: AlertSubject.Observation<Bool>] = [:]
    private var connections: [String: AlertSubject.Observation<Bool>] = [:]

    /// Met alerts whose firing is not stored yet, with the conditions that were met: the observations may change meanwhile.
    private var unstored: [String: (condition: AlertCondition, evidence: AlertEvidence)] = [:]

    package init() {}

    /// The subjects of the alerts.
    var subjects: Set<AlertSubject> { Set(alerts.map { AlertSubject($0.condition) }) }

    /// The ids of the goals, and of the connections, of the alerts.
    var goalIDs: Set<String> {
        Set(alerts.compactMap { if case .goalReached(let goal) = $0.condition { goal } else { nil } })
    }

    var connectionIDs: Set<String> {
        Set(
            alerts.compactMap {
                if case .connectionNeedsRenewal(let connection) = $0.condition { connection } else { nil }
            })
    }

    /// The time at which the next pause of an alert ends; nil if there is none.
    func nextArming(after now: Instant) -> Instant? {
        alerts.compactMap(\.armedAt).filter { $0 > now }.min()
    }

    // MARK: Observations

    /// Replaces the alerts; observations of other subjects are forgotten.
    package mutating func replace(with alerts: [StoredAlert]) {
        self.alerts = alerts
        let symbols = Set(alerts.compactMap(\.condition.symbol))
        let references = Set(alerts.compactMap(\.condition.reference))
        prices = prices.filter { symbols.contains($0.key) }
        orders = orders.filter { references.contains($0.key) }
        goals = goals.filter { references.contains($0.key) }
        connections = connections.filter { references.contains($0.key) }
        let ids = Set(alerts.map(\.id))
        unstored = unstored.filter { ids.contains($0.key) }
    }

    package mutating func observe(_ price: ObservedPrice, of symbol: Symbol) {
        prices[symbol] = price
    }

    package mutating func observe(_ order: AlertSubject.Observation<ObservedOrder>, of id: String) {
        orders[id] = order
    }

    /// Stores whether goals have been reached.
    package mutating func observe(goals observed: [String: AlertSubject.Observation<Bool>]) {
        goals.merge(observed) { $1 }
    }

    /// Stores whether connections need renewing.
    package mutating func observe(connections observed: [String: AlertSubject.Observation<Bool>]) {
        connections.merge(observed) { $1 }
    }

    // MARK: Evaluation

    /// The outcome of an evaluation.
    package struct Outcome: Sendable {
        /// The observations that meet the conditions of armed alerts.
        package var met: [AlertEvidence] = []
        /// The ids of alerts whose condition can no longer be met.
        package var impossible: [String] = []
    }

    /// Evaluates all alerts at a time; an alert whose subject was not observed is neither met nor impossible.
    ///
    /// An alert that was met stays met until its firing is stored.
    package mutating func evaluate(at now: Instant) -> Outcome {
        var outcome = Outcome()
        let earlier = unstored
        unstored = [:]
        for alert in alerts {
            let verdict = verdict(on: alert)
            let known = earlier[alert.id].flatMap { $0.condition == alert.condition ? $0.evidence : nil }
            if case .met(let evidence) = verdict {
                meet(alert, by: evidence, at: now, &outcome)
            } else if let known {
                meet(alert, by: known, at: now, &outcome)
            } else if case .impossible = verdict {
                outcome.impossible.append(alert.id)
            }
        }
        return outcome
    }

    private mutating func meet(
        _ alert: StoredAlert, by evidence: AlertEvidence, at now: Instant, _ outcome: inout Outcome
    ) {
        guard alert.isArmed(at: now) else { return }
        unstored[alert.id] = (alert.condition, evidence)
        outcome.met.append(evidence)
    }

    /// Forgets that alerts were met, after their firings were stored.
    package mutating func didFire(_ met: [AlertEvidence]) {
        for evidence in met { unstored[evidence.alert] = nil }
    }

    private enum Verdict {
        case open
        case met(AlertEvidence)
        case impossible
    }

    private func verdict(on alert: StoredAlert) -> Verdict {
        switch alert.condition {
        case .priceAbove(let symbol, let level):
            return verdict(on: alert, symbol, \.price) { $0 >= level }
        case .priceBelow(let symbol, let level):
            return verdict(on: alert, symbol, \.price) { $0 <= level }
        case .dayRise(let symbol, let percent):
            return verdict(on: alert, symbol, \.changePercent) { $0 >= percent }
        case .dayFall(let symbol, let percent):
            guard let fall = try? percent.negated else { return .open }
            return verdict(on: alert, symbol, \.changePercent) { $0 <= fall }
        case .orderState(let id, let states):
            guard case .known(let order)? = orders[id] else {
                return orders[id] == .missing ? .impossible : .open
            }
            if states.contains(order.state) {
                return .met(AlertEvidence(alert: alert.id, orderState: order.state, asOf: order.asOf))
            }
            return order.hasEnded ? .impossible : .open
        case .goalReached(let goal): return verdict(on: alert, goals[goal])
        case .connectionNeedsRenewal(let connection): return verdict(on: alert, connections[connection])
        }
    }

    private func verdict(
        on alert: StoredAlert, _ symbol: Symbol, _ figure: (ObservedPrice) -> Decimal?,
        isMet: (Decimal) -> Bool
    ) -> Verdict {
        guard let price = prices[symbol], let value = figure(price), isMet(value) else { return .open }
        return .met(AlertEvidence(alert: alert.id, value: value, asOf: price.asOf))
    }

    private func verdict(on alert: StoredAlert, _ observed: AlertSubject.Observation<Bool>?) -> Verdict {
        switch observed {
        case .known(true)?: .met(AlertEvidence(alert: alert.id))
        case .known(false)?, .unknown?, nil: .open
        case .missing?: .impossible
        }
    }
}

/// A subject that must be observed for alerts.
package enum AlertSubject: Hashable, Sendable {
    case price(Symbol)
    /// The order with this id in the schema.
    case order(String)
    /// All goals of the user.
    case goals
    /// All connections of the user.
    case connections

    init(_ condition: AlertCondition) {
        switch condition {
        case .priceAbove(let symbol, _), .priceBelow(let symbol, _), .dayRise(let symbol, _),
            .dayFall(let symbol, _):
            self = .price(symbol)
        case .orderState(let order, _): self = .order(order)
        case .goalReached: self = .goals
        case .connectionNeedsRenewal: self = .connections
        }
    }

    /// The latest state of a subject.
    package enum Observation<Value: Sendable & Hashable>: Sendable, Hashable {
        case known(Value)
        /// The state cannot be read now.
        case unknown
        /// The subject does not exist.
        case missing
    }
}

/// The figures of a quote that alerts need.
package struct ObservedPrice: Hashable, Sendable {
    package let price: Decimal?
    package let changePercent: Decimal?
    package let asOf: Instant?

    /// No source has a price that is still valid.
    static let unknown = ObservedPrice(price: nil, changePercent: nil, asOf: nil)

    package init(_ quote: Quote) {
        self.init(price: quote.price, changePercent: quote.changePercent, asOf: quote.provenance.asOf)
    }

    private init(price: Decimal?, changePercent: Decimal?, asOf: Instant?) {
        (self.price, self.changePercent, self.asOf) = (price, changePercent, asOf)
    }
}

/// The state of an order that alerts need.
package struct ObservedOrder: Hashable, Sendable {
    package let state: OrderState
    /// Whether the state no longer changes; an unknown one can become known.
    package var hasEnded: Bool { state.isFinal }
    package let asOf: Instant?

    package init(_ order: Order) {
        (state, asOf) = (order.state, order.updatedAt)
    }
}
