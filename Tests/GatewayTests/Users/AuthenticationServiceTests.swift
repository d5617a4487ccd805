import Brokerage
import Coordination
import Dispatch
import Gateway
import GraphQL
import PorticoCore
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Users")
struct AuthenticationServiceTests {
    @Test("a guest signs up, signs in, reads and signs out")
    func wholeWay() async throws {
        try await withGateway { gateway in
            var ann = try TestClient(gateway)
            let guest = try await ann.enter(#"startGuestSession(label: "Ann's phone")"#)
            #expect(guest["viewer"]?["username"] == .null)
            let guestToken = try #require(ann.token)
            let named = try await ann.enter(TestClient.signUp("Ann"))
            #expect(named["viewer"] == .object(["id": guest["viewer"]?["id"] ?? .null, "username": "Ann"]))
            #expect(try TestClient(gateway, token: guestToken).session == nil)

            var second = try TestClient(gateway)
            try await second.enter(TestClient.signIn("aNN"))
            let answer = try await second.ask(
                "{ viewer { username createdAt session { current scopes expiresAt } sessions { id current label } } }"
            )
            let viewer = try #require(answer["data"]?["viewer"], "\(answer)")
            #expect(viewer["username"] == "Ann")
            #expect(viewer["session"]?["current"] == .bool(true))
            #expect(viewer["session"]?["scopes"] == .array(["READ", "WRITE"]))
            #expect(viewer["sessions"]?.elements?.count == 2)
            #expect(viewer["sessions"]?.elements?.filter { $0["current"] == .bool(true) }.count == 1)

            let out = try await second.ask("mutation { signOut { deletedId } }")
            #expect(out["data"]?["signOut"]?["deletedId"]?.string?.hasPrefix("Session:") == true)
            #expect(second.session == nil)
            #expect(ann.session != nil)
        }
    }

    @Test("without a session there is no viewer, and no error")
    func nobody() async throws {
        try await withGateway { gateway in
            let answer = try await TestClient(gateway).ask("{ viewer { id } }")
            #expect(answer == .object(["data": .object(["viewer": .null])]))
        }
    }

    @Test("a token of the settings has a viewer, and cannot be ended")
    func settings() async throws {
        try await withGateway { gateway in
            let owner = try #require(OwnerID("owner"))
            try UserStore(in: gateway.userData.file).ensure(owner)
            let query = "{ viewer { id username session { id expiresAt current } sessions { current } } }"
            let answer = try await gateway.ask(query, as: owner, gateway.backends([]))
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["viewer"]?["username"] == .null)
            #expect(answer["data"]?["viewer"]?["session"]?["expiresAt"] == .null)
            #expect(answer["data"]?["viewer"]?["sessions"]?.elements?.count == 1)
            for mutation in [
                "signOut { deletedId }", "renewSession { token }", "deleteUser { deletedId }",
                #"changePassword(input: { currentPassword: "x", newPassword: "correct horse" }) { token }"#,
            ] {
                let refused = try await gateway.ask(
                    "mutation { \(mutation) }", as: owner, gateway.backends([]))
                #expect(refused.failures.map(\.code) == ["FORBIDDEN"], "\(refused)")
            }
            let claim = try await gateway.ask(
                "mutation { \(TestClient.signUp("ann")) { token } }", as: owner, gateway.backends([]))
            #expect(claim.failures.map(\.code) == ["CONFLICT"])
        }
    }

