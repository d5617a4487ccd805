package import Brokerage
import GRDB
package import Upstream

extension OrderJournal {
    /// Takes in what a broker tells of orders without having been asked, as it comes.
    ///
    /// An order that came of a write settles the write, whether its own answer is lost or still on its way: what that says
    /// afterwards changes nothing any more. The same holds for a write that was reported as missing, or whose outcome
    /// could not be determined. Of other orders what the journal knows is brought up to date.
    ///
    /// - Parameters:
    ///   - orders: The orders, in the order in which the broker told of them.
    ///   - owner: Whose they are.
    ///   - connection: By which they were told.
    ///   - now: The moment.
    /// - Throws: what kept it from being written down; then nothing was.
    package func take(
        _ orders: [Order], of owner: OwnerID, _ connection: String, now: Instant = .now
    ) async throws(StorageError) {
        if orders.isEmpty { return }
        try await database.write { db in
            for order in orders {
                let identity = try Self.identity(of: order, of: owner, connection, db)
                if let write = try Self.write(behind: order, identity, of: owner, connection, db) {
                    try Self.apply(.found(order), to: write, now, db)
                } else if let identity {
                    try Self.hear(order, as: identity, db)
                }
            }
        }
    }

    /// Takes in those of some listed orders that show the outcome of a write, where the journal does not know it.
    ///
    /// It reads first, since hardly any does.
    ///
    /// - Returns: whether there was one.
    /// - Throws: what kept it from being read or written down; then nothing was.
    package func settle(
        _ orders: [Order], of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> Bool {
        let byWrite = Dictionary(
            orders.compactMap { order in
                order.clientOrderID.flatMap(JournalWrite.id(ofClientOrderID:)).map { ($0, order) }
            }, uniquingKeysWith: { first, _ in first })
        if byWrite.isEmpty { return false }
        let unsettled = try await database.read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT id FROM journal_write WHERE owner = ? AND connection = ?
                        AND id IN (\(databaseQuestionMarks(count: byWrite.count))) AND state IN (\(Self.findable))
                    """, arguments: [owner.text, connection] + StatementArguments(byWrite.keys.sorted()))
        }
        if unsettled.isEmpty { return false }
        try await take(
            orders.filter { order in unsettled.contains { byWrite[$0] == order } }, of: owner, connection)
        return true
    }

    /// The states of writes that a broker may still be found to have, as SQL has them.
    private static let findable = WriteState.allCases.filter { $0.step(after: .found) != nil }
        .map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The journal's own id of an order that stands in it.
    private static func identity(
        of order: Order, of owner: OwnerID, _ connection: String, _ db: Database
    ) throws -> OrderIdentity? {
        try String.fetchOne(
            db,
            sql: "SELECT id FROM journal_order WHERE owner = ? AND connection = ? AND provider_order_id = ?",
            arguments: [owner.text, connection, order.id]
        ).map { OrderIdentity(owner: owner, connection: connection, id: $0) }
    }

    /// The write that an order shows to have arrived, unless that was known: the one that it was sent by, or the one that
    /// was to cancel it.
    private static func write(
        behind order: Order, _ identity: OrderIdentity?, of owner: OwnerID, _ connection: String,
        _ db: Database
    ) throws -> JournalWrite? {
        if let id = order.clientOrderID.flatMap(JournalWrite.id(ofClientOrderID:)),
            let write = try JournalWrite.fetch(id, db), write.state.step(after: .found) != nil,
            (write.order.owner, write.order.connection) == (owner, connection)
        {
            return write
        }
        // That an order has been filled or has run out says as well what became of its being cancelled.
        guard let identity, order.state.isFinal || order.state == .pendingCancel else { return nil }
        return try Row.fetchOne(
            db,
            sql: """
                \(JournalWrite.select)
                WHERE journal_write.owner = ? AND journal_write.connection = ? AND journal_write.order_id = ?
                    AND journal_write.kind = 'CANCEL'
                    AND journal_write.state IN ('SENT', 'UNCONFIRMED', 'UNDETERMINED')
                ORDER BY journal_write.state = 'UNDETERMINED', journal_write.created_at DESC
                """, arguments: identity.arguments
        ).flatMap { JournalWrite($0) }
    }
}
