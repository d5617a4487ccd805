package import Brokerage

/// Stores users' watchlists.
///
/// Each change is one transaction that reads the list, so that no concurrent change is lost. A list of
/// another user is treated like one that does not exist.
package struct WatchlistStore: Sendable {
    /// As many lists as a user may have.
    package static let maximumLists = 100
    /// As many symbols as a list may have.
    package static let maximumSymbols = 500

    private let database: SQLDatabase

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
        try await database.write(for: owner) { db in
            let count =
                try db.value("SELECT COUNT(*) FROM watchlist WHERE owner = ?", [owner.text]) ?? 0
            guard count < Self.maximumLists else { return .failure(.tooManyLists(limit: Self.maximumLists)) }
            let items: [Symbol]
            switch WatchlistEdit.add(symbols).applied(to: []) {
            case .success(let symbols): items = symbols
            case .failure(let refusal): return .failure(refusal)
            }
            let id = RandomID.make()
            let number: Int64? = try db.value(
                """
                INSERT INTO watchlist (id, owner, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
                RETURNING number
                """, [id, owner.text, name, now.millisecondsSince1970, now.millisecondsSince1970])
            guard let number else { throw CorruptedRow() }
            let storedItems = items.map { StoredWatchlist.Item(symbol: $0, addedAt: now) }
            try WatchlistRow.save(storedItems, in: number, db)
            return try Self.outcome(id, of: owner, db)
        }
    }

    /// Gives a list another name.
    package func rename(
        _ id: String, to name: String, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write(for: owner) { db in
            try db.execute(
                "UPDATE watchlist SET name = ?, updated_at = ? WHERE id = ? AND owner = ?",
                [name, now.millisecondsSince1970, id, owner.text])
            return try Self.outcome(id, of: owner, db)
        }
    }

    /// Deletes a list.
    ///
    /// - Returns: whether there was one.
    package func delete(_ id: String, for owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.write(for: owner) { db in
            try db.executeUpdate("DELETE FROM watchlist WHERE id = ? AND owner = ?", [id, owner.text]) > 0
        }
    }

    /// Changes the items of a list.
    package func change(
        _ id: String, _ edit: WatchlistEdit, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write(for: owner) { db in
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
                    "UPDATE watchlist SET updated_at = ? WHERE number = ?",
                    [now.millisecondsSince1970, row.number])
                return try Self.outcome(id, of: owner, db)
            }
        }
    }

    private static func outcome(_ id: String, of owner: OwnerID, _ db: SQLTransaction) throws -> Outcome {
        try WatchlistRow.fetch(id, of: owner, db).map { .success($0.watchlist) } ?? .failure(.notFound)
    }
}

/// A row of the table of lists.
struct WatchlistRow {
    /// The number to which the rows of items refer.
    let number: Int64
    let watchlist: StoredWatchlist

    /// All lists of a user, each with its items, by two queries.
    static func fetch(of owner: OwnerID, _ db: SQLTransaction) throws -> [WatchlistRow] {
        try rows(where: "watchlist.owner = ?", [owner.text], db)
    }

    /// A list of a user.
    static func fetch(_ id: String, of owner: OwnerID, _ db: SQLTransaction) throws -> WatchlistRow? {
        try rows(where: "watchlist.id = ? AND watchlist.owner = ?", [id, owner.text], db).first
    }

    private static func rows(
        where condition: String, _ arguments: SQLArguments, _ db: SQLTransaction
    ) throws -> [WatchlistRow] {
        let items = try db.rows(
            """
            SELECT watchlist_item.* FROM watchlist_item JOIN watchlist ON number = watchlist
            WHERE \(condition) ORDER BY watchlist, position
            """, arguments)
        let itemsOfList = try Dictionary(grouping: items) { try $0["watchlist"] as Int64 }
        return try db.rows("SELECT * FROM watchlist WHERE \(condition) ORDER BY number", arguments)
            .map { try WatchlistRow(row: $0, items: itemsOfList[$0["number"] as Int64] ?? []) }
    }

    /// Puts items in the place of those that a list has.
    static func save(_ items: [StoredWatchlist.Item], in list: Int64, _ db: SQLTransaction) throws {
        try db.execute("DELETE FROM watchlist_item WHERE watchlist = ?", [list])
        for (position, item) in items.enumerated() {
            try db.execute(
                "INSERT INTO watchlist_item (watchlist, symbol, position, added_at) VALUES (?, ?, ?, ?)",
                [list, item.symbol.text, position, item.addedAt.millisecondsSince1970])
        }
    }

    private init(row: SQLRow, items: [SQLRow]) throws {
        guard let createdAt = try row.instant("created_at"), let updatedAt = try row.instant("updated_at")
        else { throw CorruptedRow() }
        number = try row["number"]
        watchlist = try StoredWatchlist(
            id: row["id"], name: row["name"], items: items.map(StoredWatchlist.Item.init(row:)),
            createdAt: createdAt, updatedAt: updatedAt)
    }
}

extension StoredWatchlist.Item {
    fileprivate init(row: SQLRow) throws {
        guard let symbol = try Symbol(row["symbol"] as String), let addedAt = try row.instant("added_at")
        else { throw CorruptedRow() }
        self.init(symbol: symbol, addedAt: addedAt)
    }
}
