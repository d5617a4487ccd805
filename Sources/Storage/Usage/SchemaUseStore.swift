package import Brokerage
import GRDB

/// The counts of the schema elements that clients have used, in the cache file.
///
/// They tell which changes of the schema break a client. They contain no values of requests.
package struct SchemaUseStore: Sendable {
    /// The use of one element by the operations of one name of one client.
    package struct Use: Hashable, Sendable {
        /// The name of the client; empty for clients that do not identify themselves.
        package let client: String
        /// The name of the operation; empty for operations without a name.
        package let operation: String
        /// The coordinate of the element in the schema.
        package let coordinate: String
        package let count: Int
        /// When the last of them was stored.
        package let last: Instant

        package init(client: String, operation: String, coordinate: String, count: Int, last: Instant) {
            (self.client, self.operation, self.coordinate) = (client, operation, coordinate)
            (self.count, self.last) = (count, last)
        }
    }

    /// All counts.
    package struct Contents: Sendable {
        /// When the first count was stored; nil if there is none.
        package let since: Instant?
        /// Operations that were not counted, because there were too many different ones in a minute, or because the
        /// file could not be written.
        package let uncounted: Int
        /// The counts by client, operation and coordinate.
        package let uses: [Use]
    }

    /// A key of counts in memory.
    package struct Key: Hashable, Sendable {
        let client: String
        let operation: String

        package init(client: String, operation: String) {
            (self.client, self.operation) = (client, operation)
        }
    }

    /// The number of rows that are kept; those that were used longest ago are deleted.
    private static let maximumRows = 100_000

    private let database: SQLiteDatabase

    package init(in file: CacheDatabase) {
        database = file.database
    }

    /// Adds counts in one transaction.
    ///
    /// - Parameters:
    ///   - counts: The counts by client and operation, then by coordinate.
    ///   - uncounted: The number of operations that were not counted.
    ///   - now: The time that is stored with the counts.
    /// - Throws: The error of the database; nothing was added.
    package func add(
        _ counts: [Key: [String: Int]], uncounted: Int, now: Instant
    ) async throws(StorageError) {
        let time = now.secondsSince1970
        try await database.write { db in
            let add = try db.cachedStatement(
                sql: """
                    INSERT INTO schema_use (client, operation, coordinate, count, last) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)
                    """)
            for (key, elements) in counts {
                for (coordinate, count) in elements {
                    try add.execute(arguments: [key.client, key.operation, coordinate, count, time])
                }
            }
            try db.execute(
                sql: """
                    INSERT INTO schema_use_total (id, since, uncounted) VALUES (0, ?, ?)
                    ON CONFLICT DO UPDATE SET uncounted = uncounted + excluded.uncounted
                    """, arguments: [time, uncounted])
            let surplus = try Int.fetchOne(
                db, sql: "SELECT count(*) - ? FROM schema_use", arguments: [Self.maximumRows])
            guard let surplus, surplus > 0 else { return }
            try db.execute(
                sql: """
                    DELETE FROM schema_use WHERE (client, operation, coordinate) IN (
                        SELECT client, operation, coordinate FROM schema_use ORDER BY last, count LIMIT ?)
                    """, arguments: [surplus])
        }
    }

    package func contents() async throws(StorageError) -> Contents {
        try await database.read { db in
            let total = try Row.fetchOne(db, sql: "SELECT since, uncounted FROM schema_use_total")
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM schema_use ORDER BY client, operation, coordinate")
            return Contents(
                since: total.flatMap { Instant(secondsSince1970: $0["since"]) },
                uncounted: total?["uncounted"] ?? 0, uses: rows.compactMap(Use.init(row:)))
        }
    }
}

extension SchemaUseStore.Use {
    /// Nil for a row with an invalid time.
    fileprivate init?(row: Row) {
        guard let last = Instant(secondsSince1970: row["last"]) else { return nil }
        self.init(
            client: row["client"], operation: row["operation"], coordinate: row["coordinate"],
            count: row["count"], last: last)
    }
}
