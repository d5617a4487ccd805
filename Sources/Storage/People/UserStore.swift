package import Brokerage
import GRDB
package import Upstream

/// The users of a house.
///
/// `portico users` works with it beside a running server.
package struct UserStore: Sendable {
    let database: SQLiteDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// Sees to it that there is a user with this id, for one whom the settings name: what is theirs refers to it.
    ///
    /// For the start of the process: it waits.
    package func ensure(_ owner: OwnerID, now: Instant = .now) throws(StorageError) {
        try database.writeNow { db in
            try db.execute(
                sql:
                    "INSERT INTO user (id, kind, created_at) VALUES (?, 'CONFIGURED', ?) ON CONFLICT DO NOTHING",
                arguments: [owner.text, now.millisecondsSince1970])
        }
    }

    /// The user with this id; nil where there is none any more.
    package func user(_ id: OwnerID) async throws(StorageError) -> User? {
        try await database.read { db in try Self.user(id, in: db) }
    }

    /// Deletes a user and all data of the user, unless orders of the user are in progress.
    ///
    /// A session of the user in memory ends when its store is notified, or detects that the file was changed.
    package func delete(_ id: OwnerID) async throws(StorageError) -> Deletion {
        try await database.write { db in try Self.delete(id, in: db) }
    }

    static func user(_ id: OwnerID, in db: Database) throws -> User? {
        try Row.fetchOne(db, sql: "SELECT * FROM user WHERE id = ?", arguments: [id.text]).map {
            try User($0)
        }
    }

    static func user(named name: Username, in db: Database) throws -> User? {
        try Row.fetchOne(db, sql: "SELECT * FROM user WHERE username_key = ?", arguments: [name.key])
            .map { try User($0) }
    }

    static func delete(_ id: OwnerID, in db: Database) throws -> Deletion {
        let count = try JournalWrite.countInProgress(of: id, in: db)
        guard count == 0 else { return .ordersInProgress(count) }
        try db.execute(sql: "DELETE FROM user WHERE id = ?", arguments: [id.text])
        return db.changesCount > 0 ? .deleted : .unknown
    }

    static func insertGuest(in db: Database, now: Instant) throws -> User {
        let id = RandomID.make()
        try db.execute(
            sql: "INSERT INTO user (id, kind, created_at) VALUES (?, 'GUEST', ?)",
            arguments: [id, now.millisecondsSince1970])
        guard let owner = OwnerID(id), let user = try user(owner, in: db) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        return user
    }

    static func countOfGuests(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM user WHERE kind = 'GUEST'") ?? 0
    }

    /// Deletes guests who have no session, since no client can access their data any more.
    ///
    /// A guest with an order in progress is kept until the outcome has been recorded.
    ///
    /// - Returns: The deleted guests.
    static func deleteGuestsWithoutSession(in db: Database) throws -> [OwnerID] {
        try String.fetchAll(db, sql: "DELETE FROM user WHERE \(isGuestWithoutSession) RETURNING id")
            .compactMap { OwnerID($0) }
    }

    /// Deletes a guest who has no session and no order in progress.
    ///
    /// - Returns: Whether there was one.
    static func deleteGuestWithoutSession(_ id: OwnerID, in db: Database) throws -> Bool {
        try db.execute(
            sql: "DELETE FROM user WHERE id = ? AND \(isGuestWithoutSession)", arguments: [id.text])
        return db.changesCount > 0
    }

    private static let isGuestWithoutSession = """
        kind = 'GUEST' AND NOT EXISTS (SELECT 1 FROM session WHERE session.user_id = user.id)
            AND NOT EXISTS (
                SELECT 1 FROM journal_write
                WHERE journal_write.owner = user.id AND \(JournalWrite.isInProgress))
        """

    /// Gives a guest, or nobody yet, a name.
    static func name(
        _ guest: User?, _ name: Username, isAdmin: Bool, in db: Database, now: Instant
    ) throws -> User {
        let user = try guest ?? insertGuest(in: db, now: now)
        try db.execute(
            sql: "UPDATE user SET kind = 'NAMED', username = ?, username_key = ?, is_admin = ? WHERE id = ?",
            arguments: [name.text, name.key, isAdmin, user.id.text])
        return User(id: user.id, kind: .named(name.text), isAdmin: isAdmin, createdAt: user.createdAt)
    }
}
