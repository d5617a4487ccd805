/// The transactions that had ended at a moment, as PostgreSQL has them (`pg_snapshot`; PostgreSQL 15, section 9.26).
///
/// What a read with a later snapshot sees, and this one does not contain, was committed in between, whatever the time at which
/// the transaction has inserted it.
package struct PostgresSnapshot: Hashable, Sendable {
    /// `xmin:xmax:` and the numbers of the transactions in progress between them.
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// The snapshot of a transaction that reads one state.
    ///
    /// - Returns: Nil at a standby, whose snapshots have no transactions in progress.
    package static func current(_ db: SQLTransaction) throws -> PostgresSnapshot? {
        let text: String? = try db.value(
            "SELECT CAST(pg_current_snapshot() AS TEXT) WHERE NOT pg_is_in_recovery()")
        return text.map { PostgresSnapshot(text: $0) }
    }
}