    @Test("a session that ends during an operation does not sign its guest up, and shows no data")
    func endedWithin() async throws {
        try await withGateway { gateway in
            var guest = try TestClient(gateway)
            try await guest.enter("startGuestSession")
            let old = try #require(guest.session)
            try await guest.enter(TestClient.signUp("bob"))
            for (operation, fields) in [
                ("mutation { \(TestClient.signUp("ann")) { token } }", ["signUp"]),
                ("mutation { deleteUser { deletedId } }", ["deleteUser"]),
                ("{ viewer { id } watchlists { name } }", ["viewer", "watchlists"]),
            ] {
                let response = gateway.respond(to: operation, in: old, guest.backends)
                let answer = try JSONValue(parsing: try await response.value().body)
                #expect(
                    answer.failures == fields.map { FieldFailure($0, "UNAUTHENTICATED", nil) }, "\(answer)")
            }
            let viewer = try await guest.ask("{ viewer { username } }")
            #expect(viewer["data"]?["viewer"]?["username"] == "bob", "\(viewer)")
        }
    }

    @Test("an operation with a token that is renewed meanwhile continues, but signs nobody up")
    func renewedWithin() async throws {
        try await withGateway { gateway in
            var guest = try TestClient(gateway)
            try await guest.enter("startGuestSession")
            let old = try #require(guest.session)
            try await guest.enter("renewSession")
            for (operation, failures) in [
                ("{ viewer { id } watchlists { name } }", []),
                ("mutation { \(TestClient.signUp("ann")) { token } }", ["signUp"]),
                ("mutation { deleteUser { deletedId } }", ["deleteUser"]),
            ] {
                let response = gateway.respond(to: operation, in: old, guest.backends)
                let answer = try JSONValue(parsing: try await response.value().body)
                #expect(
                    answer.failures == failures.map { FieldFailure($0, "UNAUTHENTICATED", nil) }, "\(answer)")
            }
        }
    }

    @Test("a wrong name and a wrong password have the same error, and cause a wait after some failures")
    func wrong() async throws {
        try await withGateway { gateway in
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            let thief = try TestClient(gateway, from: 2)
            for name in ["ann", "nobody", "no name"] {
                for attempt in 1...5 {
                    let refusal = try await thief.refusal(
                        of: TestClient.signIn(name, "wrong password \(attempt)"))
                    #expect(refusal["message"] == "There is no user with this name and password.")
                    #expect(refusal["extensions"] == .object(["code": "UNAUTHENTICATED"]))
                }
                let late = try await limited(thief, name)
                #expect(late["message"] == "Too many attempts have failed: wait before the next.")
                let retryAt = try #require(late["extensions"]?["retryAt"]?.string.flatMap { Instant($0) })
                #expect(retryAt <= .now + .seconds(900))
            }
            // From elsewhere Ann still comes in.
            var elsewhere = try TestClient(gateway)
            try await elsewhere.enter(TestClient.signIn("ann"))
        }
    }

    /// The first attempt that has to wait: a machine that is slower than the first waits are long sees more of them pass.
    private func limited(_ thief: TestClient, _ name: String) async throws -> JSONValue {
        for _ in 0..<12 {
            let refusal = try await thief.refusal(of: TestClient.signIn(name, "wrong password"))
            if refusal["extensions"]?["code"] == "RATE_LIMITED" { return refusal }
        }
        throw Patience()
    }

    /// No attempt had to wait.
    private struct Patience: Error {}

    @Test("TRADE must be requested, ADMIN is for administrators, READ is always included")
    func scopes() async throws {
        try await withGateway { gateway in
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            let examples: [(String?, Set<Scope>)] = [
                (nil, [.read, .write]), ("READ", [.read]), ("TRADE", [.read, .trade]), ("", [.read]),
                ("READ, WRITE, TRADE", [.read, .write, .trade]),
            ]
            for (asked, had) in examples {
                try await ann.enter(TestClient.signIn("ann", scopes: asked))
                #expect(ann.session?.scopes == had)
            }
            let refusal = try await ann.refusal(of: TestClient.signIn("ann", scopes: "ADMIN"))
            #expect(refusal["extensions"]?["code"] == "FORBIDDEN")
            #expect(refusal["extensions"]?["argument"] == "input.scopes")
            let invitation = try await UserStore(in: gateway.userData.file).invite(label: nil, isAdmin: true)
            var root = try TestClient(gateway)
            try await root.enter(TestClient.signUp("root", invitation: invitation.code))
            try await root.enter(TestClient.signIn("root", scopes: "ADMIN"))
            #expect(root.session?.scopes == [.read, .admin])
        }
    }

    @Test("a wrong argument is named, with the violated rule")
    func badInput() async throws {
        try await withGateway { gateway in
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            let examples = [
                (
                    #"signUp(input: { username: "a", password: "correct horse" })"#, "BAD_USER_INPUT",
                    #"Argument "input.username": A username has 3 to 64 characters; this one has 1."#
                ),
                (
                    #"signUp(input: { username: "bob", password: "short" })"#, "BAD_USER_INPUT",
                    #"Argument "input.password": A password has at least 10 characters; this one has 5."#
                ),
                (
                    #"signUp(input: { username: "bob", password: "correct horse", label: "" })"#,
                    "BAD_USER_INPUT",
                    #"Argument "input.label": A label has 1 to 100 characters; this one has 0."#
                ),
                (
                    #"startGuestSession(label: "")"#, "BAD_USER_INPUT",
                    #"Argument "label": A label has 1 to 100 characters; this one has 0."#
                ),
                (TestClient.signUp("ANN"), "CONFLICT", #"The username "ANN" is taken: choose another."#),
                (
                    TestClient.signUp("bob", invitation: "none"), "BAD_USER_INPUT",
                    #"Argument "input.invitation": It is unknown, used, or has expired."#
                ),
            ]
            for (mutation, code, message) in examples {
                let refusal = try await TestClient(gateway).refusal(of: mutation)
                #expect(refusal["message"]?.string == message)
                #expect(refusal["extensions"]?["code"]?.string == code)
                let argument = refusal["extensions"]?["argument"]?.string
                #expect(
                    argument.map { message.hasPrefix("Argument \"\($0)\": ") } ?? (code == "CONFLICT"))
            }
            let again = try await ann.refusal(of: TestClient.signUp("annie"))
            #expect(again["extensions"]?["code"] == "CONFLICT")
        }
    }

    @Test("a sign-up is possible for those whom the settings allow", arguments: SignUpPolicy.allCases)
    func policies(_ policy: SignUpPolicy) async throws {
        var settings = UserPolicy.test
        settings.signUp = policy
        try await withGateway(people: settings) { gateway in
            var ann = try TestClient(gateway)
            let invitation = try await UserStore(in: gateway.userData.file).invite(
                label: nil, isAdmin: false)
            let guest = try await ann.ask("mutation { startGuestSession { token } }")
            #expect(guest.failures.map(\.code) == (policy == .open ? [] : ["FORBIDDEN"]))
            let plain = try await ann.ask("mutation { \(TestClient.signUp("bob")) { token } }")
            #expect(plain.failures.map(\.code) == (policy == .open ? [] : ["FORBIDDEN"]))
            switch policy {
            case .open, .invitation:
                try await ann.enter(TestClient.signUp("ann", invitation: invitation.code))
            case .off:
                let refusal = try await ann.refusal(of: TestClient.signUp("ann", invitation: invitation.code))
                #expect(refusal["message"] == "Nobody can sign up here. Ask who runs this server.")
            }
        }
    }

    @Test("a new password ends the other sessions and replaces this one's token")
    func changePassword() async throws {
        try await withGateway { gateway in
            var (ann, other) = (try TestClient(gateway), try TestClient(gateway))
            try await ann.enter(TestClient.signUp("ann"))
            try await other.enter(TestClient.signIn("ann"))
            let wrong = try await ann.refusal(
                of:
                    #"changePassword(input: { currentPassword: "wrong password", newPassword: "another password" })"#
            )
            #expect(
                wrong["message"]?.string
                    == #"Argument "input.currentPassword": It is not the password of this user."#
            )
            let weak = try await ann.refusal(
                of:
                    #"changePassword(input: { currentPassword: "correct horse battery", newPassword: "my name is ann" })"#
            )
            #expect(
                weak["message"]?.string
                    == #"Argument "input.newPassword": A password does not contain the username."#
            )
            let old = ann.token
            try await ann.enter(
                #"changePassword(input: { currentPassword: "correct horse battery", newPassword: "another password" })"#
            )
            #expect(ann.token != old)
            #expect(try TestClient(gateway, token: old).session == nil)
            #expect(other.session == nil)
            _ = try await TestClient(gateway).refusal(of: TestClient.signIn("ann"))
            other.token = nil
            try await other.enter(TestClient.signIn("ann", "another password"))
        }
    }

    @Test("a user is deleted with the password, a guest without, with all data")
    func deleteUser() async throws {
        try await withGateway { gateway in
            var (ann, guest) = (try TestClient(gateway), try TestClient(gateway))
            try await ann.enter(TestClient.signUp("ann"))
            try await guest.enter("startGuestSession")
            for (argument, message) in [
                ("", #"Argument "password": A user with a name is deleted with the password only."#),
                (
                    #"(password: "wrong password")"#,
                    #"Argument "password": It is not the password of this user."#
                ),
            ] {
                let answer = try await ann.ask("mutation { deleteUser\(argument) { deletedId } }")
                #expect(answer["errors"]?[0]?["message"]?.string == message)
            }
            let gone = try await ann.ask(
                #"mutation { deleteUser(password: "correct horse battery") { deletedId } }"#)
            #expect(gone["data"]?["deleteUser"]?["deletedId"]?.string?.hasPrefix("User:") == true, "\(gone)")
            _ = try await guest.ask("mutation { deleteUser { deletedId } }")
            #expect(ann.session == nil && guest.session == nil)
            // The name is free again.
            ann.token = nil
            try await ann.enter(TestClient.signUp("ann"))
        }
    }

    @Test("a session is seen and ended by its user only")
    func isolation() async throws {
        try await withGateway { gateway in
            var (ann, bob) = (try TestClient(gateway), try TestClient(gateway))
            let session = try #require(try await ann.enter("startGuestSession")["session"]?["id"]?.string)
            let user = try #require(try await ann.ask("{ viewer { id } }")["data"]?["viewer"]?["id"]?.string)
            try await bob.enter("startGuestSession")
            for id in [session, user, "Session:settings", "Account:none:1", "nonsense", "User:", "Nobody:1"] {
                let answer = try await bob.ask("{ node(id: \"\(id)\") { __typename id } }")
                #expect(answer == .object(["data": .object(["node": .null])]), "\(id): \(answer)")
            }
            let refused = try await bob.ask("mutation { revokeSession(id: \"\(session)\") { deletedId } }")
            #expect(refused.failures == [FieldFailure("revokeSession", "NOT_FOUND", nil)])
            let own = try await ann.ask(
                "{ a: node(id: \"\(session)\") { __typename id ... on Session { current } } b: node(id: \"\(user)\") { __typename } }"
            )
            #expect(
                own["data"]?["a"]
                    == .object(["__typename": "Session", "id": .string(session), "current": .bool(true)]))
            #expect(own["data"]?["b"]?["__typename"] == "Viewer")
            _ = try await bob.ask("mutation { revokeOtherSessions { deletedId } }")
            #expect(ann.session != nil)
            let ended = try await ann.ask("mutation { revokeSession(id: \"\(session)\") { deletedId } }")
            #expect(ended["data"]?["revokeSession"]?["deletedId"]?.string == session)
            #expect(ann.session == nil)
        }
    }

    @Test("an account is found again by its id, by its owner only")
    func accountNode() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("a", of: alice)])
            let account = try await gateway.ask("{ account { id } }", as: alice, backends)
            let id = try #require(account["data"]?["account"]?["id"]?.string)
            let query = "{ node(id: \"\(id)\") { id ... on Account { currency } } }"
            let own = try await gateway.ask(query, as: alice, backends)
            #expect(own["data"]?["node"] == .object(["id": .string(id), "currency": "USD"]))
            let other = try await gateway.ask(query, as: bob, backends)
            #expect(other == .object(["data": .object(["node": .null])]))
        }
    }

    /// A server whose hasher has two threads and `queue` places in its queue.
    private static func slow(_ queue: Int, cost: Int) throws -> UserPolicy {
        var settings = UserPolicy.test
        settings.passwordCost = try #require(PasswordCost(log2: cost))
        settings.passwordQueue = queue
        return settings
    }

    @Test("an attempt without a free hashing slot does not count as failed")
    func overloaded() async throws {
        try await withGateway(people: Self.slow(1, cost: 4)) { gateway in
            let hasher = gateway.userData.authentication.hasher
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            var elsewhere = try TestClient(gateway, from: 2)
            let end = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { strangers in
                defer { for _ in 0..<3 { end.signal() } }
                for address in 100..<103 as Range<UInt64> {
                    let stranger = HashingClient(knownUser: nil, address: address)
                    strangers.addTask {
                        try? await hasher.run(for: stranger) { _ = end.wait(timeout: .now() + 60) }
                    }
                }
                // Two of them have all slots that are not reserved; the third is refused.
                try await strangers.next()
                // More than would block the client if they counted.
                for _ in 0..<12 {
                    let refusal = try await elsewhere.refusal(of: TestClient.signIn("ann", "wrong password"))
                    #expect(refusal["extensions"]?["code"] == "RATE_LIMITED")
                    #expect(refusal["extensions"]?["retryAt"]?.string.flatMap { Instant($0) } != nil)
                    #expect(
                        refusal["message"] == "Too many clients are signing in. Try again soon.")
                }
            }
            try await elsewhere.enter(TestClient.signIn("ann"))
        }
    }

    /// Runs a test while the hasher, which has one place in its queue, takes no further hash of any client.
    private static func withFullHasher(_ hasher: PasswordHasher, _ test: () async throws -> Void) async throws
    {
        let (begun, end) = (Counter(), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { for _ in 0..<3 { end.signal() } }
            func hold(_ client: HashingClient) {
                group.addTask {
                    try? await hasher.run(for: client) {
                        begun.increment()
                        _ = end.wait(timeout: .now() + 60)
                    }
                }
            }
            hold(HashingClient(knownUser: "known", address: 900))
            try await waitUntil { begun.count == 1 }
            for address in 901..<904 as Range<UInt64> {
                hold(HashingClient(knownUser: nil, address: address))
            }
            // One of the three has the other thread, one has the place in the queue, and the last is refused.
            try await group.next()
            try await test()
        }
    }

    @Test("an attempt that a limit refuses computes no hash")
    func refusedEarly() async throws {
        var settings = try Self.slow(1, cost: 4)
        settings.limits.signIns = CallRate(burst: 4, every: .seconds(600))
        settings.limits.arrivals = CallRate(burst: 1, every: .seconds(600))
        try await withGateway(people: settings) { gateway in
            let attempts = gateway.userData.authentication.attempts
            var ann = try TestClient(gateway, from: 1)
            try await ann.enter(TestClient.signUp("ann"))
            for _ in 0..<4 { try await ann.enter(TestClient.signIn("ann")) }
            // So far apart that the last failure blocks for longer than the test can last.
            for number in 0..<40 {
                _ = try? await attempts.begin(
                    user: "invented-\(number)", from: ClientOrigin(2), session: nil,
                    now: .now + .seconds(900 * number))
            }
            for number in 0..<60 as Range<UInt64> {
                _ = try? await attempts.begin(
                    user: "bob", from: ClientOrigin(100 + number), session: nil,
                    now: .now + .seconds(30 * number))
            }
            let busy = try TestClient(gateway, from: 3)
            for number in 0..<4 { _ = try await busy.refusal(of: TestClient.signIn("nobody\(number)")) }

            let failures = "Too many attempts have failed: wait before the next."
            let ofUser = "Too many attempts to sign in as this user: try again later."
            let change =
                #"changePassword(input: { currentPassword: "correct horse battery", newPassword: "another one" })"#
            let refusals: [(testClient: TestClient, mutation: String, message: String)] = [
                (try TestClient(gateway, from: 2), TestClient.signIn("carl"), failures),
                (try TestClient(gateway, from: 4), TestClient.signIn("bob"), failures),
                (
                    busy, TestClient.signIn("carl"),
                    "Too many attempts to sign in from this address: try again later."
                ),
                (try TestClient(gateway, from: 1), TestClient.signIn("ann"), ofUser),
                (ann, change, ofUser),
                (
                    try TestClient(gateway, from: 1), TestClient.signUp("carl"),
                    "Too many new guests and users from this address: try again later."
                ),
                // These need a hash.
                (
                    try TestClient(gateway, from: 4), TestClient.signIn("carl"),
                    "Too many clients are signing in. Try again soon."
                ),
                (
                    try TestClient(gateway, from: 4), TestClient.signUp("carl"),
                    "Too many clients are signing in. Try again soon."
                ),
            ]
            try await Self.withFullHasher(gateway.userData.authentication.hasher) {
                for refused in refusals {
                    let refusal = try await refused.testClient.refusal(of: refused.mutation)
                    #expect(refusal["message"]?.string == refused.message, "\(refused.mutation)")
                    #expect(refusal["extensions"]?["code"] == "RATE_LIMITED")
                    #expect(refusal["path"] == .array(["it"]))
                }
            }
        }
    }

    @Test("a flood from a user with forty sessions prevents no other user and no new client from signing in")
    func manySessions() async throws {
        try await withGateway(people: Self.slow(64, cost: 4)) { gateway in
            let hasher = gateway.userData.authentication.hasher
            var (mallory, ann) = (try TestClient(gateway, from: 1), try TestClient(gateway, from: 2))
            try await mallory.enter(TestClient.signUp("mallory"))
            try await ann.enter(TestClient.signUp("ann"))
            ann.token = nil
            var sessions: [TestClient] = []
            for address in 100..<140 as Range<UInt64> {
                // The session counts, from any address.
                sessions.append(try TestClient(gateway, from: address, token: mallory.token))
                try await mallory.enter(TestClient.signIn("mallory"))
            }
            let end = DispatchSemaphore(value: 0)
            let (begun, refused) = (Counter(), Counter())
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { for _ in 0..<2 { end.signal() } }
                // Both threads are busy until the other requests have arrived.
                for user in 0..<2 as Range<UInt64> {
                    let client = HashingClient(knownUser: "user \(user)", address: 1_000 + user)
                    group.addTask {
                        try await hasher.run(for: client) {
                            begun.increment()
                            _ = end.wait(timeout: .now() + 60)
                        }
                    }
                }
                try await waitUntil { begun.count == 2 }
                for session in sessions + sessions {
                    group.addTask {
                        let mutation = TestClient.signIn("mallory", scopes: "ADMIN")
                        let refusal = try await session.refusal(of: mutation)
                        if refusal["extensions"]?["code"] == "RATE_LIMITED" { refused.increment() }
                    }
                }
                try await waitUntil { refused.count == 78 }
                for client in [ann, try TestClient(gateway, from: 3)] {
                    group.addTask {
                        var client = client
                        try await client.enter(TestClient.signIn("ann"))
                    }
                }
                for _ in 0..<2 { end.signal() }
                try await group.waitForAll()
            }
            #expect(refused.count == 78)
        }
    }

    @Test("forty clients with invented names keep nobody out who has signed in before, nor a new client")
    func invented() async throws {
        // Cheap hashes, so that waiting clients are not refused because of the waiting time.
        try await withGateway(people: Self.slow(64, cost: 8)) { gateway in
            var users: [TestClient] = []
            for number in 0..<20 as Range<UInt64> {
                var user = try TestClient(gateway, from: 1_000 + number)
                try await user.enter(TestClient.signUp("user\(number)"))
                user.token = nil
                users.append(user)
            }
            let flood = try (0..<40 as Range<UInt64>).map { client in
                let testClient = try TestClient(gateway, from: client)
                return Task {
                    var number = 0
                    while !Task.isCancelled {
                        _ = try? await testClient.ask(
                            "mutation { \(TestClient.signIn("invented-\(client)-\(number)")) { token } }")
                        number += 1
                    }
                }
            }
            for number in users.indices {
                try await users[number].enter(TestClient.signIn("user\(number)"))
            }
            var newDevice = try TestClient(gateway, from: 2_000)
            try await newDevice.enter(TestClient.signIn("user0"))
            for task in flood { task.cancel() }
            for task in flood { await task.value }
        }
    }

    @Test("clients that send a user's name do not block the user, who is known by address or session")
    func lockedOut() async throws {
        try await withGateway { gateway in
            var ann = try TestClient(gateway, from: 1)
            try await ann.enter(TestClient.signUp("ann"))
            let session = ann
            ann.token = nil
            // For her name from many addresses, and for other names at her own address.
            for address in 10..<40 as Range<UInt64> {
                let thief = try TestClient(gateway, from: address)
                for _ in 0..<3 { _ = try await thief.refusal(of: TestClient.signIn("ann", "wrong password")) }
            }
            let neighbour = try TestClient(gateway, from: 1)
            for number in 0..<40 {
                _ = try await neighbour.refusal(of: TestClient.signIn("nobody\(number)", "wrong password"))
            }
            try await ann.enter(TestClient.signIn("ann"))
            // For her name at her own address: the address is then blocked, her session is not.
            var limit: JSONValue = .null
            for _ in 0..<40 where limit["extensions"]?["code"] != "RATE_LIMITED" {
                limit = try await neighbour.refusal(of: TestClient.signIn("ann", "wrong password"))
            }
            #expect(limit["message"] == "Too many attempts have failed: wait before the next.")
            var known = session
            try await known.enter(TestClient.signIn("ann"))
        }
    }

    @Test("guests from one address, and from all addresses, are limited; a refusal has the time of the next")
    func guests() async throws {
        var settings = UserPolicy.test
        settings.limits.arrivals = CallRate(burst: 3, every: .seconds(600))
        settings.limits.totalArrivals = CallRate(burst: 5, every: .seconds(600))
        try await withGateway(people: settings) { gateway in
            for (address, message) in [
                (1, "Too many new guests and users from this address: try again later."),
                (2, "This server has too many new guests and users at present: try again later."),
            ] as [(UInt64, String)] {
                var refusal: JSONValue = .null
                for _ in 0..<4 where refusal == .null {
                    var guest = try TestClient(gateway, from: address)
                    let answer = try await guest.ask("mutation { startGuestSession { token } }")
                    guest.token = answer["data"]?["startGuestSession"]?["token"]?.string
                    if guest.token == nil { refusal = try #require(answer["errors"]?[0]) }
                }
                #expect(refusal["message"]?.string == message)
                #expect(refusal["extensions"]?["code"] == "RATE_LIMITED")
                let retryAt = refusal["extensions"]?["retryAt"]?.string.flatMap { Instant($0) }
                #expect(try #require(retryAt) > .now)
            }
        }
    }

    @Test("attempts to sign in as a user are limited over all sessions and addresses of the user")
    func manySignInsOfSessions() async throws {
        var settings = UserPolicy.test
        settings.limits.signIns = CallRate(burst: 4, every: .seconds(600))
        try await withGateway(people: settings) { gateway in
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            for address in 10..<14 as Range<UInt64> {
                var session = try TestClient(gateway, from: address, token: ann.token)
                try await session.enter(TestClient.signIn("ann"))
                ann.token = session.token
            }
            let refusal = try await ann.refusal(of: TestClient.signIn("ann"))
            #expect(refusal["message"] == "Too many attempts to sign in as this user: try again later.")
            #expect(refusal["extensions"]?["code"] == "RATE_LIMITED")
        }
    }

    @Test("attempts to sign in from one client are limited, also where they succeed")
    func manySignIns() async throws {
        var settings = UserPolicy.test
        settings.limits.signIns = CallRate(burst: 4, every: .seconds(600))
        try await withGateway(people: settings) { gateway in
            var ann = try TestClient(gateway)
            try await ann.enter(TestClient.signUp("ann"))
            ann.token = nil
            for _ in 0..<4 {
                try await ann.enter(TestClient.signIn("ann"))
                ann.token = nil
            }
            let refusal = try await ann.refusal(of: TestClient.signIn("ann"))
            #expect(refusal["message"] == "Too many attempts to sign in as this user: try again later.")
            #expect(refusal["extensions"]?["code"] == "RATE_LIMITED")
            #expect(refusal["extensions"]?["retryAt"]?.string.flatMap { Instant($0) } != nil)
        }
    }
}
