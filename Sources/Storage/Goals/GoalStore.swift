package import Brokerage
import GRDB
package import Upstream

/// Keeps users' goals.
///
/// Each change is one transaction that looks at all goals of the user as they are then: two changes at once can neither
/// undo each other nor allocate the same holding twice. A goal of another user is as one that does not exist.
package struct GoalStore: Sendable {
    /// As many goals as a user may have.
    package static let mostGoals = 200
    /// As many allocations as a goal may have; who makes one sees to it.
    package static let mostAllocations = 100

    private let database: SQLiteDatabase

    package init(in file: UserDatabase) {
        database = file.database
    }

    /// What became of a change: the goal as it is now, or why nothing was changed.
    package typealias Outcome = Result<StoredGoal, GoalError>

    /// All goals of a user, in the order in which they were made.
    package func goals(of owner: OwnerID) async throws(StorageError) -> [StoredGoal] {
        try await database.read { db in try GoalRow.fetch(of: owner, db).map(\.goal) }
    }

    /// A goal of a user; nil where the user has none with this id.
    package func goal(_ id: String, of owner: OwnerID) async throws(StorageError) -> StoredGoal? {
        try await database.read { db in try GoalRow.fetch(id, of: owner, db)?.goal }
    }

    /// Makes a goal.
    ///
    /// - Parameters:
    ///   - content: what the user says of it.
    ///   - owner: the user.
    ///   - held: what the user's accounts hold of all that is allocated.
    ///   - now: when it is made.
    /// - Returns: the goal, or why there is none: no goals may together take more of a holding than there is.
    /// - Throws: what kept it from being written; then nothing was changed.
    package func create(
        _ content: GoalFields, for owner: OwnerID, holding held: HeldQuantities, now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write { db in
            let others = try GoalRow.fetch(of: owner, db).map(\.goal.content)
            guard others.count < Self.mostGoals else { return .failure(.tooManyGoals(limit: Self.mostGoals)) }
            if let refusal = AllocationTotals.refusal(
                of: content.allocations, beside: others.flatMap(\.allocations), holding: held)
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
    ///   - id: which one.
    ///   - patch: what is to be changed of it.
    ///   - owner: the user.
    ///   - held: what the user's accounts hold of all that is newly allocated.
    ///   - now: when it is changed.
    /// - Returns: the goal as it is now, or why nothing was changed.
    /// - Throws: what kept it from being written; then nothing was changed.
    package func update(
        _ id: String, _ patch: GoalPatch, for owner: OwnerID, holding held: HeldQuantities,
        now: Instant = .now
    ) async throws(StorageError) -> Outcome {
        try await database.write { db in
            let rows = try GoalRow.fetch(of: owner, db)
            guard let row = rows.first(where: { $0.goal.id == id }) else { return .failure(.notFound) }
            if let allocations = patch.allocations {
                let others = rows.filter { $0.number != row.number }.flatMap(\.goal.content.allocations)
                if let refusal = AllocationTotals.refusal(of: allocations, beside: others, holding: held) {
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
        try await database.write { db in
            try db.execute(sql: "DELETE FROM goal WHERE id = ? AND owner = ?", arguments: [id, owner.text])
            return db.changesCount > 0
        }
    }

    private static func outcome(_ id: String, of owner: OwnerID, _ db: Database) throws -> Outcome {
        try GoalRow.fetch(id, of: owner, db).map { .success($0.goal) } ?? .failure(.notFound)
    }
}
