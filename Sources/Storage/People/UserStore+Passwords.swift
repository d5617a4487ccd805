import GRDB
package import Upstream

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

    /// The user with this name; nil where there is none.
    package func registered(_ name: Username) async throws(StorageError) -> Registered? {
        try await database.read { db in
            guard let user = try Self.user(named: name, in: db) else { return nil }
            return try Self.hash(of: user.id, in: db).map { Registered(user: user, hash: $0) }
        }
    }

    /// The user with this id; nil where there is none, or one without a password.
    package func registered(_ id: OwnerID) async throws(StorageError) -> Registered? {
        try await database.read { db in
            guard let user = try Self.user(id, in: db) else { return nil }
            return try Self.hash(of: user.id, in: db).map { Registered(user: user, hash: $0) }
        }
    }

    /// Keeps another hash of the same password, unless that has been changed since.
    package func upgrade(
        _ hash: PasswordHash, to new: PasswordHash, of id: OwnerID
    ) async throws(StorageError) {
        try await database.write { db in
            guard try Self.hash(of: id, in: db) == hash else { return }
            try Self.set(new, of: id, in: db)
        }
    }

    static func hash(of id: OwnerID, in db: Database) throws -> PasswordHash? {
        try Row.fetchOne(db, sql: "SELECT * FROM password WHERE user_id = ?", arguments: [id.text])
            .map { try PasswordHash($0) }
    }

    static func set(_ hash: PasswordHash, of id: OwnerID, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO password (user_id, salt, hash, cost, block_size, parallelism)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET salt = excluded.salt, hash = excluded.hash, cost = excluded.cost,
                    block_size = excluded.block_size, parallelism = excluded.parallelism
                """, arguments: [id.text] + hash.arguments)
    }
}
