package import Brokerage
import GRDB
package import Upstream

/// Keeps users' watchlists.
///
/// Each change is one transaction that looks at the list as it is then, so that of two changes at once none is lost. A
/// list of another user is as one that does not exist.
package struct WatchlistStore: Sendable {
    /// As many lists as a user may have.
    package static let mostLists = 100
    /// As many symbols as a list may have.
    package static let mostSymbols = 500

    private let database: SQLiteDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// What became of a change: the list as it is now, or why nothing was changed.
    package typealias Outcome = Result<StoredWatchlist, WatchlistError>

    /// All lists of a user, in the order in which they were made.
    package func watchlists(of owner: OwnerID) async throws(StorageError) -> [StoredWatchlist] {
        try await database.read { db in try WatchlistRow.fetch(of: owner, db).map(\.watchlist) }
    }

    /// A list of a user; nil where the user has none with this id.
    package func watchlist(_ id: String, of owner: OwnerID) async throws(StorageError) -> StoredWatchlist? {
        try await database.read { db in try WatchlistRow.fetch(id, of: owner, db)?.watchlist }
    }

    /// Makes a list; a symbol that is named twice is in it once.
    package func create(
        named name: String, of symbols: [Symbol], for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write { db in
            let count =
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM watchlist WHERE owner = ?", arguments: [owner.text]) ?? 0
            guard count < Self.mostLists else { return .failure(.tooManyLists(limit: Self.mostLists)) }
            let items: [Symbol]
            switch WatchlistEdit.add(symbols).applied(to: []) {
            case .success(let symbols): items = symbols
            case .failure(let refusal): return .failure(refusal)
            }
            let id = RandomID.make()
            try db.execute(
                sql: """
                    INSERT INTO watchlist (id, owner, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [id, owner.text, name, now.millisecondsSince1970, now.millisecondsSince1970])
            let kept = items.map { StoredWatchlist.Item(symbol: $0, addedAt: now) }
            try WatchlistRow.save(kept, in: db.lastInsertedRowID, db)
            return try Self.outcome(id, of: owner, db)
        }
    }

    /// Gives a list another name.
    package func rename(
        _ id: String, to name: String, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE watchlist SET name = ?, updated_at = ? WHERE id = ? AND owner = ?",
                arguments: [name, now.millisecondsSince1970, id, owner.text])
            return try Self.outcome(id, of: owner, db)
        }
    }

    /// Deletes a list.
    ///
    /// - Returns: whether there was one.
    package func delete(_ id: String, for owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM watchlist WHERE id = ? AND owner = ?", arguments: [id, owner.text])
            return db.changesCount > 0
        }
    }

    /// Changes what is in a list.
    package func change(
        _ id: String, _ edit: WatchlistEdit, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write { db in
            guard let row = try WatchlistRow.fetch(id, of: owner, db) else { return .failure(.notFound) }
            let before = row.watchlist.items
            switch edit.applied(to: before.map(\.symbol)) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let symbols):
                let known = Dictionary(
                    before.map { ($0.symbol, $0) }, uniquingKeysWith: { first, _ in first })
                let after = symbols.map { known[$0] ?? StoredWatchlist.Item(symbol: $0, addedAt: now) }
                guard after != before else { return .success(row.watchlist) }
                try WatchlistRow.save(after, in: row.number, db)
                try db.execute(
                    sql: "UPDATE watchlist SET updated_at = ? WHERE number = ?",
                    arguments: [now.millisecondsSince1970, row.number])
                return try Self.outcome(id, of: owner, db)
            }
        }
    }

    private static func outcome(_ id: String, of owner: OwnerID, _ db: Database) throws -> Outcome {
        try WatchlistRow.fetch(id, of: owner, db).map { .success($0.watchlist) } ?? .failure(.notFound)
    }
}
