import Brokerage
import EngineTestSupport
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("The deletion of guests without a session")
struct GuestDeletionTests {
    private static let count = 250

    /// Runs a test with guests in PostgreSQL, and the ids of the guests whose deletion was reported.
    private static func with(
        _ test: (UserDatabase, GuestDeletion, _ deleted: () -> [String]) async throws -> Void
    ) async throws {
        try await TestEngine.postgresql.with { folder in
            let file = try folder.open()
            let sessions = try SessionStore(in: file, .random())
            try file.database.writeNow { db in
                try db.execute(
                    """
                    INSERT INTO "user" (id, kind, created_at)
                    SELECT 'guest' || lpad(CAST(number AS TEXT), 4, '0'), 'GUEST', 1
                    FROM generate_series(1, CAST(? AS INTEGER)) AS number
                    """, [count])
            }
            let deleted = Mutex<[String]>([])
            sessions.deletions.register(
                owners: { [] }, release: { owner in deleted.withLock { $0.append(owner.text) } })
            try await test(file, GuestDeletion(of: sessions)) { deleted.withLock(\.self) }
        }
    }

    /// Lets deletions fail as those that take longer than a statement may; in `condition`, `gone` has the deleted users.
    static func fail(if condition: String, in file: UserDatabase) throws {
        try file.database.writeNow { db in
            try db.executeScript(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF \(condition) THEN RAISE EXCEPTION 'the time is over' USING ERRCODE = '57014'; END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER slow AFTER DELETE ON "user" REFERENCING OLD TABLE AS gone
                FOR EACH STATEMENT EXECUTE FUNCTION slow();
                """)
        }
    }

    @Test("uses smaller transactions after one that takes too long", arguments: [1, 30, 99, 100])
    func smaller(maximum: Int) async throws {
        try await Self.with { file, deletion, deleted in
            try Self.fail(if: "(SELECT count(*) FROM gone) > \(maximum)", in: file)
            try await deletion.run()
            #expect(deleted().count == Self.count && Set(deleted()).count == Self.count)
            #expect(try await UserStore(in: file).countOfGuests() == 0)
        }
    }

    @Test("leaves out a guest whose data alone takes too long, and deletes it when that is possible")
    func large() async throws {
        try await Self.with { file, deletion, deleted in
            try Self.fail(if: "EXISTS (SELECT 1 FROM gone WHERE id = 'guest0020')", in: file)
            for _ in 1...2 {
                let error = await #expect(throws: StorageError.self) { try await deletion.run() }
                guard case .unavailable? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(Set(deleted()).count == Self.count - 1)
                #expect(try await UserStore(in: file).countOfGuests() == 1)
            }
            try file.database.writeNow { db in try db.executeScript("DROP TRIGGER slow ON \"user\"") }
            try await deletion.run()
            #expect(try await UserStore(in: file).countOfGuests() == 0)
            #expect(deleted().contains("guest0020"))
        }
    }

    @Test("reaches all guests although more than a call leaves out take too long")
    func manyLarge() async throws {
        try await Self.with { file, deletion, _ in
            try Self.fail(if: "EXISTS (SELECT 1 FROM gone WHERE id <= 'guest0030')", in: file)
            try await waitUntil {
                try? await deletion.run()
                return try await UserStore(in: file).countOfGuests() == 30
            }
        }
    }
}
