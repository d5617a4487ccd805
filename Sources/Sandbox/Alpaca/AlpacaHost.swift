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
    }

    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (Visit) throws -> JSON
    ) -> Route {
        .get(template) { request in
            do {
                let user = try door.visitor(request.headers).user
                return try answered(request, by: user, answer)
            } catch let error as AlpacaError {
                return Response(error)
            }
        }
    }

    private func answered(
        _ request: Request, by user: SandboxUser, _ answer: (Visit) throws -> JSON
    ) throws -> Response {
        let standing = limiter.take(user.name, at: Int(clock.now.secondsSince1970))
        var response: Response
        do {
            guard !standing.isExceeded else { throw AlpacaError.rateLimitExceeded }
            response = .json(try answer(Visit(user: user, request: request, view: view())))
        } catch let error as AlpacaError {
            response = Response(error)
        }
        response.headers.add(name: "X-RateLimit-Limit", value: String(standing.limit))
        response.headers.add(name: "X-RateLimit-Remaining", value: String(standing.remaining))
        response.headers.add(name: "X-RateLimit-Reset", value: String(standing.reset))
        return response
    }
}
