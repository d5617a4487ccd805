import Brokerage
import Storage
import Testing
import Upstream

/// Two users in a database.
struct TwoUsers {
    let file: UserDatabase
    let ann: OwnerID
    let bob: OwnerID

    init(_ database: TestDatabase) throws {
        file = try database.open()
        ann = try #require(OwnerID("ann"))
        bob = try #require(OwnerID("bob"))
        for user in [ann, bob] { try UserStore(in: file).ensure(user) }
    }

    static func with(_ engine: TestEngine, _ body: (TwoUsers) async throws -> Void) async throws {
        try await engine.with { database in try await body(TwoUsers(database)) }
    }

    static func each(_ body: (TwoUsers) async throws -> Void) async throws {
        try await TestEngine.each { database in try await body(TwoUsers(database)) }
    }

    func delete(_ user: OwnerID) async throws {
        try await file.database.write { db in
            try db.execute(#"DELETE FROM "user" WHERE id = ?"#, [user.text])
        }
    }

    func count(_ table: String) async throws -> Int? {
        try await file.database.read { db in try db.value("SELECT COUNT(*) FROM \"\(table)\"") }
    }
}
