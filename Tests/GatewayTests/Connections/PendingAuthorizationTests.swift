import Brokerage
import Storage
import Testing
import Upstream

@testable import Gateway

@Suite("Pending authorizations")
struct PendingAuthorizationTests {
    private let clock = TestClock()

    private func pending(
        of owner: OwnerID = alice, _ provider: ProviderID = .saxo
    ) throws -> PendingAuthorization {
        PendingAuthorization(
            owner: owner, provider: provider, environment: .sandbox,
            redirectURI: try #require(HTTPURL("http://localhost/back")), verifier: nil,
            expiresAt: clock.calls.now() + PendingAuthorizations.lifetime)
    }

    @Test("are found once")
    func once() throws {
        let book = PendingAuthorizations(clock: clock.calls)
        book.add(try pending(), as: "s")
        #expect(book.consume("s", of: alice, at: .saxo) != nil)
        #expect(book.consume("s", of: alice, at: .saxo) == nil)
        #expect(book.consume("t", of: alice, at: .saxo) == nil)
    }

    @Test("are found by their user and for their provider only, and are not removed by others")
    func own() throws {
        let book = PendingAuthorizations(clock: clock.calls)
        book.add(try pending(), as: "s")
        #expect(book.consume("s", of: bob, at: .saxo) == nil)
        #expect(book.consume("s", of: alice, at: .alpaca) == nil)
        #expect(book.consume("s", of: alice, at: .saxo) != nil)
    }

    @Test("are included in the search for deleted users, and removed with their user")
    func deleted() async throws {
        try await withGateway { gateway in
            let sessions = gateway.userData.authentication.sessions
            let wish = SessionStore.Options(scopes: [.read, .write], label: nil)
            let guest = try #require(try await sessions.openForGuest(wish))
            let backends = try gateway.backends([])
            let book = backends.connectionService.pending
            book.add(try pending(of: guest.user.id), as: "s")
            #expect(sessions.deletions.owners == [guest.user.id])
            #expect(try await sessions.deleteUser(of: guest.session) == .deleted)
            #expect(book.owners.isEmpty)
        }
    }

    @Test("end after ten minutes")
    func end() throws {
        let book = PendingAuthorizations(clock: clock.calls)
        book.add(try pending(), as: "s")
        book.add(try pending(), as: "t")
        clock.advance(by: .seconds(599))
        #expect(book.consume("s", of: alice, at: .saxo) != nil)
        clock.advance(by: .seconds(1))
        #expect(book.consume("t", of: alice, at: .saxo) == nil)
    }

    @Test("of one user replace each other, and not those of other users")
    func bound() throws {
        let book = PendingAuthorizations(clock: clock.calls)
        book.add(try pending(of: bob), as: "bob's")
        for number in 0..<25 { book.add(try pending(), as: "\(number)") }
        for number in 0..<5 { #expect(book.consume("\(number)", of: alice, at: .saxo) == nil, "\(number)") }
        for number in 5..<25 { #expect(book.consume("\(number)", of: alice, at: .saxo) != nil, "\(number)") }
        #expect(book.consume("bob's", of: bob, at: .saxo) != nil)
    }

    @Test(
        "of many users make room for others: the oldest of the user with the most, and not the oldest of all")
    func full() throws {
        let book = PendingAuthorizations(clock: clock.calls)
        book.add(try pending(of: bob), as: "bob's")
        for number in 0..<(PendingAuthorizations.maximumTotal) {
            let owner = try #require(OwnerID("user \(number / PendingAuthorizations.maximumPerUser)"))
            book.add(try pending(of: owner), as: "\(number)")
        }
        #expect(book.consume("bob's", of: bob, at: .saxo) != nil)
    }
}

@Suite("A redirect address")
struct RedirectPolicyTests {
    private static func policy(allowsLoopback: Bool) throws -> RedirectPolicy {
        RedirectPolicy(
            [try #require(HTTPURL("https://app.example/connected"))], allowsLoopback: allowsLoopback,
            remedy: "Ask.")
    }

    @Test("is an exact address of the settings")
    func listed() throws {
        let policy = try Self.policy(allowsLoopback: false)
        #expect(try policy.address("https://app.example/connected", argument: "a").text.count == 29)
        for other in [
            "https://app.example/connected/", "https://app.example/connected?x=1", "https://app.example/",
            "http://app.example/connected", "https://app.example.evil.example/connected",
            "http://localhost/connected",
        ] {
            let error = #expect(throws: FieldError.self) {
                try policy.address(other, argument: "redirectUri")
            }
            #expect(
                error
                    == .argument(
                        "redirectUri", "It is none that this server sends browsers back to. Ask."), "\(other)"
            )
        }
    }

    @Test("is an address of the loopback interface with the sandbox, and none that only looks like one")
    func loopback() throws {
        let policy = try Self.policy(allowsLoopback: true)
        for address in [
            "http://127.0.0.1:8080/connected?c", "http://localhost:3000/connected", "http://[::1]/connected",
        ] {
            #expect(try policy.address(address, argument: "redirectUri").text == address)
        }
        for other in [
            "http://127.evil.example/connected", "http://127.0.0.1.evil.example/", "http://127.1/",
            "http://0x7f.1/",
            "http://localhost.evil.example/", "http://[::ffff:10.0.0.1]/",
        ] {
            let error = #expect(throws: FieldError.self) {
                try policy.address(other, argument: "redirectUri")
            }
            #expect(
                error
                    == .argument("redirectUri", "It is none that this server sends browsers back to. Ask."),
                "\(other)")
        }
    }

    @Test("is not an address with a fragment, a user, another scheme or of great length")
    func malformed() throws {
        let policy = try Self.policy(allowsLoopback: true)
        for other in [
            "https://app.example/connected#x", "https://app.example@evil.example/", "javascript:alert(1)", "",
            "http://localhost/" + String(repeating: "a", count: 2_000),
        ] {
            let error = #expect(throws: FieldError.self) {
                try policy.address(other, argument: "redirectUri")
            }
            #expect(error?.message.contains("no http or https address") == true, "\(other)")
        }
    }
}
