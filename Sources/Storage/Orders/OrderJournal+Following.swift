package import Brokerage

extension OrderJournal {
    /// A connection with orders that have not ended.
    package struct FollowedConnection: Hashable, Sendable {
        package let owner: OwnerID
        package let connection: String

        package init(owner: OwnerID, connection: String) {
            (self.owner, self.connection) = (owner, connection)
        }
    }

    /// The connections with orders that have not ended, as far as the journal knows; that with the newest order first.
    ///
    /// There is no limit, because connections that were deleted, or cannot be opened, would exclude others.
    package func followedConnections() async throws(StorageError) -> [FollowedConnection] {
        try await database.read { db in
            try db.rows(
                """
                SELECT owner, connection FROM journal_order WHERE \(JournalOrder.isFollowed)
                GROUP BY owner, connection ORDER BY MAX(created_at) DESC
                """
            ).compactMap { row in
                try OwnerID(row["owner"]).map {
                    FollowedConnection(owner: $0, connection: try row["connection"])
                }
            }
        }
    }

    /// The orders of a connection that have not ended, as far as the journal knows; the newest first.
    package func followedOrders(
        of owner: OwnerID, _ connection: String, limit: Int
    ) async throws(StorageError) -> [JournalOrder] {
        try await database.read { db in
            try db.rows(
                """
                \(JournalOrder.select) WHERE owner = ? AND connection = ? AND \(JournalOrder.isFollowed)
                ORDER BY created_at DESC, id DESC LIMIT ?
                """, [owner.text, connection, limit]
            ).compactMap { try JournalOrder($0) }
        }
    }

    /// Records that the broker reports orders neither as open nor as ended.
    ///
    /// An order with a write in progress is left: the outcome of the write is recorded instead.
    ///
    /// - Returns: Whether a state has changed.
    package func markUnknown(
        _ ids: [String], of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> Bool {
        if ids.isEmpty { return false }
        return try await database.write(for: owner) { db in
            let list = SQLList(ids.sorted())
            return try db.executeUpdate(
                """
                UPDATE journal_order SET state = '\(OrderState.unknown.rawValue)'
                WHERE owner = ? AND connection = ? AND id IN (\(list.placeholders)) AND \(JournalOrder.isFollowed)
                    AND NOT EXISTS (
                        SELECT 1 FROM journal_write
                        WHERE (journal_write.owner, journal_write.connection, journal_write.order_id)
                                = (journal_order.owner, journal_order.connection, journal_order.id)
                            AND \(JournalWrite.isOpen))
                """, [owner.text, connection] + list.arguments) > 0
        }
    }

    /// Has the activities of an account read again after a trade of one of its orders, which may not be among them.
    static func expireActivities(
        of identity: OrderIdentity, filledBy order: Order, _ db: SQLTransaction
    ) throws {
        // Without a fill, the known order need not be read.
        guard order.state == .filled || order.filledQuantity.map({ !$0.isZero }) ?? false else { return }
        guard let known = try JournalOrder.fetch(identity, db)?.order else { return }
        let hasTraded =
            order.state == .filled && known.state != .filled
            || order.filledQuantity.map { !$0.isZero && $0 != known.filledQuantity } ?? false
        guard hasTraded else { return }
        var sql = "UPDATE activity_account SET read_at = NULL WHERE owner = ? AND connection = ?"
        var arguments: SQLArguments = [identity.owner.text, identity.connection]
        if let account = order.accountID ?? known.accountID {
            sql += " AND account = ?"
            arguments += [account]
        }
        try db.execute(sql, arguments)
    }
}

extension JournalOrder {
    /// The condition of the index `journal_order_followed`, literally, so that SQLite uses the index: the broker has the
    /// order, and it has not ended.
    static let isFollowed = """
        provider_order_id IS NOT NULL
            AND state IN ('ACCEPTED', 'OPEN', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'PENDING_REPLACE')
        """
}
