import Brokerage
import EngineTestSupport
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Identities at an identity provider")
struct IdentityStoreTests {
    private static let start = SessionStoreTests.start
    private static let issuer = "https://id.example.com"
    private static let signIn = PendingSignIn(
        issuer: issuer, clientID: "portico", redirectURI: "https://app.example.com/",
        scopes: [.read, .trade],
        label: "laptop", expiresAt: start + .seconds(600))

    private static func store(
        _ engine: TestEngine = .sqlite, maximumPending: Int = 10, pendingPerClient: Int = 10
    ) throws -> (IdentityStore, SessionStore) {
        let sessions = try SessionStore(in: engine.temporary(), .random())
        return (
            IdentityStore(sessions, maximumPending: maximumPending, pendingPerClient: pendingPerClient),
            sessions
        )
    }

    private static func origin(
        _ subject: String = "1", name: String? = "ann", sid: String? = "s1", at time: Instant = start,
        after earliest: Instant? = nil
    ) -> IdentityStore.Origin {
        IdentityStore.Origin(
            Identity(issuer: issuer, subject: subject), sessionID: sid, issuedAt: time,
            issuedAfter: earliest ?? time, suggestedName: name)
    }

    private static func logout(
        _ id: String = "1", sid: String?, subject: String?, at time: Instant = start
    ) -> IdentityLogout {
        IdentityLogout(
            issuer: issuer, id: id, sessionID: sid, subject: subject, issuedAt: time,
            expiresAt: time + .seconds(300))
    }

    private static func isRefused(_ result: Result<User, IdentityStore.Refusal>) -> Bool {
        if case .failure(.signedOut) = result { true } else { false }
    }

    private static let options = SessionStore.Options(scopes: [.read], label: nil)

    @Test("have sign-ins that are taken once, by the browser that began them, until they expire")
    func taken() async throws {
        let (store, _) = try Self.store()
        try await store.begin(Self.signIn, state: [1], browser: [2], from: "a", now: Self.start)
        for (state, browser, seconds, result) in [
            (1, 3, 0, "otherBrowser"), (2, 2, 0, "unknown"), (1, 2, 600, "unknown"), (1, 2, 599, "signIn"),
            (1, 2, 0, "unknown"),
        ] as [(UInt8, UInt8, Int, String)] {
            let taken = try await store.take(
                state: [state], browser: [browser], now: Self.start + .seconds(seconds))
            #expect("\(taken)".hasPrefix(result), "\(state) \(browser) \(seconds)")
            if case .signIn(let signIn) = taken {
                #expect(signIn.redirectURI == Self.signIn.redirectURI)
                #expect(signIn.scopes == [.read, .trade])
                #expect(signIn.label == "laptop")
            }
        }
    }

    /// The clients of sign-ins in their order, and the numbers of those that remain.
    private static let pending: [(clients: String, remaining: Set<UInt8>)] = [
        ("aaa", [0, 1, 2]), ("aaaa", [1, 2, 3]), ("baaac", [0, 2, 3, 4]), ("baaacc", [0, 3, 4, 5]),
        ("abcaa", [1, 2, 3, 4]),
    ]

    @Test(
        "have a limited number of sign-ins, of which the oldest of the client with the most makes room",
        arguments: pending, TestEngine.allCases)
    func bounded(_ pending: (clients: String, remaining: Set<UInt8>), engine: TestEngine) async throws {
        let (store, _) = try Self.store(engine, maximumPending: 4, pendingPerClient: 3)
        for (number, client) in pending.clients.enumerated() {
            var signIn = Self.signIn
            signIn.expiresAt = Self.start + .seconds(600 + number)
            try await store.begin(
                signIn, state: [UInt8(number)], browser: [0], from: "\(client)", now: Self.start)
        }
        var remaining: Set<UInt8> = []
        for number in 0..<UInt8(pending.clients.count) {
            if case .signIn = try await store.take(state: [number], browser: [0], now: Self.start) {
                remaining.insert(number)
            }
        }
        #expect(remaining == pending.remaining)
    }

