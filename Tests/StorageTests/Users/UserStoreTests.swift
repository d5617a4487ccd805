import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

@Suite("Users")
struct UserStoreTests {
    @Test("one from the settings exists once after several starts", arguments: TestEngine.allCases)
    func ensures(engine: TestEngine) throws {
        let file = try engine.temporary()
        let users = UserStore(in: file)
        let owner = try #require(OwnerID("owner"))
        let first = try #require(Instant(secondsSince1970: 1_700_000_000))
        try users.ensure(owner, now: first)
        try users.ensure(owner, now: first + .seconds(60))
        let rows = try file.database.readNow { db in
            try db.rows(#"SELECT id, username, created_at FROM "user""#).map {
                try ($0["id"] as String, $0["username"] as String?, $0["created_at"] as Int64)
            }
        }
        #expect(rows.count == 1)
        #expect(rows.first?.0 == "owner")
        #expect(rows.first?.1 == nil)
        #expect(rows.first?.2 == 1_700_000_000_000)
    }

    @Test("a user is deleted with sessions and password, and no other data", arguments: TestEngine.allCases)
    func cascades(engine: TestEngine) async throws {
        let file = try engine.temporary()
        let left = try await file.database.write { db in
            try db.executeScript(
                engine.sql(
                    """
                    INSERT INTO data_key (wrapped, master_key_id) VALUES (x'00', 'm');
                    INSERT INTO "user" (id, created_at) VALUES ('ann', 1), ('bob', 1);
                    INSERT INTO password SELECT id, x'00', x'00', 2, 8, 1 FROM "user";
                    INSERT INTO session (id, token_hash, user_id, scopes, created_at, last_used_at, expires_at)
                        SELECT id, CAST(id AS BLOB), id, 'READ', 1, 1, 1 FROM "user";
                    INSERT INTO credential SELECT id, 'SAXO', id, 1, 1, x'00' FROM "user";
                    DELETE FROM "user" WHERE id = 'ann';
                    """))
            return try ["password", "session", "credential"].map { table in
                try db.values(
                    "SELECT \(table == "credential" ? "owner" : "user_id") FROM \(table)", as: String.self)
            }
        }
        #expect(left == [["bob"], ["bob"], ["bob"]])
    }
}
