import Brokerage
import GRDB
import Upstream

/// A list as it stands in the file.
struct WatchlistRow {
    /// What its items refer to.
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
