import Brokerage
import GRDB
import Upstream

/// A goal as it stands in the file.
struct GoalRow {
    /// What its allocations refer to.
    let number: Int64
    let goal: StoredGoal

    /// All goals of a user, each with its allocations, by two queries.
    static func fetch(of owner: OwnerID, _ db: Database) throws -> [GoalRow] {
        try rows(where: "goal.owner = ?", [owner.text], db)
    }

    /// A goal of a user.
    static func fetch(_ id: String, of owner: OwnerID, _ db: Database) throws -> GoalRow? {
        try rows(where: "goal.id = ? AND goal.owner = ?", [id, owner.text], db).first
    }

    private static func rows(
        where condition: String, _ arguments: StatementArguments, _ db: Database
    ) throws -> [GoalRow] {
        let allocations = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT goal_allocation.* FROM goal_allocation JOIN goal ON goal.number = goal_allocation.goal
                    WHERE \(condition) ORDER BY goal.number, position
                    """), arguments: arguments)
        let allocationsOfGoal = Dictionary(grouping: allocations) { $0["goal"] as Int64 }
        return try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM goal WHERE \(condition) ORDER BY number"),
            arguments: arguments
        ).map { try GoalRow(row: $0, allocations: allocationsOfGoal[$0["number"] as Int64] ?? []) }
    }

    private init(row: Row, allocations: [Row]) throws {
        let dueOn = (row["due_on"] as String?).map { CalendarDate($0) }
        guard let createdAt = Instant(millisecondsSince1970: row["created_at"]),
            let updatedAt = Instant(millisecondsSince1970: row["updated_at"]),
            let target = Decimal(row["target"] as String), dueOn != .some(nil)
        else { throw CorruptedRow() }
        number = row["number"]
        goal = StoredGoal(
            id: row["id"],
            content: GoalFields(
                title: row["title"], about: row["about"], target: target, currency: row["currency"],
                dueOn: dueOn ?? nil, allocations: try allocations.map(GoalAllocation.init(row:))),
            createdAt: createdAt, updatedAt: updatedAt)
    }

    static func insert(_ goal: StoredGoal, of owner: OwnerID, _ db: Database) throws {
        let content = goal.content
        try db.execute(
            sql: """
                INSERT INTO goal (id, owner, title, about, target, currency, due_on, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                goal.id, owner.text, content.title, content.about, content.target.description,
                content.currency, content.dueOn?.description, goal.createdAt.millisecondsSince1970,
                goal.updatedAt.millisecondsSince1970,
            ])
        try save(content.allocations, of: db.lastInsertedRowID, db)
    }

    func update(_ content: GoalFields, now: Instant, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE goal SET title = ?, about = ?, target = ?, currency = ?, due_on = ?, updated_at = ?
                WHERE number = ?
                """,
            arguments: [
                content.title, content.about, content.target.description, content.currency,
                content.dueOn?.description, now.millisecondsSince1970, number,
            ])
        guard content.allocations != goal.content.allocations else { return }
        try db.execute(sql: "DELETE FROM goal_allocation WHERE goal = ?", arguments: [number])
        try Self.save(content.allocations, of: number, db)
    }

    private static func save(_ allocations: [GoalAllocation], of goal: Int64, _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO goal_allocation (goal, position, symbol, account, quantity, percent)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        for (position, allocation) in allocations.enumerated() {
            let (quantity, percent) = allocation.share.columns
            try insert.execute(arguments: [
                goal, position, allocation.symbol.text, allocation.account, quantity, percent,
            ])
        }
    }
}

extension GoalAllocation {
    fileprivate init(row: Row) throws {
        guard let symbol = Symbol(row["symbol"] as String),
            let share = Share(quantity: row["quantity"], percent: row["percent"])
        else { throw CorruptedRow() }
        self.init(symbol: symbol, account: row["account"], share: share)
    }
}

extension GoalAllocation.Share {
    fileprivate var columns: (quantity: String?, percent: String?) {
        switch self {
        case .all: (nil, nil)
        case .quantity(let quantity): (quantity.description, nil)
        case .percent(let percent): (nil, percent.description)
        }
    }

    fileprivate init?(quantity: String?, percent: String?) {
        switch (quantity, percent) {
        case (nil, nil): self = .all
        case (let quantity?, nil):
            guard let quantity = Decimal(quantity) else { return nil }
            self = .quantity(quantity)
        case (nil, let percent?):
            guard let percent = Decimal(percent) else { return nil }
            self = .percent(percent)
        case (.some, .some): return nil
        }
    }
}
