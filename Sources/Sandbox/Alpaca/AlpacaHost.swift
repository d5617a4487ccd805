import Brokerage
import NIOHTTP1

/// What every endpoint of one of Alpaca's hosts goes through: who asks, the rate limit, errors as bodies.
struct AlpacaHost: Sendable {
    let door: AlpacaDoor
    let limiter: RateLimiter
    let clock: SandboxClock
    let view: @Sendable () -> MarketView

    /// One request of a user whom the door has let in.
    struct Visit: Sendable {
        let user: SandboxUser
        let request: Request
        let view: MarketView
        /// By the sandbox's clock, whatever the market's script says.
        let now: Instant
    }

    /// An endpoint that reads.
    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (Visit) throws -> JSON
    ) -> Route {
        route(.GET, template, scope: nil) { .json(try answer($0)) }
    }

    /// An endpoint of any kind; an OAuth token without the scope is refused.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, scope: AlpacaScope?,
        _ answer: @escaping @Sendable (Visit) throws -> Response
    ) -> Route {
        Route(method, template) { request in
            do {
                let visitor = try door.visitor(request.headers)
                if let scope, !visitor.may(scope) { throw AlpacaError.forbidden }
                return try answered(request, by: visitor.user, answer)
            } catch let error as AlpacaError {
                return Response(error)
            }
        }
    }

    private func answered(
        _ request: Request, by user: SandboxUser, _ answer: (Visit) throws -> Response
    ) throws -> Response {
        let now = clock.now
        let standing = limiter.take(user.name, at: Int(now.secondsSince1970))
        var response: Response
        do {
            guard !standing.isExceeded else { throw AlpacaError.rateLimitExceeded }
            response = try answer(Visit(user: user, request: request, view: view(), now: now))
        } catch let error as AlpacaError {
            response = Response(error)
        }
        response.headers.add(name: "X-RateLimit-Limit", value: String(standing.limit))
        response.headers.add(name: "X-RateLimit-Remaining", value: String(standing.remaining))
        response.headers.add(name: "X-RateLimit-Reset", value: String(standing.reset))
        return response
    }
}
