import Brokerage
import Coordination
import Gateway
import Storage
import TestSupport
import Testing
import Upstream

@Suite("An address from which a user has signed in")
struct KnownClientTests {
    /// The addresses of some numbers that are known clients of the user with the name "ann".
    private static func known(_ addresses: ClosedRange<UInt64>, _ gateway: TestGateway) async throws
        -> [UInt64]
    {
        let authentication = gateway.userData.authentication
        let ann = try await UserStore(in: gateway.userData.file).registered(Username("ann"))
        var known: [UInt64] = []
        for address in addresses {
            let attempt = try await authentication.attempts.begin(
                user: "ann", registered: ann, from: ClientOrigin(address), now: .now)
            await authentication.attempts.withdraw(attempt, now: .now)
            if attempt.isKnown { known.append(address) }
        }
        return known
    }

    /// Signs up as Ann at address 1, and in at address 2.
    private static func enter(_ gateway: TestGateway) async throws -> TestClient {
        var (ann, elsewhere) = (try TestClient(gateway), try TestClient(gateway, from: 2))
        try await ann.enter(TestClient.signUp("ann"))
        try await elsewhere.enter(TestClient.signIn("ann"))
        return ann
    }

    /// A mutation of Ann at address 1, or none and a sign-in at address 3, and the known addresses afterwards.
    private static let events: [(name: String, mutation: String?, known: [UInt64])] = [
        ("a sign-in at a third address", nil, [1, 2, 3]),
        (
            "another password",
            """
            changePassword(input: { currentPassword: "correct horse battery", newPassword: "another password" }) { token }
            """,
            [1]
        ),
        ("deletion", #"deleteUser(password: "correct horse battery") { deletedId }"#, []),
    ]

    @Test("is a known client of this user with this password only", arguments: events)
    func changes(name: String, mutation: String?, expected: [UInt64]) async throws {
        try await withGateway { gateway in
            let ann = try await Self.enter(gateway)
            #expect(try await Self.known(1...4, gateway) == [1, 2])
            if let mutation {
                let answer = try await ann.ask("mutation { \(mutation) }")
                #expect(answer.failures.isEmpty, "\(answer)")
            } else {
                var third = try TestClient(gateway, from: 3)
                try await third.enter(TestClient.signIn("ann"))
            }
            #expect(try await Self.known(1...4, gateway) == expected)
        }
    }

    @Test("is no known client of another user who signs up later with the name of a deleted one")
    func sameName() async throws {
        try await withGateway { gateway in
            let attacker = try await Self.enter(gateway)
            let deleted = try await attacker.ask(
                #"mutation { deleteUser(password: "correct horse battery") { deletedId } }"#)
            #expect(deleted.failures.isEmpty, "\(deleted)")
            var ann = try TestClient(gateway, from: 4)
            try await ann.enter(TestClient.signUp("ann"))
            #expect(try await Self.known(1...4, gateway) == [4])
        }
    }

    @Test("is no known client after the operator has reset the password, until the next sign-in")
    func reset() async throws {
        try await withGateway { gateway in
            _ = try await Self.enter(gateway)
            let users = UserStore(in: gateway.userData.file)
            let ann = try #require(try await users.registered(Username("ann")))
            let password = try #require(Password(entered: "a reset password"))
            let hash = try await gateway.userData.authentication.hasher.hash(
                password, for: HashingClient(knownUser: nil, address: 0))
            #expect(try await users.resetPassword(of: ann.user.id, to: hash))
            #expect(try await Self.known(1...4, gateway) == [])
            var again = try TestClient(gateway, from: 2)
            try await again.enter(TestClient.signIn("ann", "a reset password"))
            #expect(try await Self.known(1...4, gateway) == [2])
        }
    }
}
