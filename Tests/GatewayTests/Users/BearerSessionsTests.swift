import Brokerage
import Testing
import Upstream

@testable import Gateway
@testable import OpenIDConnect
@testable import Storage

@Suite("The sessions of bearer tokens")
struct BearerSessionsTests {
    private static let now = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    private static func session(_ token: String, of name: String, lifetime: Int = 300) throws -> BearerSession
    {
        let owner = try #require(OwnerID(name))
        let verified = VerifiedToken(
            issuer: "https://id.example.com", subject: name, sessionID: nil, issuedAt: now,
            expiresAt: now + .seconds(lifetime), claims: [:], keyFingerprint: "key")
        return BearerSession(
            verified, of: User(id: owner, kind: .named(name), isAdmin: false, createdAt: now), [.read],
            BearerCredential(token), skew: .zero)
    }

    @Test("of one user end that user's oldest session, and none of another user who has fewer")
    func shares() throws {
        let sessions = BearerSessions(maximum: 5, maximumPerUser: 4)
        // It expires before all others.
        let other = try Self.session("h.bob.s", of: "bob", lifetime: 1)
        #expect(sessions.add(other, since: 0) === other)
        let own = try (0..<6).map { try Self.session("h.\($0).s", of: "ann") }
        for session in own { #expect(sessions.add(session, since: 0) === session) }
        #expect(own.map(\.validity.hasEnded) == [true, true, false, false, false, false])
        #expect(!other.validity.hasEnded)
        // The table is full.
        let third = try Self.session("h.cid.s", of: "cid")
        #expect(sessions.add(third, since: 0) === third)
        #expect(own.map(\.validity.hasEnded) == [true, true, true, false, false, false])
        #expect(!other.validity.hasEnded)
        #expect(sessions.session(of: BearerCredential("h.bob.s"), now: Self.now) === other)
    }

    @Test("are found by the signature that was verified, and are the same for each signature of a token")
    func signatures() throws {
        let sessions = BearerSessions()
        let session = try Self.session("header.payload.first", of: "ann")
        #expect(sessions.add(session, since: 0) === session)
        for (text, isKnown) in [
            ("header.payload.first", true), ("header.payload.second", false), ("header.payload.", false),
            ("header.payload", false), ("header.other.first", false),
        ] {
            let known = sessions.session(of: BearerCredential(text), now: Self.now)
            #expect((known === session) == isKnown, "\(text)")
        }
        // Verified with the other signature, it is the same session.
        let again = try Self.session("header.payload.second", of: "ann")
        #expect(again.tokenHash == session.tokenHash)
        #expect(sessions.add(again, since: 0) === session)
    }
}
