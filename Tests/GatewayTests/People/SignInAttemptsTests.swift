import Brokerage
import Testing

@testable import Gateway

@Suite("Failed attempts to sign in")
struct SignInAttemptsTests {
    private static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    /// How long somebody waits before each of so many failures, in seconds, who comes back as early as may be.
    private static func waits(
        _ attempts: SignInAttempts, count: Int, user: (Int) -> String, address: (Int) -> UInt64
    ) throws -> [Int64] {
        var now = start
        return try (0..<count).map { number in
            let before = now
            while true {
                do throws(SignInAttempts.TooEarly) {
                    try attempts.begin(user: user(number), address: RequestOrigin(address(number)), now: now)
                    return now.secondsSince1970 - before.secondsSince1970
                } catch {
                    try #require(error.retryAt > now)
                    now = error.retryAt
                }
            }
        }
    }

    @Test("of one user from one address: some are free, then the waits double, to a quarter of an hour")
    func doubles() throws {
        let waits = try Self.waits(SignInAttempts(), count: 18, user: { _ in "ann" }, address: { _ in 1 })
        #expect(waits == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    }

    @Test("from one address, for many users")
    func address() throws {
        let waits = try Self.waits(SignInAttempts(), count: 33, user: { "user \($0)" }, address: { _ in 1 })
        #expect(waits.prefix(30).allSatisfy { $0 == 0 })
        #expect(waits.suffix(3) == [1, 2, 4])
    }

    @Test("of one user from many addresses: never so long that the user is kept out")
    func user() throws {
        let waits = try Self.waits(SignInAttempts(), count: 60, user: { _ in "ann" }, address: { UInt64($0) })
        #expect(waits.prefix(50).allSatisfy { $0 == 0 })
        #expect(waits.suffix(10) == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30])
    }

    @Test("are forgotten by a success, and after an hour")
    func forgets() throws {
        let attempts = SignInAttempts()
        func fail(_ now: Instant) -> Bool {
            (try? attempts.begin(user: "ann", address: RequestOrigin(1), now: now)) != nil
        }
        for _ in 0..<5 { #expect(fail(Self.start)) }
        #expect(!fail(Self.start))
        attempts.succeeded(user: "ann", address: RequestOrigin(1))
        for _ in 0..<5 { #expect(fail(Self.start)) }
        #expect(!fail(Self.start))
        let later = Self.start + Duration.seconds(3_601)
        for _ in 0..<5 { #expect(fail(later)) }
        #expect(!fail(later))
    }

    @Test("are remembered within bounds, the latest first")
    func bounded() throws {
        let attempts = SignInAttempts(capacity: 30)
        for number in 0..<1_000 {
            let now = Self.start + Duration.seconds(number)
            try attempts.begin(user: "user \(number)", address: RequestOrigin(UInt64(number) + 10), now: now)
        }
        let end = Self.start + Duration.seconds(1_000)
        for _ in 0..<5 { try attempts.begin(user: "ann", address: RequestOrigin(1), now: end) }
        #expect(throws: SignInAttempts.TooEarly.self) {
            try attempts.begin(user: "ann", address: RequestOrigin(1), now: end)
        }
    }

    @Test("guests and new users from one address: so many at once, then one after the other")
    func arrivals() throws {
        let allowance = ArrivalAllowance(burst: 3, every: .seconds(60))
        for _ in 0..<3 { #expect(allowance.take(RequestOrigin(1), now: Self.start) == nil) }
        #expect(allowance.take(RequestOrigin(1), now: Self.start) == Self.start + Duration.seconds(60))
        #expect(allowance.take(RequestOrigin(2), now: Self.start) == nil)
        let later = Self.start + Duration.seconds(60)
        #expect(allowance.take(RequestOrigin(1), now: later) == nil)
        #expect(allowance.take(RequestOrigin(1), now: later) == later + Duration.seconds(60))
        let idle = Self.start + Duration.seconds(86_400)
        for _ in 0..<3 { #expect(allowance.take(RequestOrigin(1), now: idle) == nil) }
        #expect(allowance.take(RequestOrigin(1), now: idle) != nil)
    }
}
