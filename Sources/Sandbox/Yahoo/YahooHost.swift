import Brokerage
import NIOCore
import NIOHTTP1

/// What every endpoint of Yahoo's hosts goes through: the limit of the address, the crumb, errors as bodies.
struct YahooHost: Sendable {
    let settings: YahooSettings
    let pass: YahooPass
    let budget: CallBudget
    let stage: Stage

    /// One request that was let in.
    struct Visit: Sendable {
        let request: Request
        let view: MarketView
        let settings: YahooSettings
    }

    /// An endpoint that anyone may ask.
    func open(
        _ template: PathTemplate, _ answer: @escaping @Sendable (Visit) throws -> JSON
    ) -> Route {
        raw(template) { request in
            .json(try answer(Visit(request: request, view: stage.view, settings: settings)))
        }
    }

    /// An endpoint that takes cookie and crumb.
    func closed(
        _ template: PathTemplate, _ answer: @escaping @Sendable (Visit) throws -> JSON
    ) -> Route {
        open(template) { visit in
            try checkCrumb(visit.request)
            return try answer(visit)
        }
    }

    /// An endpoint that does not answer with JSON alone.
    func raw(_ template: PathTemplate, _ answer: @escaping @Sendable (Request) throws -> Response) -> Route {
        .get(template) { request in
            guard isWelcome(request) else { return .yahooTooManyRequests(settings) }
            do {
                return try answer(request)
            } catch let error as YahooError {
                return Response(error)
            }
        }
    }

    private func isWelcome(_ request: Request) -> Bool {
        let agent = request.headers.first(name: "User-Agent") ?? ""
        guard !settings.refusedUserAgents.contains(where: agent.hasPrefix) else { return false }
        guard let limit = settings.requestsPerMinute else { return true }
        let address = request.peer?.ipAddress ?? ""
        return budget.take(address, at: stage.clock.now, windows: [.init(period: .minute, limit: limit)])
            == nil
    }

    private func checkCrumb(_ request: Request) throws(YahooError) {
        guard settings.needsCrumb else { return }
        guard let cookie = pass.cookie(in: request.headers, at: stage.clock.now),
            request[query: "crumb"] == pass.crumb(for: cookie)
        else { throw .unauthorized(settings.unauthorizedDescription) }
    }
}
