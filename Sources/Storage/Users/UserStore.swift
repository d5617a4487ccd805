package import Brokerage

/// The users of the server.
///
/// `portico users` uses it beside a running server.
package struct UserStore: Sendable {
    let database: SQLDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// Creates the user with this id if there is none; for the owner from the settings, to whom other rows
    /// refer.
    ///
    /// The function blocks; it is for the start of the process.
    package func ensure(_ owner: OwnerID, now: Instant = .now) throws(StorageError) {
        try database.writeNow { db in
            try db.execute(
                "INSERT INTO \"user\" (id, kind, created_at) VALUES (?, 'CONFIGURED', ?) ON CONFLICT (id) DO NOTHING",
                [owner.text, now.millisecondsSince1970])
        }
    }

    /// Returns the user with this id; nil if there is none.
    package func user(_ id: OwnerID) async throws(StorageError) -> User? {
        try await database.read { db in try Self.user(id, in: db) }
    }

    /// Deletes a user and all data of the user, unless orders of the user are in progress.
    ///
    /// A session of the user in memory ends when its store is notified, or detects that the file was changed.
    package func delete(_ id: OwnerID, now: Instant = .now) async throws(StorageError) -> Deletion {
        try await database.write(for: id) { db in try Self.delete(id, in: db, now: now) }
    }

    static func user(_ id: OwnerID, in db: SQLTransaction) throws -> User? {
        try db.row("SELECT * FROM \"user\" WHERE id = ?", [id.text]).map {
            try User($0)
        }
    }

    static func user(named name: Username, in db: SQLTransaction) throws -> User? {
        try db.row("SELECT * FROM \"user\" WHERE username_key = ?", [name.key])
            .map { try User($0) }
    }

    /// Deletes a user with all data; tokens of an identity provider that were issued before do not create the user again.
    static func delete(_ id: OwnerID, in db: SQLTransaction, now: Instant) throws -> Deletion {
        let count = try JournalWrite.countInProgress(of: id, in: db)
        guard count == 0 else { return .ordersInProgress(count) }
        try IdentityStore.endTokens(ofDeleted: id, in: db, now: now)
        try deleteSessions(of: id, in: db)
        return try db.executeUpdate("DELETE FROM \"user\" WHERE id = ?", [id.text]) > 0 ? .deleted : .unknown
    }

    /// Deletes the sessions of a user in the order of their ids, in which each transaction changes sessions.
    private static func deleteSessions(of id: OwnerID, in db: SQLTransaction) throws {
        let sessions: [String] = try db.values(
            "SELECT id FROM session WHERE user_id = ? ORDER BY id", [id.text])
        for session in sessions { try db.execute("DELETE FROM session WHERE id = ?", [session]) }
    }

    static func insertGuest(in db: SQLTransaction, now: Instant) throws -> User {
        let id = RandomID.make()
        try db.execute(
            "INSERT INTO \"user\" (id, kind, created_at) VALUES (?, 'GUEST', ?)",
            [id, now.millisecondsSince1970])
        guard let owner = OwnerID(id), let user = try user(owner, in: db) else {
            throw CorruptedRow()
        }
        return user
    }

    static func countOfGuests(in db: SQLTransaction) throws -> Int {
        try db.value("SELECT count(*) FROM \"user\" WHERE kind = 'GUEST'") ?? 0
    }

    /// Guests without a session and without an order in progress, in the order of their ids.
    ///
    /// - Parameters:
    ///   - id: Only those after this one; empty for the first.
    ///   - limit: The maximum number.
    ///   - db: The transaction.
    /// - Returns: Their ids.
    /// - Throws: The error of the database.
    static func guestsWithoutSession(
        after id: String, limit: Int, in db: SQLTransaction
    ) throws -> [String] {
        try db.values(
            "SELECT id FROM \"user\" WHERE id > ? AND \(isGuestWithoutSession) ORDER BY id LIMIT ?",
            [id, limit])
    }

    /// Deletes those of some guests who still have no session and no order in progress.
    ///
    /// - Returns: The deleted guests.
    static func deleteGuestsWithoutSession(_ ids: [String], in db: SQLTransaction) throws -> [OwnerID] {
        let list = SQLList(ids)
        return try db.values(
            "DELETE FROM \"user\" WHERE id IN (\(list.placeholders)) AND \(isGuestWithoutSession) RETURNING id",
            list.arguments
        ).compactMap { OwnerID($0) }
    }

    /// Deletes a guest who has no session and no order in progress.
    ///
    /// - Returns: Whether there was one.
    static func deleteGuestWithoutSession(_ id: OwnerID, in db: SQLTransaction) throws -> Bool {
        try db.executeUpdate("DELETE FROM \"user\" WHERE id = ? AND \(isGuestWithoutSession)", [id.text]) > 0
    }

    private static let isGuestWithoutSession = """
        kind = 'GUEST' AND NOT EXISTS (SELECT 1 FROM session WHERE session.user_id = "user".id)
            AND NOT EXISTS (
                SELECT 1 FROM journal_write
                WHERE journal_write.owner = "user".id AND \(JournalWrite.isInProgress))
        """

    /// Gives a guest or a new user a name.
    static func name(
        _ guest: User?, _ name: Username, isAdmin: Bool, in db: SQLTransaction, now: Instant
    ) throws -> User {
        let user = try guest ?? insertGuest(in: db, now: now)
        try db.execute(
            "UPDATE \"user\" SET kind = 'NAMED', username = ?, username_key = ?, is_admin = ? WHERE id = ?",
            [name.text, name.key, isAdmin, user.id.text])
        return User(id: user.id, kind: .named(name.text), isAdmin: isAdmin, createdAt: user.createdAt)
    }
}

