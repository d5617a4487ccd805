import Brokerage
import NIOHTTP1

/// What every endpoint of one of Alpaca's hosts goes through: who asks, the rate limit, errors as bodies.
struct FakeAlpacaHost: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let limiter: MinuteRateLimiter
    let clock: SandboxClock
    let view: @Sendable () -> MarketView

    /// One request of a user whom the door has let in.
    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let request: SandboxRequest
        let view: MarketView
        /// By the sandbox's clock, whatever the market's script says.
        let now: Instant
    }

    /// An endpoint that reads.
    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        route(.GET, template, scope: nil) { .json(try answer($0)) }
    }

    /// An endpoint of any kind; an OAuth token without the scope is refused.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, scope: FakeAlpacaScope?,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(method, template) { request in
            do {
                let visitor = try authenticator.authenticate(request.headers)
                if let scope, !visitor.may(scope) { throw FakeAlpacaError.forbidden }
                return try respond(to: request, for: visitor.user, answer)
            } catch let error as FakeAlpacaError {
                return SandboxResponse(error)
            }
        }
    }

    private func respond(
        to request: SandboxRequest, for user: SandboxUser,
        _ answer: (AuthenticatedRequest) throws -> SandboxResponse
    ) throws -> SandboxResponse {
        let now = clock.now
        let standing = limiter.consume(for: user.name, at: Int(now.secondsSince1970))
        var response: SandboxResponse
        do {
            guard !standing.isExceeded else { throw FakeAlpacaError.rateLimitExceeded }
            response = try answer(AuthenticatedRequest(user: user, request: request, view: view(), now: now))
        } catch let error as FakeAlpacaError {
            response = SandboxResponse(error)
        }
        response.headers.add(name: "X-RateLimit-Limit", value: String(standing.limit))
        response.headers.add(name: "X-RateLimit-Remaining", value: String(standing.remaining))
        response.headers.add(name: "X-RateLimit-Reset", value: String(standing.reset))
        return response
    }
}
