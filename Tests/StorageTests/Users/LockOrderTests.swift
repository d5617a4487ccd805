import Brokerage
import Dispatch
import EngineTestSupport
import Storage
import TestSupport
import Testing

@Suite("The order in which transactions lock rows of sessions at PostgreSQL")
struct LockOrderTests {
    private static let identity = Identity(issuer: "https://id.example.com", subject: "1")

    /// A transaction that ends sessions of a user with an identity, a password and several sessions.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: Act

        typealias Act =
            @Sendable (UserDatabase, SessionStore, UserStore.Registered, ActiveSession) async throws -> Void

        static let all = [
            End(testDescription: "revocation of the others") { _, store, known, session in
                let ended = try await store.revokeOthers(than: session.id, of: known.user.id)
                #expect(ended?.count == 9)
            },
            End(testDescription: "another password") { _, store, known, session in
                let hash = PasswordHash(matchingNothing: .standard)
                _ = try #require(try await store.change(known, to: hash, in: session))
            },
            End(testDescription: "deletion") { _, store, _, session in
                let deletion = try await store.deleteUser(of: session)
                #expect(deletion == .deleted)
            },
            End(testDescription: "deletion by a command") { file, _, known, _ in
                let deletion = try await UserStore(in: file).delete(known.user.id)
                #expect(deletion == .deleted)
            },
            End(testDescription: "a reset of the password") { file, _, known, _ in
                let hash = PasswordHash(matchingNothing: .standard)
                let isReset = try await UserStore(in: file).resetPassword(of: known.user.id, to: hash)
                #expect(isReset)
            },
            End(testDescription: "a logout of the identity provider") { _, store, _, _ in
                let logout = IdentityLogout(
                    issuer: identity.issuer, id: "1", sessionID: nil, subject: identity.subject,
                    issuedAt: .now, expiresAt: .now + .seconds(300))
                let isNew = try await IdentityStore(store).end(logout, forgetAt: .now + .seconds(300))
                #expect(isNew)
            },
        ]
    }

    /// Expects that a write that waits for a lock of another transaction has locked no row that the other transaction still needs.
    ///
    /// - Parameters:
    ///   - lock: The statement by which the other transaction gets its lock.
    ///   - first: Its session; the transaction locks all others in the end, and fails if one is locked.
    ///   - file: The database.
    ///   - write: The write.
    /// - Throws: The error of the database, or that of the write.
    private static func expectNoDeadlock(
        lock: String, first: String = "", in file: UserDatabase,
        _ write: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (locked, mayContinue) = (Event<Int>(), DispatchSemaphore(value: 0))
        let other = Task {
            defer { locked.happen(0) }
            try await file.database.write { db in
                try db.executeScript(lock)
                locked.happen(try db.value("SELECT pg_backend_pid()") ?? 0)
                mayContinue.wait()
                _ = try db.rows("SELECT id FROM session WHERE id <> ? FOR UPDATE NOWAIT", [first])
            }
        }
        defer { mayContinue.signal() }
        let process = await locked.wait()
        let waiting = Task { try await write() }
        try await waitUntil {
            try await file.database.read { db in
                try db.value(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE backend_type = 'client backend' AND CAST(? AS INTEGER) = ANY (pg_blocking_pids(pid))
                    """, [process], as: Int.self)
            } == 1
        }
        mayContinue.signal()
        await #expect(throws: Never.self) { try await other.value }
        try await waiting.value
    }

    /// A lock that another transaction has.
    enum Lock: String, CaseIterable, Sendable {
        /// That of a transaction that opens or ends sessions of the identity provider.
        case ends
        /// The first row of those whose last use a transaction stores.
        case firstSession
    }

    private static func lock(of session: String) -> String {
        "SELECT 1 FROM session WHERE id = '\(session)' FOR UPDATE"
    }

    @Test("is the same for all that end sessions", arguments: End.all, Lock.allCases)
    func ends(end: End, lock: Lock) async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let sessions = try SessionStore(in: file, .random())
            let origin = IdentityStore.Origin(
                Self.identity, sessionID: nil, issuedAt: .now, issuedAfter: .now, suggestedName: "ann")
            let store = IdentityStore(sessions)
            let owner = try await store.user(of: origin, tokenHash: "a token", createsUser: { true }).get().id
            let hash = PasswordHash(matchingNothing: .standard)
            #expect(try await UserStore(in: file).resetPassword(of: owner, to: hash))
            var opened: [ActiveSession] = []
            for _ in 1...10 {
                let new = try await store.open(SessionStoreTests.wish, for: origin, createsUser: nil).get()
                opened.append(new.session)
            }
            opened.sort { $0.id < $1.id }
            let (first, last) = (try #require(opened.first), try #require(opened.last))
            let known = try #require(try await UserStore(in: file).registered(owner))
            try await Self.expectNoDeadlock(
                lock: lock == .ends
                    ? "LOCK TABLE ended_identity_session IN SHARE ROW EXCLUSIVE MODE"
                    : Self.lock(of: first.id),
                first: lock == .ends ? "" : first.id, in: file
            ) { try await end.act(file, sessions, known, last) }
        }
    }

    @Test("is that of their ids when the last uses are stored")
    func lastUses() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let store = try SessionStore(in: file, .random())
            var ids: [String] = []
            for _ in 1...20 {
                let opened = try await SessionStoreTests.guest(of: store)
                ids.append(opened.session.id)
                let later = SessionStoreTests.start + .seconds(120)
                #expect(store.session(ofToken: opened.token.text, now: later) != nil)
            }
            let first = try #require(ids.min())
            try await Self.expectNoDeadlock(
                lock: Self.lock(of: first), first: first, in: file
            ) { try await store.storeLastUses() }
        }
    }
}
