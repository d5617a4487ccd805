import Brokerage
import EngineTestSupport
import Storage
import Testing

/// With PostgreSQL; with SQLite there is one process.
@Suite("A process whose clock is wrong")
struct WrongClockTests {
    private static let issuer = "https://id.example.com"
    private static let key = MasterKey.random()
    /// Ahead for longer than any lifetime.
    private static let wrong = Instant.now + .seconds(100 * 86_400)

    /// What a process with a wrong clock writes.
    enum Write: String, CaseIterable, CustomTestStringConvertible {
        case begin = "begins a sign-in"
        case logout = "accepts a logout"
        case token = "ends a token"
        case tidying = "deletes expired sessions"

        var testDescription: String { rawValue }
    }

    private static func logout(_ id: String, at time: Instant) -> IdentityLogout {
        IdentityLogout(
            issuer: issuer, id: id, sessionID: nil, subject: "1", issuedAt: time,
            expiresAt: time + .seconds(300))
    }

    private static func signIn(at time: Instant) -> PendingSignIn {
        PendingSignIn(
            issuer: issuer, clientID: "portico", redirectURI: "https://app.example.com/", scopes: nil,
            label: nil, expiresAt: time + .seconds(600))
    }

    @Test("ends or forgets nothing that others need", arguments: Write.allCases)
    func keeps(_ write: Write) async throws {
        try await TestEngine.postgresql.with { test in
            let (right, wrong) = (
                try SessionStore(in: test.open(), Self.key), try SessionStore(in: test.open(), Self.key)
            )
            let (store, other) = (IdentityStore(right), IdentityStore(wrong))
            let now = Instant.now
            let origin = IdentityStore.Origin(
                Identity(issuer: Self.issuer, subject: "2"), sessionID: nil, issuedAt: now, issuedAfter: now,
                suggestedName: nil)
            let opened = try await SessionStoreTests.guest(of: right, now: now)
            try await store.begin(Self.signIn(at: now), state: [1], browser: [2], from: "a")
            #expect(try await store.end(Self.logout("1", at: now), forgetAt: now + .seconds(900)))
            try await store.endToken(hash: "h", issuer: Self.issuer, forgetAt: now + .seconds(900))
            switch write {
            case .begin:
                try await other.begin(
                    Self.signIn(at: Self.wrong), state: [3], browser: [4], from: "b", now: Self.wrong)
            case .logout:
                #expect(
                    try await other.end(
                        Self.logout("2", at: now), forgetAt: Self.wrong + .seconds(900), now: Self.wrong))
            case .token:
                try await other.endToken(
                    hash: "i", issuer: Self.issuer, forgetAt: Self.wrong + .seconds(900), now: Self.wrong)
            case .tidying: try await wrong.tidy(now: Self.wrong)
            }
            let refused = try await store.user(of: origin, tokenHash: "h", createsUser: { true })
            guard case .failure(.signedOut) = refused else {
                Issue.record("The token is accepted.")
                return
            }
            #expect(try await !store.end(Self.logout("1", at: now), forgetAt: now + .seconds(900)))
            guard case .signIn = try await store.take(state: [1], browser: [2]) else {
                Issue.record("The sign-in is unknown.")
                return
            }
            #expect(try await right.renew(opened.session) != nil)
        }
    }
}
