import Brokerage
import Coordination
import Storage
import Testing

@Suite("Failed attempts to sign in")
struct SignInThrottleTests {
    private static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    /// A user with a new password.
    static func user(_ name: String) throws -> UserStore.Registered {
        UserStore.Registered(
            user: User(
                id: try #require(OwnerID("id of \(name)")), kind: .named(name), isAdmin: false,
                createdAt: start),
            hash: PasswordHash(matchingNothing: .standard))
    }

    /// How long somebody waits before each of so many failures, in seconds, who comes back as early as may be.
    private static func waits(
        _ attempts: SignInThrottle, count: Int, user: (Int) -> String, address: (Int) -> UInt64,
        registered: UserStore.Registered? = nil, session: String? = nil
    ) async throws -> [Int64] {
        var now = start
        var waits: [Int64] = []
        for number in 0..<count {
            let before = now
            while waits.count == number {
                do {
                    _ = try await attempts.begin(
                        user: user(number), registered: registered, from: ClientOrigin(address(number)),
                        session: session, now: now)
                    waits.append(now.secondsSince1970 - before.secondsSince1970)
                } catch let refusal as SignInThrottle.RetryLater {
                    try #require(refusal.retryAt > now)
                    now = refusal.retryAt
                }
            }
        }
        return waits
    }

    @Test(
        "of one user from one address: the first are free, then the waits double, up to a quarter of an hour")
    func doubles() async throws {
        let waits = try await Self.waits(
            SignInThrottle(), count: 18, user: { _ in "ann" }, address: { _ in 1 })
        #expect(waits == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    }

    @Test("from one address, for many users")
    func address() async throws {
        let waits = try await Self.waits(
            SignInThrottle(), count: 33, user: { "user \($0)" }, address: { _ in 1 })
        #expect(waits.prefix(30).allSatisfy { $0 == 0 })
        #expect(waits.suffix(3) == [1, 2, 4])
    }

    @Test("of one user from many addresses: the wait never prevents the user from signing in")
    func user() async throws {
        let waits = try await Self.waits(
            SignInThrottle(), count: 60, user: { _ in "ann" }, address: { UInt64($0) })
        #expect(waits.prefix(50).allSatisfy { $0 == 0 })
        #expect(waits.suffix(10) == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30])
    }

    @Test("with a copy of a user's token: the waits stay so short that the user can sign in")
    func copiedToken() async throws {
        let waits = try await Self.waits(
            SignInThrottle(), count: 14, user: { _ in "ann" }, address: { UInt64($0) }, session: "s")
        #expect(waits == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30, 30])
    }

    @Test(
        "from an address that has signed in as the user: the first waits are those of an invented name, the longest is short",
        arguments: [
            ("ann", [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30]),
            ("invented", [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64]),
        ])
    func knownAddress(name: String, expected: [Int64]) async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        await attempts.know(ClientOrigin(1), of: ann, now: Self.start)
        let waits = try await Self.waits(
            attempts, count: 12, user: { _ in name }, address: { _ in 1 },
            registered: name == "ann" ? ann : nil)
        #expect(waits == expected)
    }

