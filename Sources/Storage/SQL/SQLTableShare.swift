import Foundation

/// The bounds of a table of the database that several owners share, as `SharedTable` has them in memory.
struct SQLTableShare: Sendable {
    let table: String
    /// The column of the primary key.
    let key: String
    /// The column of the owner of a row, with an index.
    let owner: String
    /// The column of the time by which a row is older than another one.
    let time: String
    /// The number of rows.
    let maximum: Int
    /// The number of rows of one owner.
    let share: Int

    /// Removes rows, so that there is room for one more: the oldest one of its owner if the owner has its share, or of the
    /// owner with the most rows if the table is full.
    func makeRoom(for owner: Data, in db: SQLTransaction) throws {
        let own: Int = try db.value("SELECT count(*) FROM \(table) WHERE \(self.owner) = ?", [owner]) ?? 0
        if own >= share { return try removeOldest(own - share + 1, of: owner, in: db) }
        let count: Int = try db.value("SELECT count(*) FROM \(table)") ?? 0
        // More than one only if the limit was higher before.
        for _ in 0..<max(0, count - maximum + 1) {
            let largest = try db.row(
                """
                SELECT \(self.owner) AS owner, count(*) AS rows_of_owner FROM \(table) GROUP BY \(self.owner)
                ORDER BY rows_of_owner DESC, min(\(time)) LIMIT 1
                """)
            guard let largest else { return }
            let (other, most): (Data, Int) = try (largest["owner"], largest["rows_of_owner"])
            try removeOldest(1, of: own < most ? other : owner, in: db)
        }
    }

    private func removeOldest(_ count: Int, of owner: Data, in db: SQLTransaction) throws {
        try db.execute(
            """
            DELETE FROM \(table) WHERE \(key) IN
                (SELECT \(key) FROM \(table) WHERE \(self.owner) = ? ORDER BY \(time), \(key) LIMIT ?)
            """, [owner, count])
    }
}
