package import Brokerage
import GRDB
import Upstream

/// What became known of a write, with what was heard.
package enum WriteOutcome: Hashable, Sendable {
    /// The request goes out next.
    case sending
    /// The broker cannot have acted on it.
    case notTaken
    /// The broker took it; the order as it stands.
    case taken(Order)
    /// The broker refused it.
    case refused(OrderRejection)
    /// What became of it is not known.
    case answerLost
    /// Asked afterwards, the broker had it; the order as it stands.
    case found(Order)
    /// Asked long enough afterwards, the broker did not have it; what the user is told of an order that was to be placed.
    case notFound(OrderRejection)
    /// Whoever was to see it through is gone.
    case abandoned

    package var event: WriteEvent {
        switch self {
        case .sending: .sending
        case .notTaken: .notTaken
        case .taken: .taken
        case .refused: .refused
        case .answerLost: .answerLost
        case .found: .found
        case .notFound: .notFound
        case .abandoned: .abandoned
        }
    }
}

extension OrderJournal {
    /// Writes down what became known of a write, and what that makes of its order.
    ///
    /// - Returns: the order as it stands; nil where it is forgotten, since it was never placed.
    /// - Throws: what kept it from being written down; then nothing was.
    @discardableResult
    package func note(
        _ outcome: WriteOutcome, of id: String, now: Instant = .now
    ) async throws(StorageError) -> JournalOrder? {
        try await database.write { db in
            guard let write = try JournalWrite.fetch(id, db) else { return nil }
            try Self.apply(outcome, to: write, now, db)
            return try JournalOrder.fetch(write.order, db)
        }
    }

    static func apply(
        _ outcome: WriteOutcome, to write: JournalWrite, _ now: Instant, _ db: Database
    ) throws {
        // What cannot happen in its state any more changes nothing: somebody else was faster.
        guard let step = write.state.step(after: outcome.event) else { return }
        switch step {
        case .forget: try forget(write, db)
        case .to(let state):
            try set(state, of: write, now, db)
            try hear(outcome, of: write, now, db)
        }
    }

    private static func forget(_ write: JournalWrite, _ db: Database) throws {
        switch write.kind {
        // The write goes with its order.
        case .place:
            try db.execute(
                sql: "DELETE FROM journal_order WHERE owner = ? AND connection = ? AND id = ?",
                arguments: write.order.arguments)
        case .replace, .cancel:
            try db.execute(sql: "DELETE FROM journal_write WHERE id = ?", arguments: [write.id])
        }
    }

    private static func set(
        _ state: WriteState, of write: JournalWrite, _ now: Instant, _ db: Database
    ) throws {
        let (time, moment) = (state.timeColumn, now.millisecondsSince1970)
        var arguments: StatementArguments = [state.rawValue]
        if time != nil { arguments += [moment] }
        try db.execute(
            sql: "UPDATE journal_write SET state = ?\(time.map { ", \($0) = ?" } ?? "") WHERE id = ?",
            arguments: arguments + [write.id])
    }

    /// What an outcome says of the order itself.
    private static func hear(
        _ outcome: WriteOutcome, of write: JournalWrite, _ now: Instant, _ db: Database
    ) throws {
        switch outcome {
        case .taken(let order), .found(let order): try advance(write, to: order, db)
        case .refused(let rejection), .notFound(let rejection):
            guard write.kind == .place else { return }
            try db.execute(
                sql: """
                    UPDATE journal_order
                    SET state = ?, rejection = ?, rejection_message = ?, updated_at = ?, heard_at = ?
                    WHERE owner = ? AND connection = ? AND id = ?
                    """,
                arguments: [
                    OrderState.rejected.rawValue, rejection.reason.rawValue, rejection.message,
                    now.millisecondsSince1970, now.millisecondsSince1970,
                ] + write.order.arguments)
        case .answerLost, .abandoned:
            guard write.kind == .place else { return }
            try db.execute(
                sql: "UPDATE journal_order SET state = ? WHERE owner = ? AND connection = ? AND id = ?",
                arguments: [OrderState.unconfirmed.rawValue] + write.order.arguments)
        case .sending, .notTaken: break
        }
    }

    /// Puts the order that stands now in the place of the one before, and remembers that one.
    private static func advance(_ write: JournalWrite, to order: Order, _ db: Database) throws {
        if let old = write.providerOrderID, old != order.id {
            try db.execute(
                sql: """
                    INSERT INTO journal_replaced (owner, connection, provider_order_id, id) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [write.order.owner.text, write.order.connection, old, write.order.id])
        }
        // While nobody knew of the new one's tie, it may have been taken for an order from elsewhere and changed.
        try db.execute(
            sql: """
                DELETE FROM journal_order
                WHERE owner = ? AND connection = ? AND provider_order_id = ? AND id <> ?
                    AND idempotency_key IS NULL
                """,
            arguments: [write.order.owner.text, write.order.connection, order.id, write.order.id])
        try update(write.order, with: order, db)
    }

    static func update(_ identity: OrderIdentity, with order: Order, _ db: Database) throws {
        var columns = Columns()
        columns.add(order)
        try db.execute(
            sql: """
                UPDATE journal_order SET \(columns.assignments) WHERE owner = ? AND connection = ? AND id = ?
                """,
            arguments: columns.arguments + identity.arguments)
    }

    // MARK: After a crash

    /// Sees to what nobody sees through any more: what was not sent is forgotten, what may have been is unconfirmed.
    ///
    /// - Parameter moment: writes that were begun before; those of a running process have somebody who sees to them.
    /// - Throws: what kept it from being written down; then nothing was.
    package func abandon(begunBefore moment: Instant) async throws(StorageError) {
        try await database.write { db in
            let writes = try Row.fetchAll(
                db,
                sql: """
                    \(JournalWrite.select) WHERE journal_write.state IN ('PENDING', 'SENT')
                        AND journal_write.created_at < ? LIMIT 1000
                    """, arguments: [moment.millisecondsSince1970]
            ).compactMap { JournalWrite($0) }
            for write in writes { try Self.apply(.abandoned, to: write, moment, db) }
        }
    }

    /// Writes whose fate only the broker knows, the latest first.
    package func unconfirmed(limit: Int) async throws(StorageError) -> [JournalWrite] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    \(JournalWrite.select) WHERE journal_write.state = 'UNCONFIRMED'
                    ORDER BY journal_write.created_at DESC LIMIT ?
                    """, arguments: [limit]
            ).compactMap { JournalWrite($0) }
        }
    }
}

extension WriteState {
    /// Where the moment is kept at which a write came into the state; nil where nobody asks.
    fileprivate var timeColumn: String? {
        switch self {
        case .sent: "sent_at"
        case .done, .refused, .missing: "settled_at"
        case .pending, .unconfirmed: nil
        }
    }
}
