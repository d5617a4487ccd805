import Brokerage
import Coordination
import EngineTestSupport
import PorticoCore
import Storage
import Testing

@Suite("Failed sign-ins that several processes count together")
struct SharedSignInThrottleTests {
    private static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    /// Two processes with one database, by whose clock attempts count.
    private static func throttles() throws -> ([SignInThrottle], SQLDatabase) {
        let test = try TestDatabase(.postgresql, Folder())
        let files = try (0..<2).map { _ in try test.open() }
        return (files.map { SignInThrottle(AttemptStore(in: $0)) }, files[0].database)
    }

    @Test("are refused as by one process, whichever process gets them")
    func failures() async throws {
        let (throttles, database) = try Self.throttles()
        let alone = SignInThrottle()
        let users = ["ann": try SignInThrottleTests.user("ann"), "bob": try SignInThrottleTests.user("bob")]
        for index in 0..<40 {
            // Every failure comes at the time at which the last one permits it, or too early.
            let now = Self.start + .seconds(index * 3)
            try await database.setClock(to: now)
            let address = ClientOrigin(UInt64(index % 3))
            let name = index % 5 == 0 ? "bob" : "ann"
            var expected: Instant?
            do {
                let attempt = try await alone.begin(
                    user: name, registered: users[name], from: address, now: now)
                if index % 11 == 10 { await alone.succeeded(attempt, now: now) }
                if index % 13 == 12 { await alone.withdraw(attempt, now: now) }
            } catch let refusal as SignInThrottle.RetryLater {
                expected = refusal.retryAt
            }
            var found: Instant?
            do {
                let throttle = throttles[index % 2]
                let attempt = try await throttle.begin(
                    user: name, registered: users[name], from: address, now: now)
                if index % 11 == 10 { await throttle.succeeded(attempt, now: now) }
                if index % 13 == 12 { await throttle.withdraw(attempt, now: now) }
            } catch let refusal as SignInThrottle.RetryLater {
                found = refusal.retryAt
            }
            #expect(found == expected, "attempt \(index)")
        }
    }

    @Test("are counted when they begin, also those that begin at the same time at several processes")
    func concurrent() async throws {
        let (throttles, database) = try Self.throttles()
        try await database.setClock(to: Self.start)
        let address = ClientOrigin(1)
        func begun(_ count: Int) async throws -> Int {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<count {
                    group.addTask {
                        do {
                            _ = try await throttles[index % 2].begin(
                                user: "ann", from: address, session: nil, now: Self.start)
                            return true
                        } catch is SignInThrottle.RetryLater {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(try await begun(24) == 5)
        // An address that has signed in at one process is a known client at the other one: five attempts are free.
        let (other, bob) = (ClientOrigin(2), try SignInThrottleTests.user("bob"))
        let first = try await throttles[0].begin(
            user: "bob", registered: bob, from: other, now: Self.start)
        #expect(!first.isKnown)
        await throttles[0].succeeded(first, now: Self.start)
        for index in 0..<5 {
            let attempt = try await throttles[index % 2].begin(
                user: "bob", registered: bob, from: other, now: Self.start)
            #expect(attempt.isKnown)
        }
        for throttle in throttles {
            await #expect(throws: SignInThrottle.RetryLater.self) {
                try await throttle.begin(user: "bob", registered: bob, from: other, now: Self.start)
            }
        }
    }

    @Test("leave no row when they are withdrawn")
    func withdrawn() async throws {
        let file = try TestDatabase(.postgresql, Folder()).open()
        let throttle = SignInThrottle(AttemptStore(in: file))
        for number in 0..<10 {
            let attempt = try await throttle.begin(
                user: "user \(number)", from: ClientOrigin(UInt64(number)), now: Self.start)
            await throttle.withdraw(attempt, now: Self.start)
        }
        let rows: Int? = try await file.database.read { try $0.value("SELECT count(*) FROM attempt") }
        #expect(rows == 0)
    }

    @Test("limit new users over all processes")
    func rate() async throws {
        let (throttles, database) = try Self.throttles()
        let rate = CallRate(burst: 3, every: .seconds(10))
        func consume(_ index: Int, _ address: UInt64, after seconds: Int) async throws -> Duration? {
            try await database.setClock(to: Self.start + .seconds(seconds))
            do {
                try await throttles[index % 2].consume(
                    "new users", from: ClientOrigin(address), rate,
                    total: CallRate(burst: 5, every: .seconds(1)),
                    now: Self.start + .seconds(seconds))
                return nil
            } catch let refusal as CallRateLimiter<ClientOrigin>.Refusal {
                return refusal.retryAfter
            }
        }
        for index in 0..<3 { #expect(try await consume(index, 1, after: 0) == nil) }
        #expect(try await consume(0, 1, after: 0) == .seconds(10))
        #expect(try await consume(1, 1, after: 10) == nil)
        #expect(try await consume(0, 1, after: 10) == .seconds(10))
        // Another client has its own rate, within that of all clients.
        for index in 0..<3 { #expect(try await consume(index, 2, after: 10) == nil) }
        #expect(try await consume(0, 3, after: 10) == nil)
        #expect(try await consume(1, 4, after: 10) == .seconds(1))
        // A call without an effect is removed from both counts, by any process.
        await throttles[1].refund(
            "new users", from: ClientOrigin(2), rate, total: CallRate(burst: 5, every: .seconds(1)),
            now: Self.start + .seconds(10))
        #expect(try await consume(0, 2, after: 10) == nil)
        #expect(try await consume(1, 2, after: 10) == .seconds(10))
        #expect(try await consume(1, 4, after: 10) == .seconds(1))
    }
}
