package import Brokerage

/// Stores the activities of users' accounts, so that each is read from its broker once.
///
/// A read of an account has one or several pages. Each page is stored with the position after it, so that a read that
/// was interrupted continues there. An activity is identified by its broker's id: one that is read again replaces
/// the stored one.
package struct ActivityStore: Sendable {
    /// As many activities as are stored for a user.
    ///
    /// If there are more, the oldest of all accounts are deleted, and ``ActivityCoverage/since`` states the first
    /// complete day.
    package static let maximumActivities = 100_000

    private let database: SQLDatabase
    private let maximum: Int
    private let cache = ActivityCache()

    package init(in file: UserDatabase, maximum: Int = maximumActivities) {
        database = file.database
        self.maximum = max(maximum, 1)
    }

    // MARK: Reads from a broker

    /// What is stored of an account; nil if no page of it was read.
    package func coverage(
        of account: ActivityAccount, now: Instant = .now
    ) async throws(StorageError) -> ActivityCoverage? {
        try await database.read { db in try Self.coverage(of: account, now, db) }
    }

    /// Stores a page of activities.
    ///
    /// - Parameters:
    ///   - page: The page that the broker returned for `query`.
    ///   - query: The query of the page.
    ///   - account: The account.
    ///   - now: The time of the page.
    /// - Returns: What is stored afterwards; nil, with nothing stored, if the connection has been deleted. Nothing is
    ///   stored either of a page that is not the next one of the stored read: another process has continued it, or has
    ///   begun another.
    /// - Throws: `StorageError`; then nothing of the page is stored.
    package func save(
        _ page: ActivityPage, for query: ActivityQuery, of account: ActivityAccount, now: Instant = .now
    ) async throws(StorageError) -> ActivityCoverage? {
        let maximum = maximum
        return try await database.write(for: account.owner) { db in
            guard try account.exists(db) else { return nil }
            let before = try Self.coverage(of: account, now, db)
            // A page that is not the first belongs to the read that has begun.
            let isFirst = query.page == nil
            guard isFirst || before?.pending == query else { return before }
            let read = (before?.read ?? 0) + (isFirst ? 1 : 0)
            var coverage = before ?? ActivityCoverage()
            coverage.read = read
            if isFirst {
                coverage.startedOn = now.dateInUTC
                coverage.pendingUnreadable = []
            }
            coverage.addUnreadable(page.unreadable)
            if let horizon = page.horizon { coverage.raise(since: horizon) }
            coverage.pending = page.next.map { ActivityQuery(since: query.since, page: $0) }
            if coverage.pending == nil {
                coverage.unreadable = coverage.pendingUnreadable
                coverage.pendingUnreadable = []
                if coverage.unreadable.isEmpty { coverage.completeOn = coverage.startedOn }
                coverage.readAt = now
            }
            try Self.save(coverage, of: account, db)
            for activity in page.activities {
                if let since = coverage.since, activity.date < since { continue }
                try ActivityRow.save(activity, of: account, read: read, db)
            }
            for id in page.canceledIDs {
                try db.execute(
                    "DELETE FROM activity WHERE owner = ? AND connection = ? AND account = ? AND id = ?",
                    account.arguments + [id])
            }
            // A row that could not be read may be one of those that are missing.
            if coverage.pending == nil, coverage.unreadable.isEmpty, let start = page.isCompleteFrom {
                try db.execute(
                    """
                    DELETE FROM activity
                    WHERE owner = ? AND connection = ? AND account = ? AND recorded_at >= ? AND last_read <> ?
                    """, account.arguments + [start.millisecondsSince1970, read])
            }
            try Self.enforce(maximum, of: account.owner, db)
            return try Self.coverage(of: account, now, db)
        }
    }

    /// The time for which the trade of a filled order is awaited: longer than a broker's report takes, also over holidays.
    private static let awaitingTime = Duration.seconds(7 * 86_400)

    private static func coverage(
        of account: ActivityAccount, _ now: Instant, _ db: SQLTransaction
    ) throws -> ActivityCoverage? {
        try db.row(
            """
            SELECT *, (
                SELECT MIN(day) FROM activity WHERE (activity.owner, activity.connection, activity.account)
                    = (activity_account.owner, activity_account.connection, activity_account.account)
            ) AS oldest, EXISTS (
                SELECT 1 FROM journal_order WHERE (journal_order.owner, journal_order.connection)
                        = (activity_account.owner, activity_account.connection)
                    AND coalesce(journal_order.account, activity_account.account) = activity_account.account
                    AND filled_quantity IS NOT NULL AND CAST(filled_quantity AS NUMERIC) > 0
                    AND updated_at > ? AND provider_order_id IS NOT NULL
                    AND NOT EXISTS (
                        SELECT 1 FROM activity WHERE (activity.owner, activity.connection, activity.account)
                                = (activity_account.owner, activity_account.connection, activity_account.account)
                            AND activity.order_id = journal_order.provider_order_id)
            ) AS awaits_trades
            FROM activity_account WHERE owner = ? AND connection = ? AND account = ?
            """,
            [(now - awaitingTime).millisecondsSince1970] + account.arguments
        ).map(ActivityCoverage.init(row:))
    }

    private static func save(
        _ coverage: ActivityCoverage, of account: ActivityAccount, _ db: SQLTransaction
    ) throws {
        try db.execute(
            """
            INSERT INTO activity_account (
                owner, connection, account, last_read, started_on, since, complete_on, read_at,
                pending_since, pending_page, unreadable, pending_unreadable)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (owner, connection, account) DO UPDATE SET
                last_read = excluded.last_read, started_on = excluded.started_on, since = excluded.since,
                complete_on = excluded.complete_on, read_at = excluded.read_at,
                pending_since = excluded.pending_since, pending_page = excluded.pending_page,
                unreadable = excluded.unreadable, pending_unreadable = excluded.pending_unreadable
            """,
            account.arguments + [
                coverage.read, coverage.startedOn.description, coverage.since?.description,
                coverage.completeOn?.description, coverage.readAt?.millisecondsSince1970,
                coverage.pending?.since?.description, coverage.pending?.page,
                coverage.unreadable.joined(separator: "\n"),
                coverage.pendingUnreadable.joined(separator: "\n"),
            ])
    }

    /// Deletes the oldest days of a user that has more activities than are stored for one.
    private static func enforce(_ maximum: Int, of owner: OwnerID, _ db: SQLTransaction) throws {
        let day = try db.value(
            "SELECT day FROM activity WHERE owner = ? ORDER BY day DESC LIMIT 1 OFFSET ?",
            [owner.text, maximum], as: String.self)
        guard let day else { return }
        guard let next = CalendarDate(day)?.adding(days: 1)?.description else { throw CorruptedRow() }
        try db.execute("DELETE FROM activity WHERE owner = ? AND day <= ?", [owner.text, day])
        try db.execute(
            "UPDATE activity_account SET since = ?1 WHERE owner = ?2 AND (since IS NULL OR since < ?1)",
            [next, owner.text])
    }

    // MARK: Lists

    /// From this size of a page with a position on, all activities of the account are read, for the pages after it.
    private static let pageOfWholeList = 100

    /// The activities of an account behind a position, newest first.
    ///
    /// - Parameters:
    ///   - filter: The selection.
    ///   - account: The account.
    ///   - coverage: What the database has of the account; with it, activities in memory are used.
    ///   - position: The position; nil for the newest.
    ///   - limit: The maximum number of activities.
    ///   - now: The current time.
    /// - Returns: The activities; empty if none matches.
    /// - Throws: `StorageError` if they could not be read.
    package func activities(
        _ filter: ActivityFilter, of account: ActivityAccount, _ coverage: ActivityCoverage? = nil,
        after position: ActivityPosition?, limit: Int, now: Instant = .now
    ) async throws(StorageError) -> [StoredActivity] {
        if let coverage {
            var known = cache.entry(of: account, coverage)
            if known == nil, coverage.pending == nil, position != nil, limit >= Self.pageOfWholeList,
                filter == ActivityFilter()
            {
                known = try await readAll(of: account, atMost: ActivityCache.maximumActivities, now).entry
            }
            if case .all(let activities)? = known {
                return activities.page(filter, after: position, limit: limit)
            }
        }
        return try await database.read { db in
            try Self.activities(filter, of: account, after: position, limit: limit, db)
        }
    }

    /// All activities of an account, newest first, from memory if they are there with the coverage.
    package func allActivities(
        of account: ActivityAccount, _ coverage: ActivityCoverage, now: Instant = .now
    ) async throws(StorageError) -> [StoredActivity] {
        if case .all(let activities)? = cache.entry(of: account, coverage) { return activities }
        return try await readAll(of: account, atMost: Self.maximumActivities, now).activities
    }

    /// Reads the activities of an account, newest first, and stores them in memory if they are fewer than `limit`.
    private func readAll(
        of account: ActivityAccount, atMost limit: Int, _ now: Instant
    ) async throws(StorageError) -> (activities: [StoredActivity], entry: ActivityCache.Entry) {
        let (coverage, activities) = try await database.read { db in
            (
                try Self.coverage(of: account, now, db),
                try Self.activities(ActivityFilter(), of: account, after: nil, limit: limit, db)
            )
        }
        let entry: ActivityCache.Entry = activities.count < limit ? .all(activities) : .tooMany
        // Until a read is complete, several processes may store its pages.
        if let coverage, coverage.pending == nil { cache.store(entry, of: account, coverage) }
        return (activities, entry)
    }

    /// Forgets the activities of a connection that are in memory.
    package func forget(_ connection: String, of owner: OwnerID) { cache.forget(connection, of: owner) }

    private static func activities(
        _ filter: ActivityFilter, of account: ActivityAccount, after position: ActivityPosition?, limit: Int,
        _ db: SQLTransaction
    ) throws -> [StoredActivity] {
        var sql = "\(ActivityRow.select) WHERE owner = ? AND connection = ? AND account = ?"
        var arguments = account.arguments
        if let kinds = filter.kinds {
            let list = SQLList(kinds.map(\.rawValue).sorted())
            sql += " AND kind IN (\(list.placeholders))"
            arguments += list.arguments
        }
        if let symbol = filter.symbol {
            sql += " AND symbol = ?"
            arguments += [symbol.text]
        }
        if let from = filter.from {
            sql += " AND day >= ?"
            arguments += [from.description]
        }
        if let to = filter.to {
            sql += " AND day <= ?"
            arguments += [to.description]
        }
        if let position {
            sql += " AND (day, moment, moment_nanos, sequence, id) < (?, ?, ?, ?, ?)"
            arguments += [
                position.day.description, position.moment, position.nanoseconds, position.sequence,
                position.id,
            ]
        }
        sql += " ORDER BY day DESC, moment DESC, moment_nanos DESC, sequence DESC, id DESC LIMIT ?"
        return try db.map(sql, arguments + [limit], ActivityRow.activity)
    }

    /// The activity of a user with the id that a broker gave it in a connection, behind the id of its account:
    /// `account:id`; nil if there is none.
    package func activity(
        _ reference: String, of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> (account: String, activity: StoredActivity)? {
        try await database.read { db in
            let accounts: [String] = try db.values(
                "SELECT account FROM activity_account WHERE owner = ? AND connection = ?",
                [owner.text, connection])
            for account in accounts where reference.utf8.starts(with: "\(account):".utf8) {
                // By bytes: texts that are canonically equivalent are different ids.
                let id = String(decoding: reference.utf8.dropFirst(account.utf8.count + 1), as: UTF8.self)
                let activities = try db.map(
                    "\(ActivityRow.select) WHERE owner = ? AND connection = ? AND account = ? AND id = ?",
                    [owner.text, connection, account, id], ActivityRow.activity)
                if let activity = activities.first { return (account, activity) }
            }
            return nil
        }
    }
}
