package import Brokerage

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

    var arguments: SQLArguments { [owner.text, connection, account] }

    func exists(_ db: SQLTransaction) throws -> Bool {
        guard isConnectionStored else { return true }
        return try db.value(
            "SELECT EXISTS (SELECT 1 FROM connection WHERE id = ? AND owner = ?)", [connection, owner.text],
            as: Bool.self) == true
    }
}

/// What is stored of an account.
///
/// Every change of an account's activities changes it: a page is stored for a new read, or as the next page of a read;
/// and what a save for another account deletes are the oldest. So equal values of complete reads have equal activities.
package struct ActivityCoverage: Hashable, Sendable {
    /// The number of the latest read.
    var read = 0
    /// The day in UTC on which the latest read began.
    var startedOn = CalendarDate.earliest
    /// From this day on the activities are complete; nil if all of the account are stored.
    package internal(set) var since: CalendarDate?
    /// The day in UTC on which the latest complete read without an unreadable row began; nil before the first one.
    ///
    /// Activities that were recorded earlier are stored, as far as the broker no longer changes them.
    package internal(set) var completeOn: CalendarDate?
    /// When the latest complete read ended.
    package var readAt: Instant?
    /// The errors of the rows of the latest complete read that could not be read, with their places and without values:
    /// those of the first 20 rows, then ``furtherRows``.
    ///
    /// While there are any, ``completeOn`` stays, so that the next read has these rows again.
    package internal(set) var unreadable: [String] = []
    /// The same of the read that is not complete.
    var pendingUnreadable: [String] = []
    /// The errors of all reads.
    package var allUnreadable: [String] { unreadable + pendingUnreadable.filter { !unreadable.contains($0) } }
    /// The next page of a read that is not complete.
    package internal(set) var pending: ActivityQuery?
    /// Whether an order of the journal was filled lately whose trade is not among the activities.
    package private(set) var awaitsTrades = false
    /// The day of the oldest stored activity: a save for another account of the user may delete the oldest ones.
    private var oldest: CalendarDate?

    init() {}

    init(row: SQLRow) throws {
        read = try row["last_read"]
        // The next read has the next number.
        guard (0..<Int.max).contains(read), let startedOn = try row.date("started_on") else {
            throw CorruptedRow()
        }
        self.startedOn = startedOn
        since = try row.date("since")
        completeOn = try row.date("complete_on")
        readAt = try row.instant("read_at")
        oldest = try row.date("oldest")
        awaitsTrades = try row["awaits_trades"]
        unreadable = try row.lines("unreadable")
        pendingUnreadable = try row.lines("pending_unreadable")
        if let page: String = try row["pending_page"] {
            pending = ActivityQuery(since: try row.date("pending_since"), page: page)
        }
    }

    /// Stands for the errors that are not stored: a broker that changes a member changes it in all rows.
    package static let furtherRows = "further rows of the list"

    private static let maximumUnreadable = 20

    mutating func addUnreadable(_ errors: [String]) {
        let room = Self.maximumUnreadable - pendingUnreadable.count
        guard room >= 0 else { return }
        pendingUnreadable += errors.prefix(room)
        if errors.count > room { pendingUnreadable.append(Self.furtherRows) }
    }

    mutating func raise(since day: CalendarDate) {
        since = max(since ?? day, day)
    }
}

extension SQLRow {
    /// Texts of one line, as ``ActivityCoverage`` stores them.
    fileprivate func lines(_ name: String) throws(CorruptedRow) -> [String] {
        let text: String = try self[name]
        return text.split(separator: "\n").map(String.init)
    }

    /// A day, which is stored as `2026-11-20`; nil if the column is null.
    fileprivate func date(_ name: String) throws(CorruptedRow) -> CalendarDate? {
        guard let text: String = try self[name] else { return nil }
        guard let date = CalendarDate(text) else { throw CorruptedRow() }
        return date
    }
}
