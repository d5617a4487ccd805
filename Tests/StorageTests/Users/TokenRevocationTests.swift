import Brokerage
import Coordination
import EngineTestSupport
import Storage
import Synchronization
import Testing
import Upstream

@Suite("Bearer tokens whose user ends all other sessions")
struct TokenRevocationTests {
    private static let start = SessionStoreTests.start

    private static func origin(
        _ subject: String = "1", name: String = "ann", sid: String? = nil, at seconds: Int = 0, skew: Int = 0
    ) -> IdentityStore.Origin {
        let time = start + .seconds(seconds)
        return IdentityStore.Origin(
            Identity(issuer: "https://id.example.com", subject: subject), sessionID: sid, issuedAt: time,
            issuedAfter: time - .seconds(skew), suggestedName: name)
    }

    private static func isRefused(
        _ origin: IdentityStore.Origin, hash: String = "a token", by store: IdentityStore
    ) async throws -> Bool {
        let user = try await store.user(
            of: origin, tokenHash: hash, createsUser: { true }, now: start + .seconds(60))
        return if case .failure(.signedOut) = user { true } else { false }
    }

    private static func kept(_ hash: String, sid: String? = nil, at seconds: Int = 0) -> KeptToken {
        KeptToken(hash: hash, sessionID: sid, issuedAt: start + .seconds(seconds), skew: .seconds(60))
    }

    private static func withStores(
        _ engine: TestEngine, _ body: (UserDatabase, SessionStore, IdentityStore) async throws -> Void
    ) async throws {
        try await engine.with { test in
            let file = try test.open()
            let sessions = try SessionStore(in: file, .random())
            try await body(file, sessions, IdentityStore(sessions))
        }
    }

    private static var hash: PasswordHash { PasswordHash(matchingNothing: .standard) }

    /// A way to end all other sessions of a user with an identity and a password.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: Act

        typealias Act =
            @Sendable (SessionStore, UserDatabase, SessionStore.NewSession, _ now: Instant) async throws ->
            Void

