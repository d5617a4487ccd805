import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import PorticoCore
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Sessions of several processes")
struct SharedSessionTests {
    private static let key = MasterKey.random()

    /// Two processes with one database, which have read its changes.
    private static func with(_ body: (SessionStore, SessionStore) async throws -> Void) async throws {
        try await TestEngine.postgresql.with { test in
            let stores = try (0..<2).map { _ in try SessionStore(in: test.open(), key) }
            for store in stores { try await store.changes.follow() }
            try await body(stores[0], stores[1])
        }
    }

    private static func guest(of store: SessionStore) async throws -> SessionStore.NewSession {
        try await SessionStoreTests.guest(of: store, now: .now)
    }

    /// Adds a connection of a user, and a logout of the subject "a subject" of the identity provider.
    private static func insertConnectionAndLogout(of owner: OwnerID, _ db: SQLTransaction) throws {
        try db.execute(
            """
            INSERT INTO connection (id, owner, provider, environment, connected_at)
            VALUES ('c', ?, 'ALPACA', 'PAPER', 1)
            """, [owner.text])
        try db.execute(
            """
            INSERT INTO ended_identity_session (issuer, kind, value, ended_at, forget_at)
            VALUES ('i', 'SUBJECT', 'a subject', 1, 2)
            """)
    }

    @Test("are found at once, before the changes are read")
    func lookUp() async throws {
        try await Self.with { first, second in
            let opened = try await Self.guest(of: first)
            let token = opened.token.text
            #expect(second.session(ofToken: token) == nil)
            #expect(try second.changes.mayFind(token))
            let found = try #require(try await second.changes.session(ofToken: token))
            #expect(found.id == opened.session.id && found.isGuest && found.scopes == opened.session.scopes)
            #expect(second.session(ofToken: token) === found)
            // The change that reports it has no effect.
            try await second.changes.follow()
            #expect(second.session(ofToken: token) === found)
            #expect(try await first.revoke(opened.session.id, of: opened.user.id))
            try await second.changes.follow()
            #expect(second.session(ofToken: token) == nil && found.validity.hasEnded)
            #expect(try await second.changes.session(ofToken: token) == nil)
        }
    }

    @Test("continue with the token of another process's renewal, and for a minute with the one before")
    func lookUpOfRenewed() async throws {
        try await Self.with { first, second in
            let opened = try await Self.guest(of: first)
            let known = try #require(try await second.changes.session(ofToken: opened.token.text))
            let renewed = try #require(try await first.renew(opened.session))
            let found = try #require(try await second.changes.session(ofToken: renewed.token.text))
            #expect(found.id == known.id && second.isValid(found))
            #expect(found.validity === known.validity && !known.validity.hasEnded)
            #expect(second.session(ofToken: opened.token.text)?.id == known.id)
            #expect(second.session(ofToken: opened.token.text, now: .now + .seconds(61)) == nil)
            #expect(try await second.renew(known)?.token.text == renewed.token.text)
            #expect(try await first.revoke(known.id, of: known.owner))
            try await second.changes.follow()
            #expect(known.validity.hasEnded)
        }
    }

    @Test("never stay after their end, at whichever point of their look-up it is read")
    func endDuringLookUp() async throws {
        try await Self.with { first, second in
            for _ in 0..<100 {
                let opened = try await Self.guest(of: first)
                let token = opened.token.text
                try await withThrowingTaskGroup { tasks in
                    tasks.addTask { _ = try await second.changes.session(ofToken: token) }
                    tasks.addTask { _ = try await first.revoke(opened.session.id, of: opened.user.id) }
                    tasks.addTask { for _ in 0..<3 { try await second.changes.follow() } }
                    try await tasks.waitForAll()
                }
                try await second.changes.follow()
                #expect(second.session(ofToken: token) == nil)
            }
        }
    }