    @Test("are bound to issuer and subject; a name that is taken or invalid is replaced")
    func users() async throws {
        let (store, sessions) = try Self.store()
        let unknown = try await store.open(
            Self.options, for: Self.origin(), createsUser: nil, now: Self.start)
        guard case .failure(.unknownUser) = unknown else {
            Issue.record("\(unknown)")
            return
        }
        let first = try await store.open(
            Self.options, for: Self.origin(), createsUser: { true }, now: Self.start
        ).get()
        #expect(first.user.username == "ann")
        let again = try await store.user(
            of: Self.origin(name: "bob"), tokenHash: "t", createsUser: nil, now: Self.start
        ).get()
        #expect(again == first.user)
        for (subject, name) in [("2", "Ann"), ("3", "an invalid name"), ("4", nil)] as [(String, String?)] {
            let user = try await store.user(
                of: Self.origin(subject, name: name), tokenHash: "t", createsUser: { true }, now: Self.start
            ).get()
            #expect(user.username?.hasPrefix("user-") == true)
            #expect(user.id != first.user.id)
        }
        #expect(sessions.sessions(of: first.user.id, now: Self.start).count == 1)
    }

    /// Sessions that a logout names, and the numbers of the sessions that it ends.
    private static let logouts: [(sid: String?, subject: String?, ended: Set<Int>)] = [
        ("s1", nil, [0]), ("s1", "1", [0, 3]), ("s1", "2", [0]), (nil, "1", [0, 1, 3]), ("s9", "1", [3]),
    ]

    @Test(
        "end the sessions that a logout names, and refuse their tokens from then on", arguments: logouts,
        TestEngine.allCases)
    func ended(
        _ logout: (sid: String?, subject: String?, ended: Set<Int>), engine: TestEngine
    ) async throws {
        let (sid, subject, ended) = logout
        let (store, sessions) = try Self.store(engine)
        let origins = [
            Self.origin(), Self.origin(sid: "s2"), Self.origin("2", name: "bob", sid: "s3"),
            Self.origin(sid: nil),
        ]
        var opened: [SessionStore.NewSession] = []
        for origin in origins {
            opened.append(
                try await store.open(Self.options, for: origin, createsUser: { true }, now: Self.start).get())
        }
        let isNew = try await store.end(
            Self.logout(sid: sid, subject: subject, at: Self.start + .seconds(1)),
            forgetAt: Self.start + .seconds(900), now: Self.start + .seconds(5))
        #expect(isNew)
        for (number, session) in opened.enumerated() {
            let isEnded = ended.contains(number)
            #expect(session.session.validity.hasEnded == isEnded, "\(number)")
            #expect((sessions.session(ofToken: session.token.text, now: Self.start) == nil) == isEnded)
        }
        for (number, origin) in origins.enumerated() {
            let user = try await store.user(of: origin, tokenHash: "t", createsUser: nil, now: Self.start)
            #expect(Self.isRefused(user) == ended.contains(number), "\(number)")
        }
        // A token that was issued later is accepted, unless it belongs to the session.
        for sid in ["s4", nil] {
            let later = try await store.user(
                of: Self.origin(sid: sid, at: Self.start + .seconds(2)), tokenHash: "t", createsUser: nil,
                now: Self.start + .seconds(3))
            #expect(throws: Never.self) { try later.get() }
        }
    }

    @Test("refuse a token that was signed out, and no other")
    func token() async throws {
        let (store, _) = try Self.store()
        _ = try await store.user(of: Self.origin(), tokenHash: "a", createsUser: { true }, now: Self.start)
        try await store.endToken(
            hash: "a", issuer: Self.issuer, forgetAt: Self.start + .seconds(60), now: Self.start)
        for (hash, isRefused) in [("a", true), ("b", false)] {
            let user = try await store.user(of: Self.origin(), tokenHash: hash, createsUser: nil)
            #expect(Self.isRefused(user) == isRefused)
        }
    }

