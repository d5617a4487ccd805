import Brokerage
import IssuerSupport
import OpenIDConnect
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

/// A provider whose clock a test sets.
struct TestProvider: Sendable {
    let provider: IdentityProvider
    /// The time that has passed on its clock.
    let clock: TestClock
    /// The number of failures that the provider has reported.
    let failures: Counter

    /// The configuration of a client of a test's issuer.
    static func configuration(_ issuer: String) throws -> IdentityProviderConfiguration {
        IdentityProviderConfiguration(
            issuer: try #require(HTTPURL(issuer)), clientID: TestIssuer.clientID,
            clientSecret: Secret(TestIssuer.clientSecret))
    }

    /// The reason for which a token is refused; nil if it is accepted.
    func refusal(of token: String, as purpose: TokenPurpose = .bearer) async -> SignInRejection? {
        do {
            _ = try await provider.verify(token, for: purpose)
            return nil
        } catch {
            return error
        }
    }
}

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let start = ContinuousClock.now
    private let startOfWall = Instant.now
    private let passed = Mutex(Duration.zero)

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    var source: TimeSource {
        TimeSource(
            now: { self.start + self.passed.withLock(\.self) },
            wallTime: { self.startOfWall + self.passed.withLock(\.self) }, sleep: { _ in })
    }
}

/// Runs a test with an issuer and a provider that uses it.
func withProvider(
    _ algorithm: IssuerKey.Algorithm = .es256, keyLifetime: Duration = .seconds(86_400),
    _ test: (TestIssuer, TestProvider) async throws -> Void
) async throws {
    try await TestIssuer.with(algorithm) { issuer in
        var configuration = try TestProvider.configuration(issuer.url)
        configuration.keyLifetime = keyLifetime
        try await HTTPClient.with(userAgent: "test") { transport in
            let clock = TestClock()
            let failures = Counter()
            let provider = IdentityProvider(
                configuration, over: transport, clock: clock.source, report: { _ in failures.increment() })
            try await test(issuer, TestProvider(provider: provider, clock: clock, failures: failures))
        }
    }
}
