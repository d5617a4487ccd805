package import Brokerage
import GRDB
package import Upstream

extension UserStore {
    /// A user, as who runs the server sees them.
    package struct Summary: Sendable {
        package let user: User
        package let sessions: Int
        /// To the minute, and written down a minute later; nil where there is no session.
        package let lastUsedAt: Instant?
    }

    /// All users but guests, in the order of their names; those whom the settings name come first.
    package func summaries() async throws(StorageError) -> [Summary] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT user.*, count(session.id) AS sessions, max(session.last_used_at) AS last_used_at
                    FROM user LEFT JOIN session ON session.user_id = user.id
                    WHERE kind <> 'GUEST' GROUP BY user.id ORDER BY username_key
                    """
            ).map { row in
                Summary(
                    user: try User(row), sessions: row["sessions"],
                    lastUsedAt: (row["last_used_at"] as Int64?).flatMap {
                        Instant(millisecondsSince1970: $0)
                    })
            }
        }
    }

    /// How many guests there are.
    package func countOfGuests() async throws(StorageError) -> Int {
        try await database.read { db in try Self.countOfGuests(in: db) }
    }

    /// The user with this name; nil where there is none.
    package func user(named name: Username) async throws(StorageError) -> User? {
        try await database.read { db in try Self.user(named: name, in: db) }
    }

    /// Sets a user's password and ends all their sessions.
    ///
    /// - Returns: whether there is such a user.
    package func resetPassword(
        of id: OwnerID, to hash: PasswordHash
    ) async throws(StorageError) -> Bool {
        try await database.write { db in
            guard case .named? = try Self.user(id, in: db)?.kind else { return false }
            try Self.set(hash, of: id, in: db)
            try db.execute(sql: "DELETE FROM session WHERE user_id = ?", arguments: [id.text])
            return true
        }
    }
}