extension UserStore {
    /// A user who can sign in.
    package struct Registered: Sendable {
        package let user: User
        package let hash: PasswordHash

        package init(user: User, hash: PasswordHash) {
            self.user = user
            self.hash = hash
        }
    }

    /// Returns the user with this name; nil if there is none.
    package func registered(_ name: Username) async throws(StorageError) -> Registered? {
        try await database.read { db in
            guard let user = try Self.user(named: name, in: db) else { return nil }
            return try Self.hash(of: user.id, in: db).map { Registered(user: user, hash: $0) }
        }
    }

    /// Returns the user with this id; nil if there is none, or none with a password.
    package func registered(_ id: OwnerID) async throws(StorageError) -> Registered? {
        try await database.read { db in
            guard let user = try Self.user(id, in: db) else { return nil }
            return try Self.hash(of: user.id, in: db).map { Registered(user: user, hash: $0) }
        }
    }

    /// Stores another hash of the same password, unless the password was changed.
    package func upgrade(
        _ hash: PasswordHash, to new: PasswordHash, of id: OwnerID
    ) async throws(StorageError) {
        try await database.write(for: id) { db in
            guard try Self.hash(of: id, in: db) == hash else { return }
            try Self.set(new, of: id, in: db)
        }
    }

    static func hash(of id: OwnerID, in db: SQLTransaction) throws -> PasswordHash? {
        try db.row("SELECT * FROM password WHERE user_id = ?", [id.text])
            .map { try PasswordHash($0) }
    }

    static func set(_ hash: PasswordHash, of id: OwnerID, in db: SQLTransaction) throws {
        try db.execute(
            """
            INSERT INTO password (user_id, salt, hash, cost, block_size, parallelism)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id) DO UPDATE SET salt = excluded.salt, hash = excluded.hash, cost = excluded.cost,
                block_size = excluded.block_size, parallelism = excluded.parallelism
            """, [id.text] + hash.arguments)
    }
}

extension UserStore {
    /// A user, as who runs the server sees them.
    package struct Summary: Sendable {
        package let user: User
        package let sessions: Int
        /// To the minute, and stored a minute later; nil without a session.
        package let lastUsedAt: Instant?
    }

    /// All users except guests, sorted by name; the users of the settings come first.
    package func summaries() async throws(StorageError) -> [Summary] {
        try await database.read { db in
            try db.rows(
                """
                SELECT "user".*, count(session.id) AS sessions, max(session.last_used_at) AS last_used_at
                FROM "user" LEFT JOIN session ON session.user_id = "user".id
                WHERE kind <> 'GUEST' GROUP BY "user".id ORDER BY username_key NULLS FIRST
                """
            ).map { row in
                Summary(
                    user: try User(row), sessions: try row["sessions"],
                    lastUsedAt: try row.instant("last_used_at"))
            }
        }
    }

    /// Returns the number of guests.
    package func countOfGuests() async throws(StorageError) -> Int {
        try await database.read { db in try Self.countOfGuests(in: db) }
    }

    /// Returns the user with this name; nil if there is none.
    package func user(named name: Username) async throws(StorageError) -> User? {
        try await database.read { db in try Self.user(named: name, in: db) }
    }

    /// Sets a user's password, ends all sessions of the user, and refuses the user's bearer tokens from now on.
    ///
    /// - Returns: Whether there is such a user.
    package func resetPassword(
        of id: OwnerID, to hash: PasswordHash, now: Instant = .now
    ) async throws(StorageError) -> Bool {
        try await database.write(for: id) { db in
            guard case .named? = try Self.user(id, in: db)?.kind else { return false }
            try Self.set(hash, of: id, in: db)
            // First, because a logout of the identity provider locks in this order.
            try IdentityStore.revokeTokens(of: id, in: db, now: now)
            try Self.deleteSessions(of: id, in: db)
            return true
        }
    }
}