    @Test("are not looked up again for a second if they are unknown")
    func misses() async throws {
        try await TestEngine.postgresql.with { test in
            // Its clock stands still.
            let (second, _) = try Self.stoppable(test)
            let token = SessionToken().text
            #expect(try second.changes.mayFind(token))
            #expect(try await second.changes.session(ofToken: token) == nil)
            #expect(try !second.changes.mayFind(token))
            #expect(try second.changes.mayFind(SessionToken().text))
            #expect(try !second.changes.mayFind("another text"))
            let misses = TokenMisses()
            let hash = TokenHash(digesting: try #require(SessionToken(token)))
            let now = ContinuousClock.now
            misses.insert(hash, now: now)
            #expect(misses.contains(hash, now: now + .milliseconds(999)))
            #expect(!misses.contains(hash, now: now + .seconds(1)))
        }
    }

    @Test(
        "stay valid for the time of grace while the database does not respond, and unknown ones are not refused"
    )
    func outage() async throws {
        let cluster = try PostgresCluster()
        let url = try PostgresURL(cluster.url(), origin: "the test's URL")
        var policy = SessionPolicy()
        policy.grace = .seconds(3_600)
        let limits = TestDatabase.limits
        let store = try SessionStore(in: UserDatabase(at: url, limits), Self.key, policy)
        policy.grace = .zero
        let strict = try SessionStore(in: UserDatabase(at: url, limits), Self.key, policy)
        let opened = try await Self.guest(of: store)
        #expect(try await strict.changes.session(ofToken: opened.token.text) != nil)
        try cluster.stop()
        for store in [store, strict] { try await waitUntil { try !store.changes.isCurrent } }
        #expect(try await store.changes.session(ofToken: opened.token.text)?.id == opened.session.id)
        for (store, token) in [(store, SessionToken().text), (strict, opened.token.text)] {
            let error = await #expect(throws: StorageError.self) {
                try await store.changes.session(ofToken: token)
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("are not more than a user may have, also if processes have not read each other's")
    func perUser() async throws {
        try await TestEngine.postgresql.with { test in
            var policy = SessionPolicy()
            policy.perUser = 2
            let stores = try (0..<3).map { [policy] _ in try SessionStore(in: test.open(), Self.key, policy) }
            let oldest = try await SessionStoreTests.named("ann", stores[0], now: .now).get()
            let users = UserStore(in: try test.open())
            let known = try #require(try await users.registered(Username("ann")))
            var opened: [String] = []
            for (index, store) in stores.enumerated() {
                let now = Instant.now + .seconds(index + 1)
                let new = try await store.open(SessionStoreTests.wish, for: known, now: now)
                opened.append(try #require(new).session.id)
            }
            let left: [String] = try await stores[0].database.read { db in
                try db.values("SELECT id FROM session")
            }
            #expect(Set(left) == Set(opened.suffix(2)))
            try await stores[0].changes.follow()
            #expect(oldest.session.validity.hasEnded)
            #expect(Set(stores[0].sessions(of: known.user.id).map(\.id)) == Set(left))
        }
    }

    @Test("of other users are ended and found while a transaction of one user takes long")
    func lockedUser() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let (first, second) = (
                try SessionStore(in: file, Self.key), try SessionStore(in: test.open(), Self.key)
            )
            let (ann, bob) = (try await Self.guest(of: first), try await Self.guest(of: first))
            try await second.changes.follow()
            let sessions = [ann, bob].compactMap { second.session(ofToken: $0.token.text) }
            try #require(sessions.count == 2)
            let renewed = try #require(try await first.renew(ann.session))
            #expect(try await first.revoke(bob.session.id, of: bob.user.id))
            let carl = try await Self.guest(of: first)
            let (isLocked, isRead) = (Event<Void>(), DispatchSemaphore(value: 0))
            let transaction = Task {
                try await file.database.write(for: ann.user.id) { _ in
                    isLocked.happen()
                    isRead.wait()
                }
            }
            await isLocked.wait()
            defer { isRead.signal() }
            try await second.changes.follow()
            #expect(sessions.map(\.validity.hasEnded) == [false, true])
            #expect(second.session(ofToken: bob.token.text) == nil)
            // In memory, also of the user whose transaction has not ended.
            #expect(second.session(ofToken: renewed.token.text)?.id == ann.session.id)
            #expect(second.sessions(of: carl.user.id).map(\.id) == [carl.session.id])
            isRead.signal()
            try await transaction.value
        }
    }

    @Test("of the identity provider are found after the changes of other processes were applied")
    func current() async throws {
        try await Self.with { first, second in
            let owner = try await Self.guest(of: first).user.id
            let isKnown = Atomic(true)
            try second.changes.observers.onIdentityEnd { identity in
                if identity == .token("a token") { isKnown.store(false, ordering: .relaxed) }
            }
            try await first.database.write(for: owner) { db in
                try db.execute(
                    """
                    INSERT INTO ended_identity_session (issuer, kind, value, ended_at, forget_at)
                    VALUES ('i', 'TOKEN', 'a token', 1, 2)
                    """)
            }
            // As after the process was stopped for a second.
            try await waitUntil { try !second.changes.isCurrent }
            let known = try await second.changes.current {
                isKnown.load(ordering: .relaxed) ? "a session" : nil
            }
            #expect(known == nil)
        }
    }

    @Test("forget changes by the database's clock a day after them, also in a process that has just started")
    func oldChanges() async throws {
        try await Self.with { first, second in
            _ = try await Self.guest(of: first)
            func count() async throws -> Int? {
                try await first.database.read { db in try db.value("SELECT count(*) FROM change") }
            }
            try await first.changes.deleteOld()
            #expect(try await count() != 0)
            try await first.database.setClock(to: .now + .seconds(86_401))
            try await second.changes.deleteOld()
            #expect(try await count() == 0)
        }
    }

    /// A process, and a closure that lets an hour pass for it.
    private static func stoppable(_ test: TestDatabase) throws -> (SessionStore, stop: @Sendable () -> Void) {
        let base = ContinuousClock.now
        let elapsed = Atomic(0)
        let clock = TimeSource(
            now: { base + .seconds(elapsed.load(ordering: .relaxed)) }, wallTime: { .now },
            sleep: { _ in Issue.record("nothing waits") })
        let store = try SessionStore(in: test.open(), Self.key)
        FollowedStores.follow(store, clock: clock)
        return (store, { elapsed.store(3_600, ordering: .relaxed) })
    }

    @Test("are all read again by a process that was stopped until changes were deleted")
    func gap() async throws {
        try await TestEngine.postgresql.with { test in
            let first = try SessionStore(in: test.open(), Self.key)
            let (second, stop) = try Self.stoppable(test)
            let (ended, renewed) = (try await Self.guest(of: first), try await Self.guest(of: first))
            let owners = Event<Set<OwnerID>>()
            let identity = Event<EndedIdentity>()
            try second.changes.observers.onConnectionChange { changed in owners.happen(changed) }
            try second.changes.observers.onIdentityEnd { identity.happen($0) }
            try await second.changes.follow()
            let known = try [ended, renewed].map { try #require(second.session(ofToken: $0.token.text)) }
            #expect(try await first.revoke(ended.session.id, of: ended.user.id))
            let new = try #require(try await first.renew(renewed.session))
            let added = try await Self.guest(of: first)
            try await first.database.write { db in
                try Self.insertConnectionAndLogout(of: added.user.id, db)
                try db.execute("DELETE FROM change")
            }
            stop()
            #expect(try !second.changes.isCurrent)
            #expect(try await second.changes.session(ofToken: ended.token.text) == nil)
            #expect(known.map(\.validity.hasEnded) == [true, false])
            #expect(second.session(ofToken: new.token.text) != nil)
            #expect(second.sessions(of: added.user.id).map(\.id) == [added.session.id])
            #expect(await owners.wait().contains(added.user.id))
            #expect(await identity.wait() == .subject("a subject"))
            #expect(try second.changes.isCurrent)
        }
    }

    @Test("that others make while a process reads all sessions at its start are applied")
    func changesDuringTheStart() async throws {
        try await TestEngine.postgresql.with { test in
            let first = try SessionStore(in: test.open(), Self.key)
            let ended = try await Self.guest(of: first)
            let second = try SessionStore(in: test.open(), Self.key)
            #expect(try await first.revoke(ended.session.id, of: ended.user.id))
            // The read took a minute, and the session ended at its begin.
            try await first.database.write { db in
                try db.execute("UPDATE change SET changed_at = changed_at - 55000")
            }
            let now = ContinuousClock.now + .seconds(60)
            let clock = TimeSource(now: { now }, wallTime: { .now }, sleep: { _ in })
            FollowedStores.follow(second, clock: clock)
            #expect(second.session(ofToken: ended.token.text) != nil)
            try await second.changes.follow()
            #expect(second.session(ofToken: ended.token.text) == nil)
        }
    }

    @Test("are read in pages by such a process, and so is all else that has changed")
    func pages() async throws {
        try await TestEngine.postgresql.with { test in
            let (store, stop) = try Self.stoppable(test)
            let owners = Mutex<[Set<OwnerID>]>([])
            let alerts = Mutex<[[OwnerID: Set<String>]]>([])
            let identities = Mutex<Set<EndedIdentity>>([])
            try store.changes.observers.onConnectionChange { changed in owners.withLock { $0.append(changed) }
            }
            try store.changes.observers.onAlertChange { changed in alerts.withLock { $0.append(changed) } }
            try store.changes.observers.onIdentityEnd { ended in identities.withLock { _ = $0.insert(ended) }
            }
            let now = Instant.now.millisecondsSince1970
            try await store.database.write { db in
                try db.executeScript(
                    """
                    INSERT INTO "user" (id, kind, created_at) SELECT 'user' || n, 'GUEST', 1 FROM generate_series(1, 1200) n;
                    INSERT INTO session (id, token_hash, user_id, scopes, created_at, last_used_at, expires_at)
                        SELECT 'session' || n, sha256(convert_to('token' || n, 'UTF8')), 'user' || n, 'READ',
                            \(now), \(now), \(now) + 60000000 FROM generate_series(1, 1200) n;
                    INSERT INTO connection (id, owner, provider, environment, connected_at)
                        SELECT 'connection' || n, 'user' || n, 'ALPACA', 'PAPER', 1 FROM generate_series(1, 1200) n;
                    INSERT INTO alert (id, owner, kind, subject, state, fired_count, created_at, updated_at)
                        SELECT 'alert' || n, 'user' || n, 'PRICE_ABOVE', 'AAPL', 'ACTIVE', 0, 1, 1
                        FROM generate_series(1, 1200) n;
                    INSERT INTO ended_identity_session (issuer, kind, value, ended_at, forget_at)
                        SELECT 'issuer' || n / 700, 'TOKEN', 'token' || n, 1, 2 FROM generate_series(1, 1200) n;
                    DELETE FROM change;
                    """)
            }
            stop()
            try await store.changes.follow()
            #expect(try store.changes.isCurrent)
            let all = Set(1...1_200)
            #expect(Set(store.live.all.map(\.id)) == Set(all.map { "session\($0)" }))
            let (reloads, follows) = (owners.withLock(\.self), alerts.withLock(\.self))
            #expect(Set(reloads.joined().map(\.text)) == Set(all.map { "user\($0)" }))
            #expect(Set(follows.joined().flatMap(\.value)) == Set(all.map { "alert\($0)" }))
            #expect(identities.withLock(\.self) == Set(all.map { .token("token\($0)") }))
            // What one read returns is bounded.
            #expect(reloads.map(\.count).max() == 500 && follows.map(\.count).max() == 500)
        }
    }

    @Test("report changed connections and logouts until they were applied")
    func observers() async throws {
        try await Self.with { first, second in
            let opened = try await Self.guest(of: first)
            let owner = opened.user.id
            let (owners, ended) = (Event<Set<OwnerID>>(), Event<EndedIdentity>())
            let failures = Atomic(1)
            try second.changes.observers.onConnectionChange { changed throws(StorageError) in
                if failures.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 { throw .full(path: "x") }
                owners.happen(changed)
            }
            try second.changes.observers.onIdentityEnd { ended.happen($0) }
            try await first.database.write(for: owner) { db in
                try Self.insertConnectionAndLogout(of: owner, db)
            }
            await #expect(throws: StorageError.full(path: "x")) { try await second.changes.follow() }
            try await second.changes.follow()
            #expect(await owners.wait() == [owner])
            #expect(await ended.wait() == .subject("a subject"))
        }
    }

    @Test("report connections that a provider begins or ends to refuse, and no other write of the refusal")
    func refusals() async throws {
        try await Self.with { first, second in
            let owner = try await Self.guest(of: first).user.id
            let changed = Mutex<[Set<OwnerID>]>([])
            try second.changes.observers.onConnectionChange { owners in changed.withLock { $0.append(owners) }
            }
            try await first.database.write(for: owner) { db in
                try Self.insertConnectionAndLogout(of: owner, db)
            }
            try await second.changes.follow()
            for (refusedAt, isReported) in [
                ("NULL", false), ("1", true), ("1", false), ("2", true), ("NULL", true), ("NULL", false),
            ] {
                changed.withLock { $0 = [] }
                try await first.database.write(for: owner) { db in
                    try db.execute("UPDATE connection SET refused_at = \(refusedAt)")
                }
                try await second.changes.follow()
                #expect(changed.withLock(\.self) == (isReported ? [[owner]] : []), "\(refusedAt)")
            }
        }
    }

    @Test("report orders whose state or fill has changed, and no others")
    func orders() async throws {
        try await Self.with { first, second in
            let owner = try await Self.guest(of: first).user.id
            let changed = Mutex<[[OwnerID: Set<String>]]>([])
            try second.changes.observers.onOrderChange { orders in changed.withLock { $0.append(orders) } }
            func write(_ sql: String) async throws -> [[OwnerID: Set<String>]] {
                try await first.database.write(for: owner) { db in try db.execute(sql) }
                try await second.changes.follow()
                return changed.withLock { changed in
                    defer { changed = [] }
                    return changed
                }
            }
            let placed = try await write(
                """
                INSERT INTO journal_order (
                    owner, connection, id, provider, symbol, side, state, created_at, heard_at)
                VALUES ('\(owner.text)', 'c', 'o', 'SAXO', 'AAPL', 'BUY', 'PENDING', 1, 1)
                """)
            #expect(placed.isEmpty)
            let change = "UPDATE journal_order SET state = 'OPEN', filled_quantity"
            for (filled, isReported) in [("0", true), ("0", false), ("1", true)] {
                #expect(try await write("\(change) = '\(filled)'") == (isReported ? [[owner: ["c"]]] : []))
            }
        }
    }

    @Test("report a logout of a session and of the tokens of its subject that name no session")
    func unnamedSessions() async throws {
        try await Self.with { first, second in
            let ended = Mutex<Set<EndedIdentity>>([])
            try second.changes.observers.onIdentityEnd { identity in
                ended.withLock { _ = $0.insert(identity) }
            }
            let logout = IdentityLogout(
                issuer: "i", id: "1", sessionID: "s", subject: "a subject", issuedAt: .now,
                expiresAt: .now + .seconds(60))
            #expect(try await IdentityStore(first).end(logout, forgetAt: .now + .seconds(60)))
            try await second.changes.follow()
            #expect(ended.withLock(\.self) == [.session("s"), .unnamedSessions(of: "a subject")])
        }
    }

    @Test("have the same keys in processes that start at the same time")
    func keys() async throws {
        try await TestEngine.postgresql.with { test in
            let file = try test.open()
            let stores = try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        (
                            try SessionStore(in: test.open(), Self.key),
                            try ConnectionStore(in: test.open(), Self.key)
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let counts: [Int] = try await file.database.read { db in
                try db.values("SELECT count(*) FROM token_key UNION ALL SELECT count(*) FROM data_key")
            }
            #expect(counts == [1, 1])
            let opened = try await Self.guest(of: stores[0].0)
            for (store, _) in stores {
                #expect(try await store.changes.session(ofToken: opened.token.text) != nil)
            }
        }
    }

    @Test("have consents that any of them completes, once, and only their user")
    func consents() async throws {
        try await TestEngine.postgresql.with { test in
            let files = try (0..<2).map { _ in try test.open() }
            let (ann, bob) = try (OrderJournalTests.owner(), OrderJournalTests.owner("bob"))
            for owner in [ann, bob] { try UserStore(in: files[0]).ensure(owner) }
            let stores = try files.map { try #require(try ConnectionStore(in: $0, Self.key).authorizations) }
            func add(_ state: String, for lifetime: Duration = .seconds(600)) async throws {
                try await stores[0].add(
                    AuthorizationStore.Authorization(
                        owner: ann, provider: .saxo, environment: .live,
                        redirectURI: "https://app.example/connected",
                        verifier: Secret(Array("planted-verifier".utf8))),
                    as: state, for: lifetime, maximum: 3)
            }
            try await add("one")
            #expect(try await stores[1].take("one", of: bob, at: .saxo) == nil)
            #expect(try await stores[1].take("one", of: ann, at: .alpaca) == nil)
            let found = try #require(try await stores[1].take("one", of: ann, at: .saxo))
            #expect(found.verifier?.bytes == Array("planted-verifier".utf8))
            #expect(found.redirectURI == "https://app.example/connected" && found.environment == .live)
            #expect(try await stores[0].take("one", of: ann, at: .saxo) == nil)
            try await add("expired", for: .milliseconds(-1))
            #expect(try await stores[1].take("expired", of: ann, at: .saxo) == nil)
            for state in ["1", "2", "3", "4"] { try await add(state) }
            let rest = try await files[0].database.read { db in
                try db.value("SELECT count(*) FROM pending_authorization", as: Int.self)
            }
            #expect(rest == 3)
            #expect(try await stores[1].take("4", of: ann, at: .saxo) != nil)
            let bytes = try await test.allBytes()
            #expect(bytes.range(of: Data("planted-verifier".utf8)) == nil)
        }
    }
}
