package import Brokerage
package import Upstream

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

    package init(in file: UserDatabase, maximum: Int = maximumActivities) {
        database = file.database
        self.maximum = max(maximum, 1)
    }

    // MARK: Reads from a broker

    /// What is stored of an account; nil if no page of it was read.
    package func coverage(of account: ActivityAccount) async throws(StorageError) -> ActivityCoverage? {
        try await database.read { db in try Self.coverage(of: account, db) }
    }

    /// Stores a page of activities.
    ///
    /// - Parameters:
    ///   - page: The page that the broker returned for `query`.
    ///   - query: The query of the page.
    ///   - account: The account.
    ///   - now: The time of the page.
    /// - Returns: What is stored afterwards; nil, with nothing stored, if the connection has been deleted.
    /// - Throws: `StorageError`; then nothing of the page is stored.
    package func save(
        _ page: ActivityPage, for query: ActivityQuery, of account: ActivityAccount, now: Instant = .now
    ) async throws(StorageError) -> ActivityCoverage? {
        let maximum = maximum
        return try await database.write(for: account.owner) { db in
            guard try account.exists(db) else { return nil }
            let before = try Self.coverage(of: account, db)
            // A page that is not the first belongs to the read that has begun.
            let isFirst = query.page == nil
            let read = (before?.read ?? 0) + (isFirst ? 1 : 0)
            var coverage = before ?? ActivityCoverage()
            coverage.read = read
            if isFirst { coverage.startedOn = now.dateInUTC }
            if let horizon = page.horizon { coverage.raise(since: horizon) }
            coverage.pending = page.next.map { ActivityQuery(since: query.since, page: $0) }
            if coverage.pending == nil {
                coverage.completeOn = coverage.startedOn
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
            if coverage.pending == nil, let start = page.isCompleteFrom {
                try db.execute(
                    """
                    DELETE FROM activity
                    WHERE owner = ? AND connection = ? AND account = ? AND recorded_at >= ? AND last_read <> ?
                    """, account.arguments + [start.millisecondsSince1970, read])
            }
            try Self.enforce(maximum, of: account.owner, db)
            return try Self.coverage(of: account, db)
        }
    }

    private static func coverage(
        of account: ActivityAccount, _ db: SQLTransaction
    ) throws -> ActivityCoverage? {
        try db.row(
            "SELECT * FROM activity_account WHERE owner = ? AND connection = ? AND account = ?",
            account.arguments
        ).map(ActivityCoverage.init(row:))
    }

    private static func save(
        _ coverage: ActivityCoverage, of account: ActivityAccount, _ db: SQLTransaction
    ) throws {
        try db.execute(
            """
            INSERT INTO activity_account (
                owner, connection, account, last_read, started_on, since, complete_on, read_at,
                pending_since, pending_page)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (owner, connection, account) DO UPDATE SET
                last_read = excluded.last_read, started_on = excluded.started_on, since = excluded.since,
                complete_on = excluded.complete_on, read_at = excluded.read_at,
                pending_since = excluded.pending_since, pending_page = excluded.pending_page
            """,
            account.arguments + [
                coverage.read, coverage.startedOn.description, coverage.since?.description,
                coverage.completeOn?.description, coverage.readAt?.millisecondsSince1970,
                coverage.pending?.since?.description, coverage.pending?.page,
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

    /// The activities of an account behind a position, newest first.
    ///
    /// - Parameters:
    ///   - filter: The selection.
    ///   - account: The account.
    ///   - position: The position; nil for the newest.
    ///   - limit: The maximum number of activities.
    /// - Returns: The activities; empty if none matches.
    /// - Throws: `StorageError` if they could not be read.
    package func activities(
        _ filter: ActivityFilter, of account: ActivityAccount, after position: ActivityPosition?, limit: Int
    ) async throws(StorageError) -> [Activity] {
        try await database.read { db in
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
                sql += " AND (day, moment, id) < (?, ?, ?)"
                arguments += [position.day.description, position.moment, position.id]
            }
            sql += " ORDER BY day DESC, moment DESC, id DESC LIMIT ?"
            return try db.rows(sql, arguments + [limit]).map(ActivityRow.activity)
        }
    }

    /// The activity of a user with the id that a broker gave it in a connection, behind the id of its account:
    /// `account:id`; nil if there is none.
    package func activity(
        _ reference: String, of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> (account: String, activity: Activity)? {
        try await database.read { db in
            let accounts: [String] = try db.values(
                "SELECT account FROM activity_account WHERE owner = ? AND connection = ?",
                [owner.text, connection])
            for account in accounts where reference.utf8.starts(with: "\(account):".utf8) {
                // By bytes: texts that are canonically equivalent are different ids.
                let id = String(decoding: reference.utf8.dropFirst(account.utf8.count + 1), as: UTF8.self)
                let row = try db.row(
                    "\(ActivityRow.select) WHERE owner = ? AND connection = ? AND account = ? AND id = ?",
                    [owner.text, connection, account, id])
                if let row { return (account, try ActivityRow.activity(row)) }
            }
            return nil
        }
    }
}

/// An account whose activities are stored.
package struct ActivityAccount: Hashable, Sendable {
    package let owner: OwnerID
    package let connection: String
    /// The broker's own id.
    package let account: String
    /// Whether the connection is stored, and not from the settings: once it is deleted, nothing is stored for it.
    package let isConnectionStored: Bool

    package init(owner: OwnerID, connection: String, account: String, isConnectionStored: Bool) {
        self.owner = owner
        self.connection = connection
        self.account = account
        self.isConnectionStored = isConnectionStored
    }

    fileprivate var arguments: SQLArguments { [owner.text, connection, account] }

    fileprivate func exists(_ db: SQLTransaction) throws -> Bool {
        guard isConnectionStored else { return true }
        return try db.value(
            "SELECT EXISTS (SELECT 1 FROM connection WHERE id = ? AND owner = ?)", [connection, owner.text],
            as: Bool.self) == true
    }
}

/// What is stored of an account.
package struct ActivityCoverage: Hashable, Sendable {
    /// The number of the latest read.
    fileprivate(set) var read = 0
    /// The day in UTC on which the latest read began.
    fileprivate var startedOn = CalendarDate.earliest
    /// From this day on the activities are complete; nil if all of the account are stored.
    package fileprivate(set) var since: CalendarDate?
    /// The day in UTC on which the latest complete read began; nil before the first complete read.
    ///
    /// Activities that were recorded earlier are stored, as far as the broker no longer changes them.
    package fileprivate(set) var completeOn: CalendarDate?
    /// When the latest complete read ended.
    package fileprivate(set) var readAt: Instant?
    /// The next page of a read that is not complete.
    package fileprivate(set) var pending: ActivityQuery?

    fileprivate init() {}

    fileprivate init(row: SQLRow) throws {
        read = try row["last_read"]
        guard let startedOn = try row.date("started_on") else { throw CorruptedRow() }
        self.startedOn = startedOn
        since = try row.date("since")
        completeOn = try row.date("complete_on")
        readAt = try row.instant("read_at")
        if let page: String = try row["pending_page"] {
            pending = ActivityQuery(since: try row.date("pending_since"), page: page)
        }
    }

    fileprivate mutating func raise(since day: CalendarDate) {
        since = max(since ?? day, day)
    }
}

/// A row of the table of activities.
private enum ActivityRow {
    static func save(
        _ activity: Activity, of account: ActivityAccount, read: Int, _ db: SQLTransaction
    ) throws {
        let position = ActivityPosition(activity)
        var columns = SQLColumns()
        columns.add("owner", account.owner.text)
        columns.add("connection", account.connection)
        columns.add("account", account.account)
        columns.add("id", activity.id)
        columns.add("kind", activity.kind.rawValue)
        columns.add("provider_kind", activity.providerKind)
        columns.add("day", position.day.description)
        columns.add("moment", position.moment)
        columns.add("executed_at", activity.time?.description)
        columns.add("settles_on", activity.settlementDate?.description)
        columns.add("recorded_at", activity.recordedAt)
        columns.add("symbol", activity.symbol?.text)
        columns.add("side", activity.side?.rawValue)
        columns.add("quantity", activity.quantity)
        columns.add("price", activity.price)
        columns.add("amount", activity.amount)
        columns.add("currency", activity.currency)
        columns.add("account_amount", activity.accountAmount)
        columns.add("account_currency", activity.accountCurrency)
        columns.add("conversion_rate", activity.conversionRate)
        columns.add("order_id", activity.orderID)
        columns.add("group_id", activity.groupID)
        columns.add("about", activity.about)
        columns.add("last_read", read)
        let changes = columns.names.dropFirst(4).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try db.execute(
            columns.insertion(into: "activity")
                + " ON CONFLICT (owner, connection, account, id) DO UPDATE SET \(changes)",
            columns.arguments)
    }

    /// Selects the columns that ``activity(_:)`` reads, in its order.
    static let select = """
        SELECT id, kind, provider_kind, day, executed_at, settles_on, recorded_at, symbol, side, quantity, price, amount,
            currency, account_amount, account_currency, conversion_rate, order_id, group_id, about
        FROM activity
        """

    static func activity(_ row: SQLRow) throws -> Activity {
        var values = SQLRowReader(row)
        let id: String = try values.next()
        guard let kind = try values.next({ ActivityKind(rawValue: $0) }) else { throw CorruptedRow() }
        let providerKind: String = try values.next()
        guard let date = try values.next({ CalendarDate($0) }) else { throw CorruptedRow() }
        var activity = Activity(id: id, kind: kind, providerKind: providerKind, date: date)
        activity.time = try values.next { Instant($0) }
        activity.settlementDate = try values.next { CalendarDate($0) }
        if let milliseconds: Int64 = try values.next() {
            guard let time = Instant(millisecondsSince1970: milliseconds) else { throw CorruptedRow() }
            activity.recordedAt = time
        }
        activity.symbol = try values.next { Symbol($0) }
        activity.side = (try values.next() as String?).flatMap(OrderSide.init(rawValue:))
        activity.quantity = try values.next { Decimal($0) }
        activity.price = try values.next { Decimal($0) }
        activity.amount = try values.next { Decimal($0) }
        activity.currency = try values.next()
        activity.accountAmount = try values.next { Decimal($0) }
        activity.accountCurrency = try values.next()
        activity.conversionRate = try values.next { Decimal($0) }
        activity.orderID = try values.next()
        activity.groupID = try values.next()
        activity.about = try values.next()
        return activity
    }
}

extension SQLRow {
    /// A day, which is stored as `2026-11-20`; nil if the column is null.
    fileprivate func date(_ name: String) throws(CorruptedRow) -> CalendarDate? {
        guard let text: String = try self[name] else { return nil }
        guard let date = CalendarDate(text) else { throw CorruptedRow() }
        return date
    }
}
