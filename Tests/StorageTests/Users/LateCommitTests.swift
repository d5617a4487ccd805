import Brokerage
import Coordination
import EngineTestSupport
import Storage
import TestSupport
import Testing

@Suite("Ended sessions whose commit is late or has no response")
struct LateCommitTests {
    private static let key = MasterKey.random()

    /// A server at which a commit waits for a standby that does not exist, and processes whose commits wait or not.
    private struct Site {
        let cluster: PostgresCluster
        /// Its commits do not wait.
        let free: SessionStore
        /// Its commits wait, and get no response in time.
        let waiting: SessionStore

        init() throws {
            cluster = try PostgresCluster(options: ["synchronous_standby_names = 'missing'"])
            free = try Self.store(
                cluster.url() + "&options=-c%20synchronous_commit%3Dlocal", TestDatabase.limits)
            var limits = TestDatabase.limits
            // Longer than a loaded machine takes for the statements before the commit.
            limits.transaction = .seconds(3)
            waiting = try Self.store(cluster.url(), limits)
        }

        private static func store(_ url: String, _ limits: PostgresLimits) throws -> SessionStore {
            let url = try PostgresURL(url, origin: "the test's URL")
            return try SessionStore(in: UserDatabase(at: url, limits), LateCommitTests.key)
        }

        /// A process that starts now.
        func started() throws -> SessionStore { try Self.store(cluster.url(), TestDatabase.limits) }

        /// Ends the wait of one commit, and waits until others see its changes.
        func release() async throws {
            let count = try cluster.execute(
                "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            #expect(count == "1")
            try await waitUntil {
                try await free.database.read { db in
                    try db.value("SELECT count(*) FROM session", as: Int.self)
                } == 0
            }
        }
    }

    @Test("end at all processes when others see the commit, however long it has waited")
    func late() async throws {
        let site = try Site()
        let opened = try await SessionStoreTests.guest(of: site.free, now: .now)
        let token = opened.token.text
        #expect(try await site.waiting.changes.session(ofToken: token) != nil)
        // Changes are recorded with a time of a minute ago, as if their commit had waited for a minute.
        try await site.free.database.write { db in
            try db.executeScript(
                """
                ALTER TABLE change ALTER COLUMN changed_at
                    SET DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000) - 60000;
                """)
        }
        await #expect(throws: StorageError.unknownOutcome(path: site.waiting.database.location)) {
            try await site.waiting.revoke(opened.session.id, of: opened.user.id)
        }
        // One that starts now has read the session before its end can be seen.
        let stores = [site.free, site.waiting, try site.started()]
        for store in stores {
            for _ in 0..<2 { try await store.changes.follow() }
            #expect(store.session(ofToken: token) != nil)
        }
        try await site.release()
        for store in stores {
            try await store.changes.follow()
            #expect(store.session(ofToken: token) == nil)
        }
    }

    @Test("end in the memory of a process that ends them again", arguments: [false, true])
    func again(endsOthers: Bool) async throws {
        try await TestEngine.postgresql.with { test in
            let (first, second) = (
                try SessionStore(in: test.open(), Self.key), try SessionStore(in: test.open(), Self.key)
            )
            let opened = try await SessionStoreTests.named("ann", first, now: .now).get()
            let (id, owner) = (opened.session.id, opened.user.id)
            let known = try #require(try await second.changes.session(ofToken: opened.token.text))
            // Without the change: this process has not read it.
            try await first.database.write { db in
                try db.executeScript("DELETE FROM session; DELETE FROM change")
            }
            if endsOthers {
                #expect(try await second.revokeOthers(than: "another", of: owner) == [id])
            } else {
                #expect(try await second.revoke(id, of: owner))
            }
            #expect(known.validity.hasEnded)
            #expect(second.session(ofToken: opened.token.text) == nil)
            #expect(try await !second.revoke(id, of: owner))
        }
    }
}
