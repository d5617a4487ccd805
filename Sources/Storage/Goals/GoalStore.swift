package import Brokerage

/// Stores users' goals.
///
/// Each change is one transaction that reads all goals of the user: two concurrent changes cannot undo each
/// other, and cannot allocate the same holding twice. A goal of another user is treated like one that does
/// not exist.
package struct GoalStore: Sendable {
    /// As many goals as a user may have.
    package static let maximumGoals = 200
    /// As many allocations as a goal may have; who makes one sees to it.
    package static let maximumAllocations = 100

    private let database: SQLDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// The outcome of a change: the goal after it, or the reason why nothing was changed.
    package typealias Outcome = Result<StoredGoal, GoalError>

    /// All goals of a user, in the order in which they were made.
    package func goals(of owner: OwnerID) async throws(StorageError) -> [StoredGoal] {
        try await database.read { db in try GoalRow.fetch(of: owner, db).map(\.goal) }
    }

    /// Returns a goal of a user; nil if the user has none with this id.
    package func goal(_ id: String, of owner: OwnerID) async throws(StorageError) -> StoredGoal? {
        try await database.read { db in try GoalRow.fetch(id, of: owner, db)?.goal }
    }

    /// Creates a goal.
    ///
    /// - Parameters:
    ///   - content: The fields of the goal.
    ///   - owner: The user.
    ///   - held: The user's holdings of all allocated instruments.
    ///   - now: The time of creation.
    /// - Returns: The goal, or the error: all goals together cannot allocate more than a holding.
    /// - Throws: The error that prevented the write; then nothing was changed.
    package func create(
        _ content: GoalFields, for owner: OwnerID, holding held: HeldQuantities, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write(for: owner) { db in
            let others = try GoalRow.fetch(of: owner, db).map(\.goal.content)
            guard others.count < Self.maximumGoals else {
                return .failure(.tooManyGoals(limit: Self.maximumGoals))
            }
            if let refusal = AllocationTotals.validationError(
                adding: content.allocations, to: others.flatMap(\.allocations), holding: held)
            {
                return .failure(refusal)
            }
            let goal = StoredGoal(id: RandomID.make(), content: content, createdAt: now, updatedAt: now)
            try GoalRow.insert(goal, of: owner, db)
            return try Self.outcome(goal.id, of: owner, db)
        }
    }

    /// Changes a goal.
    ///
    /// - Parameters:
    ///   - id: The id of the goal.
    ///   - patch: The changes.
    ///   - owner: The user.
    ///   - held: The user's holdings of all newly allocated instruments.
    ///   - now: The time of the change.
    /// - Returns: The changed goal, or the reason why nothing was changed.
    /// - Throws: The error that prevented the write; then nothing was changed.
    package func update(
        _ id: String, _ patch: GoalPatch, for owner: OwnerID, holding held: HeldQuantities,
        now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write(for: owner) { db in
            let rows = try GoalRow.fetch(of: owner, db)
            guard let row = rows.first(where: { $0.goal.id == id }) else { return .failure(.notFound) }
            if let allocations = patch.allocations {
                let others = rows.filter { $0.number != row.number }.flatMap(\.goal.content.allocations)
                if let refusal = AllocationTotals.validationError(
                    adding: allocations, to: others, holding: held)
                {
                    return .failure(refusal)
                }
            }
            let content = row.goal.content.applying(patch)
            guard content != row.goal.content else { return .success(row.goal) }
            try row.update(content, now: now, db)
            return try Self.outcome(id, of: owner, db)
        }
    }

    /// Deletes a goal.
    ///
    /// - Returns: whether there was one.
    package func delete(_ id: String, for owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.write(for: owner) { db in
            try db.executeUpdate("DELETE FROM goal WHERE id = ? AND owner = ?", [id, owner.text]) > 0
        }
    }

    private static func outcome(_ id: String, of owner: OwnerID, _ db: SQLTransaction) throws -> Outcome {
        try GoalRow.fetch(id, of: owner, db).map { .success($0.goal) } ?? .failure(.notFound)
    }
}