    @Test("are those of a known client only for the user and password that have signed in from the address")
    func otherUser() async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        let first = try await attempts.begin(
            user: "ann", registered: ann, from: ClientOrigin(1), now: Self.start)
        await attempts.succeeded(first, now: Self.start)
        let examples: [(name: String, user: UserStore.Registered?, address: UInt64, isKnown: Bool)] = [
            ("ann", ann, 1, true), ("ann", ann, 2, false), ("ann", nil, 1, false),
            // Another password, or a later user with the name.
            ("ann", try Self.user("ann"), 1, false), ("ann", try Self.user("bob"), 1, false),
            ("id of ann", nil, 1, false),
        ]
        for (name, user, address, isKnown) in examples {
            let attempt = try await attempts.begin(
                user: name, registered: user, from: ClientOrigin(address), now: Self.start)
            await attempts.withdraw(attempt, now: Self.start)
            #expect(attempt.isKnown == isKnown, "\(name) \(address)")
        }
    }

    @Test("are reset by a success, and after an hour")
    func forgets() async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        func fail(_ now: Instant) async throws -> SignInThrottle.Attempt {
            try await attempts.begin(user: "ann", registered: ann, from: ClientOrigin(1), now: now)
        }
        var last: SignInThrottle.Attempt?
        for _ in 0..<5 { last = try await fail(Self.start) }
        await #expect(throws: SignInThrottle.RetryLater.self) { try await fail(Self.start) }
        await attempts.succeeded(try #require(last), now: Self.start)
        // The client is known now.
        for _ in 0..<5 { _ = try await fail(Self.start) }
        await #expect(throws: SignInThrottle.RetryLater.self) { try await fail(Self.start) }
        let later = Self.start + Duration.seconds(3_601)
        for _ in 0..<5 { _ = try await fail(later) }
        await #expect(throws: SignInThrottle.RetryLater.self) { try await fail(later) }
    }

    @Test("are not counted if they are withdrawn, because no password was compared")
    func withdrawn() async throws {
        let attempts = SignInThrottle()
        for number in 0..<100 {
            let attempt = try await attempts.begin(user: "ann", from: ClientOrigin(1), now: Self.start)
            await attempts.withdraw(attempt, now: Self.start)
            if number < 4 {
                _ = try await attempts.begin(user: "ann", from: ClientOrigin(1), now: Self.start)
            }
        }
        let fifth = try await attempts.begin(user: "ann", from: ClientOrigin(1), now: Self.start)
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", from: ClientOrigin(1), now: Self.start)
        }
        await attempts.withdraw(fifth, now: Self.start)
        _ = try await attempts.begin(user: "ann", from: ClientOrigin(1), now: Self.start)
    }

    @Test("of other clients do not block a known client, neither by name nor by address")
    func known() async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        await attempts.know(ClientOrigin(1), of: ann, now: Self.start)
        // For the name, from a hundred addresses.
        for address in 0..<100 as Range<UInt64> {
            _ = try? await attempts.begin(user: "ann", from: ClientOrigin(100 + address), now: Self.start)
        }
        // For other names, from Ann's address.
        for name in 0..<100 {
            _ = try? await attempts.begin(user: "user \(name)", from: ClientOrigin(1), now: Self.start)
        }
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", from: ClientOrigin(2), now: Self.start)
        }
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "bob", from: ClientOrigin(1), now: Self.start)
        }
        let own = try await attempts.begin(
            user: "ann", registered: ann, from: ClientOrigin(1), now: Self.start)
        #expect(own.isKnown)
    }

    @Test("of other clients at a user's own address do not block a session of that user")
    func session() async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        await attempts.know(ClientOrigin(1), of: ann, now: Self.start)
        for _ in 0..<100 {
            _ = try? await attempts.begin(
                user: "ann", registered: ann, from: ClientOrigin(1), now: Self.start)
        }
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", registered: ann, from: ClientOrigin(1), now: Self.start)
        }
        let own = try await attempts.begin(user: "ann", from: ClientOrigin(1), session: "s", now: Self.start)
        #expect(own.isKnown)
        for _ in 0..<4 {
            _ = try await attempts.begin(user: "ann", from: ClientOrigin(1), session: "s", now: Self.start)
        }
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", from: ClientOrigin(1), session: "s", now: Self.start)
        }
    }

    @Test("are stored within limits, the latest first")
    func bounded() async throws {
        let attempts = SignInThrottle(LocalAttempts(capacity: 30))
        let users = try (0..<1_000).map { try Self.user("user \($0)") }
        for (number, user) in users.enumerated() {
            let now = Self.start + Duration.seconds(number)
            let origin = ClientOrigin(UInt64(number) + 10)
            _ = try await attempts.begin(
                user: "user \(number)", registered: user, from: origin, now: now)
            await attempts.know(origin, of: user, now: now)
        }
        let end = Self.start + Duration.seconds(1_000)
        for _ in 0..<5 { _ = try await attempts.begin(user: "ann", from: ClientOrigin(1), now: end) }
        await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", from: ClientOrigin(1), now: end)
        }
        for (number, isKnown) in [(999, true), (1, false)] {
            let attempt = try await attempts.begin(
                user: "user \(number)", registered: users[number],
                from: ClientOrigin(UInt64(number) + 10), now: end)
            #expect(attempt.isKnown == isKnown, "\(number)")
        }
    }

    @Test(
        "of a thousand invented names do not remove the wait of another name",
        arguments: [("failed", false), ("withdrawn, because the queue of hashes is full", true)])
    func flood(name: String, isWithdrawn: Bool) async throws {
        let attempts = SignInThrottle(LocalAttempts(capacity: 30))
        // Fifteen failures: the last one causes the longest wait, of 900 s.
        let waits = try await Self.waits(attempts, count: 15, user: { _ in "ann" }, address: { _ in 1 })
        #expect(waits.reduce(0, +) == 1_023)
        let (last, now) = (Self.start + .seconds(1_023), Self.start + .seconds(1_024))
        for number in 0..<1_000 {
            let origin = ClientOrigin(UInt64(number) + 10)
            let attempt = try await attempts.begin(user: "user \(number)", from: origin, now: now)
            if isWithdrawn { await attempts.withdraw(attempt, now: now) }
        }
        let refusal = await #expect(throws: SignInThrottle.RetryLater.self) {
            try await attempts.begin(user: "ann", from: ClientOrigin(1), now: now)
        }
        #expect(refusal?.retryAt == last + .seconds(900))
    }

    @Test("leave no record when they are withdrawn, and none of the address and the name when they succeed")
    func noRecord() async throws {
        let (local, address) = (LocalAttempts(), ClientOrigin(1))
        let attempts = SignInThrottle(local)
        let subjects = [AttemptSubject.userAtAddress("ann", address), .address(address), .user("ann")]
        func records() async throws -> [AttemptSubject: AttemptRecord] {
            try await local.update(subjects, keptFor: .seconds(60), now: Self.start) { records, _ in records }
        }
        let first = try await attempts.begin(user: "ann", from: address, now: Self.start)
        #expect(try await records().count == 3)
        await attempts.withdraw(first, now: Self.start)
        #expect(try await records().isEmpty)
        let second = try await attempts.begin(user: "ann", from: address, now: Self.start)
        await attempts.succeeded(second, now: Self.start)
        #expect(try await records().isEmpty)
    }

    @Test("of an address that has not signed in for 90 days count as those of another one")
    func forgottenAddress() async throws {
        let (attempts, ann) = (SignInThrottle(), try Self.user("ann"))
        await attempts.know(ClientOrigin(1), of: ann, now: Self.start)
        for (days, isKnown) in [(90, true), (91, false)] {
            let attempt = try await attempts.begin(
                user: "ann", registered: ann, from: ClientOrigin(1),
                now: Self.start + .seconds(days * 86_400))
            #expect(attempt.isKnown == isKnown, "\(days) days")
        }
    }
}
