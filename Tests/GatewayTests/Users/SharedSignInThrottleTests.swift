import Brokerage
import Foundation
import Gateway
import Storage
import TestSupport
import Testing

@Suite("Failed sign-ins that several processes count together")
struct SharedSignInThrottleTests {
    private static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    /// Two processes with one database.
    private static func throttles() throws -> [SharedSignInThrottle] {
        let cluster = try PostgresCluster.shared.get()
        let url = try PostgresURL(
            cluster.url(), origin: "the test's URL",
            schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        // Long enough for a machine with many tests.
        var limits = PostgresLimits()
        (limits.lookUp, limits.transaction, limits.start) = (.seconds(60), .seconds(60), .seconds(60))
        return try (0..<2).map { [limits] _ in
            SharedSignInThrottle(
                memory: SignInThrottle(),
                store: try UserStore(in: UserDatabase(at: url, limits)).attempts)
        }
    }

    @Test("are refused as by one process, whichever process gets them")
    func failures() async throws {
        let throttles = try Self.throttles()
        let alone = SignInThrottle()
        for index in 0..<40 {
            // Every failure comes at the time at which the last one permits it, or too early.
            let now = Self.start + .seconds(index * 3)
            let address = ClientOrigin(UInt64(index % 3))
            let name = index % 5 == 0 ? "bob" : "ann"
            var expected: Instant?
            do throws(SignInThrottle.RetryLater) {
                let attempt = try alone.begin(user: name, from: address, now: now)
                if index % 11 == 10 { alone.succeeded(attempt, now: now) }
                if index % 13 == 12 { alone.withdraw(attempt) }
            } catch {
                expected = error.retryAt
            }
            var found: Instant?
            do {
                let throttle = throttles[index % 2]
                let attempt = try await throttle.begin(user: name, from: address, session: nil, now: now)
                if index % 11 == 10 { await throttle.succeeded(attempt, now: now) }
                if index % 13 == 12 { await throttle.withdraw(attempt, now: now) }
            } catch let refusal as SignInThrottle.RetryLater {
                found = refusal.retryAt
            }
            #expect(found == expected, "attempt \(index)")
        }
    }

    @Test("limit new users over all processes")
    func rate() async throws {
        let throttles = try Self.throttles()
        let rate = CallRate(burst: 3, every: .seconds(10))
        func consume(_ index: Int, _ address: UInt64, after seconds: Int) async throws -> Duration? {
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
    }
}
