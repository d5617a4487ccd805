import Brokerage
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

    private static func store(maximumPending: Int = 10) throws -> (IdentityStore, SessionStore) {
        let sessions = try SessionStore(in: .temporary(), .random())
        return (IdentityStore(sessions, maximumPending: maximumPending), sessions)
    }

    private static func origin(
        _ subject: String = "1", name: String? = "ann", sid: String? = "s1", at time: Instant = start
    ) -> IdentityStore.Origin {
        IdentityStore.Origin(
            Identity(issuer: issuer, subject: subject), sessionID: sid, issuedAt: time, suggestedName: name)
    }

    private static let options = SessionStore.Options(scopes: [.read], label: nil)

    @Test("have sign-ins that are taken once, by the browser that began them, until they expire")
    func taken() async throws {
        let (store, _) = try Self.store()
        try await store.begin(Self.signIn, state: [1], browser: [2], now: Self.start)
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

    @Test("have a limited number of sign-ins, of which the oldest makes room for a new one")
    func bounded() async throws {
        let (store, _) = try Self.store(maximumPending: 2)
        for number in [1, 2, 3] as [UInt8] {
            try await store.begin(Self.signIn, state: [number], browser: [0], now: Self.start)
        }
        var count = 0
        for number in [1, 2, 3] as [UInt8] {
            if case .signIn = try await store.take(state: [number], browser: [0], now: Self.start) {
                count += 1
            }
        }
        #expect(count == 2)
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

    @Test("end the sessions that a logout names, and refuse their tokens from then on", arguments: logouts)
    func ended(sid: String?, subject: String?, ended: Set<Int>) async throws {
        let (store, sessions) = try Self.store()
        let origins = [
            Self.origin(), Self.origin(sid: "s2"), Self.origin("2", name: "bob", sid: "s3"),
            Self.origin(sid: nil),
        ]
        var opened: [SessionStore.NewSession] = []
        for origin in origins {
            opened.append(
                try await store.open(Self.options, for: origin, createsUser: { true }, now: Self.start).get())
        }
        try await store.end(
            issuer: Self.issuer, sessionID: sid, subject: subject, forgetAt: Self.start + .seconds(900),
            now: Self.start + .seconds(1))
        for (number, session) in opened.enumerated() {
            let isEnded = ended.contains(number)
            #expect(session.session.validity.hasEnded == isEnded, "\(number)")
            #expect((sessions.session(ofToken: session.token.text, now: Self.start) == nil) == isEnded)
        }
        for (number, origin) in origins.enumerated() {
            let user = try await store.user(of: origin, tokenHash: "t", createsUser: nil, now: Self.start)
            let isRefused = if case .failure(.signedOut) = user { true } else { false }
            #expect(isRefused == ended.contains(number), "\(number)")
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
            let isSignedOut = if case .failure(.signedOut) = user { true } else { false }
            #expect(isSignedOut == isRefused)
        }
    }
}
