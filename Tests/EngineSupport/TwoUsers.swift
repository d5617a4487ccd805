package import Brokerage
package import Storage
import Testing

/// Two users in a database.
package struct TwoUsers {
    package let file: UserDatabase
    package let ann: OwnerID
    package let bob: OwnerID

    package init(_ database: TestDatabase) throws {
        file = try database.open()
        ann = try #require(OwnerID("ann"))
        bob = try #require(OwnerID("bob"))
        for user in [ann, bob] { try UserStore(in: file).ensure(user) }
    }

    package static func with(_ engine: TestEngine, _ body: (TwoUsers) async throws -> Void) async throws {
        try await engine.with { database in try await body(TwoUsers(database)) }
    }

    package static func each(_ body: (TwoUsers) async throws -> Void) async throws {
        try await TestEngine.each { database in try await body(TwoUsers(database)) }
    }

    package func delete(_ user: OwnerID) async throws {
        try await file.database.write { db in
            try db.execute(#"DELETE FROM "user" WHERE id = ?"#, [user.text])
        }
    }

    package func count(_ table: String) async throws -> Int? {
        try await file.database.read { db in try db.value("SELECT COUNT(*) FROM \"\(table)\"") }
    }
}
