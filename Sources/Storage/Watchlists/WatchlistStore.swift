package import Brokerage
import GRDB
package import Upstream

/// Stores users' watchlists.
///
/// Each change is one transaction that reads the list, so that no concurrent change is lost. A list of
/// another user is treated like one that does not exist.
package struct WatchlistStore: Sendable {
    /// As many lists as a user may have.
    package static let maximumLists = 100
    /// As many symbols as a list may have.
    package static let maximumSymbols = 500

    private let database: SQLiteDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// The outcome of a change: the list after it, or the reason why nothing was changed.
    package typealias Outcome = Result<StoredWatchlist, WatchlistError>

    /// All lists of a user, in the order in which they were made.
    package func watchlists(of owner: OwnerID) async throws(StorageError) -> [StoredWatchlist] {
        try await database.read { db in try WatchlistRow.fetch(of: owner, db).map(\.watchlist) }
    }

    /// Returns a list of a user; nil if the user has none with this id.
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
            guard count < Self.maximumLists else { return .failure(.tooManyLists(limit: Self.maximumLists)) }
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
            let storedItems = items.map { StoredWatchlist.Item(symbol: $0, addedAt: now) }
            try WatchlistRow.save(storedItems, in: db.lastInsertedRowID, db)
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

    /// Changes the items of a list.
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

/// A row of the table of lists.
struct WatchlistRow {
    /// The number to which the rows of items refer.
    let number: Int64
    let watchlist: StoredWatchlist

    /// All lists of a user, each with its items, by two queries.
    static func fetch(of owner: OwnerID, _ db: Database) throws -> [WatchlistRow] {
        try rows(where: "watchlist.owner = ?", [owner.text], db)
    }

    /// A list of a user.
    static func fetch(_ id: String, of owner: OwnerID, _ db: Database) throws -> WatchlistRow? {
        try rows(where: "watchlist.id = ? AND watchlist.owner = ?", [id, owner.text], db).first
    }

    private static func rows(
        where condition: String, _ arguments: StatementArguments, _ db: Database
    ) throws -> [WatchlistRow] {
        let items = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT watchlist_item.* FROM watchlist_item JOIN watchlist ON number = watchlist
                    WHERE \(condition) ORDER BY watchlist, position
                    """), arguments: arguments)
        let itemsOfList = Dictionary(grouping: items) { $0["watchlist"] as Int64 }
        return try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM watchlist WHERE \(condition) ORDER BY number"),
            arguments: arguments
        ).map { try WatchlistRow(row: $0, items: itemsOfList[$0["number"] as Int64] ?? []) }
    }

    /// Puts items in the place of those that a list has.
    static func save(_ items: [StoredWatchlist.Item], in list: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM watchlist_item WHERE watchlist = ?", arguments: [list])
        let insert = try db.cachedStatement(
            sql: "INSERT INTO watchlist_item (watchlist, symbol, position, added_at) VALUES (?, ?, ?, ?)")
        for (position, item) in items.enumerated() {
            try insert.execute(arguments: [
                list, item.symbol.text, position, item.addedAt.millisecondsSince1970,
            ])
        }
    }

    private init(row: Row, items: [Row]) throws {
        guard let createdAt = Instant(millisecondsSince1970: row["created_at"]),
            let updatedAt = Instant(millisecondsSince1970: row["updated_at"])
        else { throw CorruptedRow() }
        number = row["number"]
        watchlist = StoredWatchlist(
            id: row["id"], name: row["name"], items: try items.map(StoredWatchlist.Item.init(row:)),
            createdAt: createdAt, updatedAt: updatedAt)
    }
}

extension StoredWatchlist.Item {
    fileprivate init(row: Row) throws {
        guard let symbol = Symbol(row["symbol"] as String),
            let addedAt = Instant(millisecondsSince1970: row["added_at"])
        else { throw CorruptedRow() }
        self.init(symbol: symbol, addedAt: addedAt)
    }
}