/// A row of the table of goals.
struct GoalRow {
    /// The number to which the rows of allocations refer.
    let number: Int64
    let goal: StoredGoal

    /// All goals of a user, each with its allocations, by two queries.
    static func fetch(of owner: OwnerID, _ db: SQLTransaction) throws -> [GoalRow] {
        try rows(where: "goal.owner = ?", [owner.text], db)
    }

    /// A goal of a user.
    static func fetch(_ id: String, of owner: OwnerID, _ db: SQLTransaction) throws -> GoalRow? {
        try rows(where: "goal.id = ? AND goal.owner = ?", [id, owner.text], db).first
    }

    private static func rows(
        where condition: String, _ arguments: SQLArguments, _ db: SQLTransaction
    ) throws -> [GoalRow] {
        let allocations = try db.rows(
            """
            SELECT goal_allocation.* FROM goal_allocation JOIN goal ON goal.number = goal_allocation.goal
            WHERE \(condition) ORDER BY goal.number, position
            """, arguments)
        let allocationsOfGoal = try Dictionary(grouping: allocations) { try $0["goal"] as Int64 }
        return try db.rows("SELECT * FROM goal WHERE \(condition) ORDER BY number", arguments)
            .map { try GoalRow(row: $0, allocations: allocationsOfGoal[$0["number"] as Int64] ?? []) }
    }

    private init(row: SQLRow, allocations: [SQLRow]) throws {
        let dueOn = try (row["due_on"] as String?).map { CalendarDate($0) }
        guard let createdAt = try row.instant("created_at"), let updatedAt = try row.instant("updated_at"),
            let target = try row.decimal("target"), dueOn != .some(nil)
        else { throw CorruptedRow() }
        number = try row["number"]
        goal = try StoredGoal(
            id: row["id"],
            content: GoalFields(
                title: row["title"], about: row["about"], target: target, currency: row["currency"],
                dueOn: dueOn ?? nil, allocations: allocations.map(GoalAllocation.init(row:))),
            createdAt: createdAt, updatedAt: updatedAt)
    }

    static func insert(_ goal: StoredGoal, of owner: OwnerID, _ db: SQLTransaction) throws {
        let content = goal.content
        let number: Int64? = try db.value(
            """
            INSERT INTO goal (id, owner, title, about, target, currency, due_on, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
            """,
            [
                goal.id, owner.text, content.title, content.about, content.target.description,
                content.currency, content.dueOn?.description, goal.createdAt.millisecondsSince1970,
                goal.updatedAt.millisecondsSince1970,
            ])
        guard let number else { throw CorruptedRow() }
        try save(content.allocations, of: number, db)
    }

    func update(_ content: GoalFields, now: Instant, _ db: SQLTransaction) throws {
        try db.execute(
            """
            UPDATE goal SET title = ?, about = ?, target = ?, currency = ?, due_on = ?, updated_at = ?
            WHERE number = ?
            """,
            [
                content.title, content.about, content.target.description, content.currency,
                content.dueOn?.description, now.millisecondsSince1970, number,
            ])
        guard content.allocations != goal.content.allocations else { return }
        try db.execute("DELETE FROM goal_allocation WHERE goal = ?", [number])
        try Self.save(content.allocations, of: number, db)
    }

    private static func save(_ allocations: [GoalAllocation], of goal: Int64, _ db: SQLTransaction) throws {
        for (position, allocation) in allocations.enumerated() {
            let (quantity, percent) = allocation.share.columns
            try db.execute(
                """
                INSERT INTO goal_allocation (goal, position, symbol, account, quantity, percent)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [goal, position, allocation.symbol.text, allocation.account, quantity, percent])
        }
    }
}

extension GoalAllocation {
    fileprivate init(row: SQLRow) throws {
        guard let symbol = try Symbol(row["symbol"] as String),
            let share = try Share(quantity: row["quantity"], percent: row["percent"])
        else { throw CorruptedRow() }
        try self.init(symbol: symbol, account: row["account"], share: share)
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
