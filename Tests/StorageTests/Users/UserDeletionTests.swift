import Brokerage
import Coordination
import EngineTestSupport
import Storage
import Synchronization
import Testing

@Suite("The deletion of a user with many orders")
struct UserDeletionTests {
    private struct Site {
        let file: UserDatabase
        let store: SessionStore
        /// A session of the user.
        let opened: SessionStore.NewSession

        var users: UserStore { UserStore(in: file) }

        /// The number of rows of the user in a table.
        func count(_ table: String, column: String = "owner") async throws -> Int? {
            try await file.database.read { [id = opened.user.id.text] db in
                try db.value("SELECT count(*) FROM \(table) WHERE \(column) = ?", [id])
            }
        }

        /// Begins the deletion, and follows the changes of it.
        func begin(isByCommand: Bool) async throws {
            let deletion =
                try await isByCommand ? users.delete(opened.user.id) : store.deleteUser(of: opened.session)
            #expect(deletion == .begun)
            try await store.changes.follow()
        }
    }

    /// Runs a test with a user who has a password, an identity, a connection and 2,500 orders.
    private static func with(_ engine: TestEngine, _ body: (Site) async throws -> Void) async throws {
        try await engine.with { test in
            let file = try test.open()
            let store = try SessionStore(in: file, .random())
            try await store.changes.follow()
            let opened = try await SessionStoreTests.named("ann", store, now: .now).get()
            let owner = opened.user.id.text
            try file.database.writeNow { db in
                try db.execute(
                    """
                    INSERT INTO connection (id, owner, provider, environment, connected_at)
                    VALUES ('c1', ?, 'alpaca', 'PAPER', 1)
                    """, [owner])
                try db.execute(
                    """
                    INSERT INTO identity (issuer, subject, user_id, created_at)
                    VALUES ('https://id.example.com', 's1', ?, 1)
                    """, [owner])
                let numbers = """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2500)
                    """
                try db.execute(
                    """
                    INSERT INTO journal_order
                        (owner, connection, id, provider, symbol, side, state, created_at, heard_at)
                    \(numbers) SELECT CAST(? AS TEXT), 'c1', 'order' || n, 'alpaca', 'AAPL', 'BUY', 'FILLED', 1, 1 FROM number
                    """, [owner])
                try db.execute(
                    """
                    INSERT INTO journal_write (id, owner, connection, order_id, kind, state, created_at)
                    \(numbers) SELECT 'write' || n, CAST(? AS TEXT), 'c1', 'order' || n, 'PLACE', 'DONE', 1 FROM number
                    """, [owner])
            }
            try await body(Site(file: file, store: store, opened: opened))
        }
    }

    @Test(
        "ends all access at once, and is finished by the deletion of guests",
        arguments: TestEngine.allCases, [false, true])
    func finished(engine: TestEngine, isByCommand: Bool) async throws {
        try await Self.with(engine) { site in
            let owner = site.opened.user.id
            let deleted = Mutex<[OwnerID]>([])
            site.store.deletions.register(
                owners: { [] }, release: { owner in deleted.withLock { $0.append(owner) } })
            let ended = Mutex<[EndedIdentity]>([])
            try site.store.changes.observers.onIdentityEnd { identity in
                ended.withLock { $0.append(identity) }
            }
            try await site.begin(isByCommand: isByCommand)
            #expect(ended.withLock(\.self).contains(.revoked(of: "s1", except: nil)))
            #expect(site.opened.session.validity.hasEnded)
            #expect(try await site.users.registered(owner) == nil)
            #expect(try await site.users.user(named: Username("ann")) == nil)
            for table in ["connection", "identity"] {
                #expect(try await site.count(table, column: table == "identity" ? "user_id" : "owner") == 0)
            }
            #expect(try await site.count("journal_order") == 2_500)
            let placing = try OrderJournalTests.placing("another", owner.text)
            #expect(try await OrderJournal(in: site.file).begin(placing) == .connectionDeleted)
            // Another user can have the name.
            await #expect(throws: Never.self) { try await SessionStoreTests.named("ann", site.store).get() }

            try await GuestDeletion(of: site.store).run()
            #expect(deleted.withLock(\.self).last == owner)
            for table in ["journal_order", "journal_write"] { #expect(try await site.count(table) == 0) }
            #expect(try await site.users.user(owner) == nil)
        }
    }

    @Test("waits for the outcome of an order that is in progress", arguments: TestEngine.allCases)
    func inProgress(engine: TestEngine) async throws {
        try await Self.with(engine) { site in
            try await site.begin(isByCommand: true)
            for (state, count) in [("SENT", 2_500), ("DONE", 0)] {
                try site.file.database.writeNow { db in
                    try db.execute("UPDATE journal_write SET state = ? WHERE id = 'write7'", [state])
                }
                try await GuestDeletion(of: site.store).run()
                try await site.users.finishDeletion(of: site.opened.user.id)
                #expect(try await site.count("journal_order") == count)
                #expect(try await site.count("\"user\"", column: "id") == min(count, 1))
            }
        }
    }

    @Test("deletes at most a thousand orders in a transaction, and continues after a failure")
    func bounded() async throws {
        try await Self.with(.postgresql) { site in
            let owner = site.opened.user.id
            func fail(if condition: String) throws {
                try site.file.database.writeNow { db in
                    try db.executeScript(
                        """
                        CREATE OR REPLACE FUNCTION slow_orders() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF \(condition) THEN RAISE EXCEPTION 'the time is over' USING ERRCODE = '57014'; END IF;
                            RETURN NULL;
                        END $$;
                        CREATE OR REPLACE TRIGGER slow_orders AFTER DELETE ON journal_order
                        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION slow_orders();
                        """)
                }
            }
            let isTooLarge = "(SELECT count(*) FROM gone) > 1000"
            try fail(if: "\(isTooLarge) OR EXISTS (SELECT 1 FROM gone WHERE id = 'order2400')")
            try await site.begin(isByCommand: true)
            let error = await #expect(throws: StorageError.self) {
                try await site.users.finishDeletion(of: owner)
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await site.count("journal_order") == 1_500)
            #expect(try await site.users.user(owner)?.kind == .guest)
            try fail(if: isTooLarge)
            try await site.users.finishDeletion(of: owner)
            #expect(try await site.count("journal_order") == 0)
            #expect(try await site.users.user(owner) == nil)
        }
    }
}