        static let all = [
            End(testDescription: "revocation of the others") { store, _, own, now in
                _ = try await store.revokeOthers(than: own.session.id, of: own.user.id, now: now)
            },
            End(testDescription: "another password") { store, file, own, now in
                let known = try #require(try await UserStore(in: file).registered(own.user.id))
                _ = try #require(try await store.change(known, to: hash, in: own.session, now: now))
            },
            End(testDescription: "a reset of the password") { _, file, own, now in
                let isReset = try await UserStore(in: file).resetPassword(of: own.user.id, to: hash, now: now)
                #expect(isReset)
            },
        ]
    }

    @Test(
        "are refused if they were issued before; later ones, a sign-in by a code and those of other users are not",
        arguments: TestEngine.allCases, End.all)
    func refused(engine: TestEngine, end: End) async throws {
        try await Self.withStores(engine) { file, sessions, store in
            let ann = try await store.user(
                of: Self.origin(), tokenHash: "a token", createsUser: { true }, now: Self.start
            ).get()
            try await file.database.setClock(to: Self.start - SessionStoreTests.day)
            #expect(
                try await UserStore(in: file).resetPassword(
                    of: ann.id, to: Self.hash, now: Self.start - SessionStoreTests.day))
            let options = SessionStore.Options(scopes: [.read], label: nil)
            let own = try await store.open(
                options, for: Self.origin(), createsUser: nil, now: Self.start
            ).get()
            let other = Self.origin("2", name: "bob")
            #expect(try await !Self.isRefused(other, by: store))
            #expect(try await !Self.isRefused(Self.origin(), by: store))

            try await file.database.setClock(to: Self.start + .seconds(10))
            try await end.act(sessions, file, own, Self.start + .seconds(10))

            // With a clock of the issuer that is 60 s ahead, a token of 70 s may have been issued before.
            for (seconds, skew, isRefused) in [
                (0, 0, true), (10, 0, true), (11, 0, false), (70, 60, true), (71, 60, false),
            ] {
                let origin = Self.origin(at: seconds, skew: skew)
                #expect(try await Self.isRefused(origin, by: store) == isRefused, "\(seconds) s, \(skew) s")
            }
            #expect(try await !Self.isRefused(other, by: store))
            // In the same second.
            let opened = try await store.open(
                options, for: Self.origin(at: 10), createsUser: nil, now: Self.start + .seconds(10))
            #expect(throws: Never.self) { try opened.get() }
        }
    }

    @Test(
        "are accepted if the request had them, until all sessions end again", arguments: TestEngine.allCases)
    func exception(engine: TestEngine) async throws {
        try await Self.withStores(engine) { file, sessions, store in
            let owner = try await store.user(
                of: Self.origin(), tokenHash: "first", createsUser: { true }, now: Self.start
            ).get().id
            func refused() async throws -> [String] {
                var refused: [String] = []
                for hash in ["first", "second", "third"] {
                    if try await Self.isRefused(Self.origin(), hash: hash, by: store) { refused.append(hash) }
                }
                return refused
            }
            // The second time is the same, and so is the last: the clock was set back. A revoked token revokes nothing.
            for (kept, seconds, expected) in [
                (Self.kept("first"), 10, ["second", "third"]), (Self.kept("third"), 10, nil),
                (Self.kept("second", at: 80), 10, ["first", "third"]), (Self.kept("first"), 10, nil),
                (nil, 5, ["first", "second", "third"]),
            ] as [(KeptToken?, Int, [String]?)] {
                let before = try await refused()
                try await file.database.setClock(to: Self.start + .seconds(seconds))
                let ended = try await sessions.revokeOthers(
                    than: "", exceptToken: kept, of: owner, now: Self.start + .seconds(seconds))
                #expect((ended == nil) == (expected == nil))
                #expect(try await refused() == expected ?? before)
            }
        }
    }

    @Test("are known to other processes if their subject begins with a combining mark")
    func combiningMark() {
        // The mark and the character before it are one character of Swift.
        let subject = "\u{301}b"
        #expect(EndedIdentity("TOKEN except::" + subject) == .revoked(of: subject, except: nil))
        #expect(EndedIdentity("SUBJECT " + subject) == .subject(subject))
        #expect(EndedIdentity("SESSION " + subject) == .session(subject))
    }

    @Test(
        "are accepted if they are later ones of the request's session, and may have been issued after the end",
        arguments: TestEngine.allCases)
    func laterTokens(engine: TestEngine) async throws {
        try await Self.withStores(engine) { file, sessions, store in
            let owner = try await store.user(
                of: Self.origin(), tokenHash: "first", createsUser: { true }, now: Self.start
            ).get().id
            // All sessions end after 100 s, each time with another token; clocks may differ by 60 s.
            for (kept, accepted) in [
                (Self.kept("own", sid: "s1", at: 90), ["s1": [91, 100, 160]]),
                (Self.kept("own", sid: "s1", at: 10), ["s1": [40, 90, 91, 100, 160]]),
                (Self.kept("own", sid: "s2", at: 150), ["s2": [160]]), (Self.kept("own"), [:]), (nil, [:]),
            ] as [(KeptToken?, [String: [Int]])] {
                try await file.database.setClock(to: Self.start + .seconds(100))
                _ = try await sessions.revokeOthers(
                    than: "", exceptToken: kept, of: owner, now: Self.start + .seconds(100))
                for sid in ["s1", "s2", nil] {
                    for seconds in [0, 10, 39, 40, 90, 91, 100, 160, 170] {
                        let origin = Self.origin(sid: sid, at: seconds, skew: 60)
                        // 170 s is after 160 s, the time of the revocation and the difference of clocks.
                        let isAccepted = seconds == 170 || accepted[sid ?? ""]?.contains(seconds) == true
                        #expect(
                            try await Self.isRefused(origin, hash: "next", by: store) != isAccepted,
                            "\(sid ?? "none") \(seconds) s")
                    }
                }
            }
        }
    }

    @Test(
        "keep the exception of a subject that ends with the subject of another user",
        arguments: TestEngine.allCases)
    func similarSubjects(engine: TestEngine) async throws {
        try await Self.withStores(engine) { file, sessions, store in
            let later = Self.start + .seconds(10)
            try await file.database.setClock(to: later)
            for (subject, name) in [("a:b", "ann"), ("b", "bob")] {
                let owner = try await store.user(
                    of: Self.origin(subject, name: name), tokenHash: name, createsUser: { true }
                ).get().id
                _ = try await sessions.revokeOthers(
                    than: "", exceptToken: Self.kept(name), of: owner, now: later)
            }
            #expect(try await !Self.isRefused(Self.origin("a:b"), hash: "ann", by: store))
            #expect(try await Self.isRefused(Self.origin("a:b"), hash: "another", by: store))
        }
    }

    @Test("end in other processes, each time once", arguments: TestEngine.allCases)
    func reported(engine: TestEngine) async throws {
        try await engine.with { test in
            let (file, key) = (try test.open(), MasterKey.random())
            let (first, second) = (
                try SessionStore(in: file, key), try SessionStore(in: test.open(), key)
            )
            // Of a subject with the characters of the stored form.
            let owner = try await IdentityStore(first).user(
                of: Self.origin("a: b"), tokenHash: "a token", createsUser: { true }
            ).get().id
            let ended = Mutex<[EndedIdentity]>([])
            try second.changes.observers.onIdentityEnd { identity in
                ended.withLock { $0.append(identity) }
            }
            try await second.changes.follow()
            #expect(ended.withLock(\.self).isEmpty)
            func reports() async throws -> [EndedIdentity] {
                for _ in 0..<2 { try await second.changes.follow() }
                return ended.withLock { ended in
                    defer { ended = [] }
                    return ended
                }
            }
            for kept in [nil, "a-hash", nil] {
                _ = try await first.revokeOthers(
                    than: "", exceptToken: kept.map { Self.kept($0, sid: "s: 1") }, of: owner)
                #expect(try await reports() == [.revoked(of: "a: b", except: kept)])
            }
            #expect(try await UserStore(in: file).resetPassword(of: owner, to: Self.hash))
            #expect(try await reports() == [.revoked(of: "a: b", except: nil)])
        }
    }
}
