package import Brokerage
import GRDB
package import Upstream

extension OrderJournal {
    package func order(_ identity: OrderIdentity) async throws(StorageError) -> JournalOrder? {
        try await database.read { db in try JournalOrder.fetch(identity, db) }
    }

    /// What the journal knows of some of a broker's orders.
    package struct OrderAliases: Hashable, Sendable {
        /// By the broker's id: those that stand as an order of the journal.
        package var standing: [String: JournalOrder] = [:]
        /// Those whose place another one took.
        package var replaced: Set<String> = []

        package init() {}
    }

    /// What the journal knows of orders, by the broker's ids of them.
    package func names(
        of providerOrderIDs: Set<String>, of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> OrderAliases {
        if providerOrderIDs.isEmpty { return OrderAliases() }
        return try await database.read { db in
            let places = databaseQuestionMarks(count: providerOrderIDs.count)
            let arguments: StatementArguments =
                [owner.text, connection] + StatementArguments(providerOrderIDs.sorted())
            let standing = try Row.fetchAll(
                db,
                sql: """
                    \(JournalOrder.select)
                    WHERE owner = ? AND connection = ? AND provider_order_id IN (\(places))
                    """, arguments: arguments
            ).compactMap { JournalOrder($0) }
            var names = OrderAliases()
            for order in standing { names.standing[order.order.id] = order }
            names.replaced = try String.fetchSet(
                db,
                sql: """
                    SELECT provider_order_id FROM journal_replaced
                    WHERE owner = ? AND connection = ? AND provider_order_id IN (\(places))
                    """, arguments: arguments)
            return names
        }
    }

    /// Which of a connection's orders are asked for.
    package enum Part: Hashable, Sendable {
        /// Those that the broker never had or has not told of.
        case unknownToBroker
        /// All of them.
        case all
    }

    /// A connection's orders that were placed or changed here before a moment, newest first.
    package func orders(
        _ part: Part, of owner: OwnerID, _ connection: String, before moment: Instant?, limit: Int
    ) async throws(StorageError) -> [JournalOrder] {
        let condition =
            switch part {
            case .unknownToBroker: "AND provider_order_id IS NULL"
            case .all: ""
            }
        return try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    \(JournalOrder.select)
                    WHERE owner = ? AND connection = ? AND created_at <= ? \(condition)
                    ORDER BY created_at DESC, id DESC LIMIT ?
                    """,
                arguments: [
                    owner.text, connection, (moment ?? .latest).millisecondsSince1970, limit,
                ]
            ).compactMap { JournalOrder($0) }
        }
    }

    /// Remembers what a broker told of orders, for when it will not tell any more.
    package func hear(_ orders: [(OrderIdentity, Order)]) async throws(StorageError) {
        if orders.isEmpty { return }
        try await database.write { db in
            for (identity, order) in orders { try Self.hear(order, as: identity, db) }
        }
    }

    static func hear(_ order: Order, as identity: OrderIdentity, _ db: Database) throws {
        // Of an order whose place was taken meanwhile, or that something is under way with, the write tells.
        guard let known = try JournalOrder.fetch(identity, db), known.openWrite == nil,
            known.order.id == order.id
        else { return }
        try update(identity, with: order, db)
    }
}