    @Test(
        "end no session that began after the logout of its subject was issued", arguments: TestEngine.allCases
    )
    func laterSessions(engine: TestEngine) async throws {
        let (store, sessions) = try Self.store(engine)
        let times = [Self.start, Self.start + .seconds(1), Self.start + .seconds(2)]
        var opened: [SessionStore.NewSession] = []
        for time in times {
            opened.append(
                try await store.open(
                    Self.options, for: Self.origin(sid: nil, at: time), createsUser: { true }, now: time
                ).get())
        }
        // The logout arrives late, and another one, which was issued earlier, later still.
        for (id, seconds) in [("1", 1), ("2", 0)] {
            let logout = Self.logout(id, sid: nil, subject: "1", at: Self.start + .seconds(seconds))
            #expect(
                try await store.end(
                    logout, forgetAt: Self.start + .seconds(900), now: Self.start + .seconds(9)))
        }
        for (number, time) in times.enumerated() {
            let isEnded = number < 2
            #expect(opened[number].session.validity.hasEnded == isEnded, "\(number)")
            let user = try await store.user(
                of: Self.origin(sid: nil, at: time), tokenHash: "t", createsUser: nil, now: time)
            #expect(Self.isRefused(user) == isEnded, "\(number)")
        }
        #expect(sessions.sessions(of: opened[0].user.id, now: times[2]).count == 1)
    }

    @Test(
        "accept a logout once, at whichever process, until its token has expired",
        arguments: TestEngine.allCases)
    func replays(engine: TestEngine) async throws {
        try await engine.with { test in
            let master = MasterKey.random()
            let stores = try [test.open(), test.open()].map {
                IdentityStore(try SessionStore(in: $0, master))
            }
            let logout = Self.logout(sid: nil, subject: "1")
            func end(_ logout: IdentityLogout, at store: Int, after seconds: Int) async throws -> Bool {
                try await stores[store].end(
                    logout, forgetAt: Self.start + .seconds(900), now: Self.start + .seconds(seconds))
            }
            #expect(try await end(logout, at: 0, after: 0))
            for store in [0, 1] { #expect(try await !end(logout, at: store, after: 299), "\(store)") }
            #expect(try await end(Self.logout("2", sid: nil, subject: "1"), at: 1, after: 0))
            // Another subject with a hundred logouts removes none of this one.
            for number in 0..<101 {
                let other = Self.logout(
                    "other \(number)", sid: nil, subject: "2", at: Self.start + .milliseconds(number))
                #expect(try await end(other, at: 0, after: 1))
            }
            #expect(try await !end(logout, at: 1, after: 1))
            #expect(try await end(Self.logout("other 0", sid: nil, subject: "2"), at: 0, after: 1))
        }
    }

    @Test(
        "of a deleted user get no user by a token that was issued before, and another one by a later sign-in",
        arguments: TestEngine.allCases, [false, true])
    func deleted(engine: TestEngine, isByCommand: Bool) async throws {
        try await engine.with { test in
            let file = try test.open()
            let sessions = try SessionStore(in: file, .random())
            let store = IdentityStore(sessions)
            let opened = try await store.open(
                Self.options, for: Self.origin(), createsUser: { true }, now: Self.start
            ).get()
            let deletion = Self.start + .seconds(10)
            if isByCommand {
                #expect(try await UserStore(in: file).delete(opened.user.id, now: deletion) == .deleted)
            } else {
                #expect(try await sessions.deleteUser(of: opened.session, now: deletion) == .deleted)
            }
            // With a clock of the issuer that is 60 s ahead, a token of 70 s may have been issued before.
            for (seconds, isRefused) in [(0, true), (9, true), (70, true), (71, false)] {
                let time = Self.start + .seconds(seconds)
                let user = try await store.user(
                    of: Self.origin(sid: nil, at: time, after: time - .seconds(60)), tokenHash: "t",
                    createsUser: { true }, now: deletion + .seconds(1))
                #expect(Self.isRefused(user) == isRefused, "\(seconds)")
                if case .success(let user) = user { #expect(user.id != opened.user.id) }
            }
            // A sign-in is later if it began later, whatever the clock of the issuer says.
            for (seconds, isRefused) in [(10, true), (11, false)] {
                let again = try await store.open(
                    Self.options,
                    for: Self.origin(sid: nil, at: Self.start, after: Self.start + .seconds(seconds)),
                    createsUser: { true }, now: deletion + .seconds(2))
                let isSignedOut = if case .failure(.signedOut) = again { true } else { false }
                #expect(isSignedOut == isRefused, "\(seconds)")
            }
        }
    }

    @Test("are remembered after a deletion for longer than any token is accepted")
    func lifetime() {
        #expect(Identity.longestTokenLifetime > .seconds(7 * 86_400 + 2 * 600 - 1))
    }
}
