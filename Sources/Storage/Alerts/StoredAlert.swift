package import Brokerage

/// An alert of a user.
package struct StoredAlert: Hashable, Sendable {
    package let id: String
    /// The place in the list of the user's alerts, which is the order of creation.
    package let number: Int64
    package let condition: AlertCondition
    /// The user's name for the alert.
    package let label: String?
    package let state: State
    /// The pause in seconds after which a fired alert can fire again; nil if it fires once.
    package let rearmAfter: Int?
    /// How often it has fired.
    package let firedCount: Int
    package let lastFiredAt: Instant?
    /// The id of the last firing, which may no longer be in the history.
    package let lastFiring: String?
    /// The time from which it can fire again; nil if it can fire now.
    package let armedAt: Instant?
    package let createdAt: Instant
    package let updatedAt: Instant

    /// Whether it is evaluated, as in the schema.
    package enum State: String, Sendable, CaseIterable {
        /// It is evaluated, or will be after its pause.
        case active = "ACTIVE"
        /// Its user has paused it.
        case paused = "PAUSED"
        /// It has fired, and does so once.
        case fired = "FIRED"
        /// Its condition can no longer be met: the order, the goal or the connection has ended.
        case ended = "ENDED"
    }

    /// Whether it can fire at a time.
    package func isArmed(at now: Instant) -> Bool {
        state == .active && armedAt.map { $0 <= now } ?? true
    }
}

extension StoredAlert {
    init(_ row: SQLRow) throws {
        guard let state: State = try row.value("state"), let createdAt = try row.instant("created_at"),
            let updatedAt = try row.instant("updated_at")
        else { throw CorruptedRow() }
        try self.init(
            id: row["id"], number: row["number"], condition: AlertCondition(row), label: row["label"],
            state: state, rearmAfter: row["rearm_after"], firedCount: row["fired_count"],
            lastFiredAt: row.instant("last_fired_at"), lastFiring: row["last_firing"],
            armedAt: row.instant("armed_at"), createdAt: createdAt, updatedAt: updatedAt)
    }
}

/// Changes of an alert; nil does not change a field.
package struct AlertPatch: Hashable, Sendable {
    package var label: Change<String>?
    package var rearmAfter: Change<Int>?
    /// Pauses the alert, or activates it again at once, also if it has fired.
    package var isPaused: Bool?

    package init() {}

    /// A new value, or none.
    package enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case removed
        case set(Value)

        var value: Value? {
            switch self {
            case .removed: nil
            case .set(let value): value
            }
        }
    }
}

/// The observation that meets the condition of an alert.
package struct AlertEvidence: Hashable, Sendable {
    /// The id of the alert.
    package let alert: String
    /// The price, or the change of the day in per cent; nil for other conditions.
    package var value: Decimal?
    package var orderState: OrderState?
    /// The time of the observation by its source; nil if the source does not report it.
    package var asOf: Instant?

    package init(
        alert: String, value: Decimal? = nil, orderState: OrderState? = nil, asOf: Instant? = nil
    ) {
        (self.alert, self.value, self.orderState, self.asOf) = (alert, value, orderState, asOf)
    }
}

/// An entry of the history: an alert has fired.
///
/// It has a copy of the condition, because the alert may have been deleted.
package struct AlertFiring: Hashable, Sendable {
    package let id: String
    /// The place in the user's history.
    package let number: Int64
    /// The id of the alert, which may no longer exist.
    package let alert: String
    package let condition: AlertCondition
    package let label: String?
    package let value: Decimal?
    package let orderState: OrderState?
    package let asOf: Instant?
    package let firedAt: Instant
}

extension AlertFiring {
    init(_ row: SQLRow) throws {
        guard let firedAt = try row.instant("fired_at") else { throw CorruptedRow() }
        try self.init(
            id: row["id"], number: row["number"], alert: row["alert"], condition: AlertCondition(row),
            label: row["label"], value: row.decimal("value"), orderState: row.value("order_state"),
            asOf: row.instant("as_of"), firedAt: firedAt)
    }
}
