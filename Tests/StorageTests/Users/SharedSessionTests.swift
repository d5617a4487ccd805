import Brokerage
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
            for store in stores { try await store.followOthers() }
            try await body(stores[0], stores[1])
        }
    }

    private static func guest(of store: SessionStore) async throws -> SessionStore.NewSession {
        try await SessionStoreTests.guest(of: store, now: .now)
    }

    @Test("are found at once, before the changes are read")
    func lookUp() async throws {
        try await Self.with { first, second in
            let opened = try await Self.guest(of: first)
            let token = opened.token.text
            #expect(second.session(ofToken: token) == nil)
            #expect(second.mayFind(token))
            let found = try #require(try await second.currentSession(ofToken: token))
            #expect(found.id == opened.session.id && found.isGuest && found.scopes == opened.session.scopes)
            #expect(second.session(ofToken: token) === found)
            // The change that reports it has no effect.
            try await second.followOthers()
            #expect(second.session(ofToken: token) === found)
            #expect(try await first.revoke(opened.session.id, of: opened.user.id))
            try await second.followOthers()
            #expect(second.session(ofToken: token) == nil && found.validity.hasEnded)
            #expect(try await second.currentSession(ofToken: token) == nil)
        }
    }

    @Test("are not looked up again for a second if they are unknown")
    func misses() async throws {
        try await Self.with { _, second in
            let token = SessionToken().text
            #expect(second.mayFind(token))
            #expect(try await second.currentSession(ofToken: token) == nil)
            #expect(!second.mayFind(token))
            #expect(second.mayFind(SessionToken().text))
            #expect(!second.mayFind("another text"))
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
        let store = try SessionStore(in: UserDatabase(at: url), Self.key, policy)
        policy.grace = .zero
        let strict = try SessionStore(in: UserDatabase(at: url), Self.key, policy)
        let opened = try await Self.guest(of: store)
        #expect(try await strict.currentSession(ofToken: opened.token.text) != nil)
        try cluster.stop()
        for store in [store, strict] { try await waitUntil { !store.isCurrent } }
        #expect(try await store.currentSession(ofToken: opened.token.text)?.id == opened.session.id)
        for (store, token) in [(store, SessionToken().text), (strict, opened.token.text)] {
            let error = await #expect(throws: StorageError.self) {
                try await store.currentSession(ofToken: token)
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("report changed connections and logouts until they were applied")
    func observers() async throws {
        try await Self.with { first, second in
            let opened = try await Self.guest(of: first)
            let owner = opened.user.id
            let (owners, ended) = (Event<Set<OwnerID>>(), Event<EndedIdentity>())
            let failures = Atomic(1)
            second.onConnectionChange { changed throws(StorageError) in
                if failures.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 { throw .full(path: "x") }
                owners.happen(changed)
            }
            second.onIdentityEnd { ended.happen($0) }
            try await first.database.write(for: owner) { db in
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
            await #expect(throws: StorageError.full(path: "x")) { try await second.followOthers() }
            try await second.followOthers()
            #expect(await owners.wait() == [owner])
            #expect(await ended.wait() == .subject("a subject"))
        }
    }

    @Test("report a logout of a session and of the tokens of its subject that name no session")
    func unnamedSessions() async throws {
        try await Self.with { first, second in
            let ended = Mutex<Set<EndedIdentity>>([])
            second.onIdentityEnd { identity in ended.withLock { _ = $0.insert(identity) } }
            try await IdentityStore(first).end(
                issuer: "i", sessionID: "s", subject: "a subject", forgetAt: .now + .seconds(60))
            try await second.followOthers()
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
                #expect(try await store.currentSession(ofToken: opened.token.text) != nil)
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

    @Test("count failed attempts together")
    func attempts() async throws {
        try await TestEngine.postgresql.with { test in
            let stores = try (0..<3).map { _ in try #require(UserStore(in: test.open()).attempts) }
            let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
            try await withThrowingTaskGroup { group in
                for index in 0..<30 {
                    group.addTask {
                        try await stores[index % 3].update(
                            ["ann", "shared"], keptFor: .seconds(60), now: now
                        ) {
                            records in
                            for name in ["ann", "shared"] {
                                records[name, default: AttemptStore.Record(last: now)].failures += 1
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await stores[0].update(
                ["ann", "shared", "bob"], keptFor: .seconds(60), now: now
            ) {
                records in
                let counts = ["ann", "shared", "bob"].map { records[$0]?.failures }
                records["ann"] = nil
                return counts
            }
            #expect(counts == [30, 30, nil])
            // They are forgotten after their time.
            let later = try await stores[1].update(["shared"], keptFor: .seconds(60), now: now + .seconds(61))
            {
                $0["shared"]
            }
            #expect(later == nil)
        }
    }
}
