import Brokerage
import NIOCore
import NIOHTTP1

/// What every endpoint of Yahoo's hosts goes through: the limit of the address, the crumb, errors as bodies.
struct FakeYahooHost: Sendable {
    let settings: FakeYahooSettings
    let crumbs: FakeYahooCrumb
    let budget: CallQuota
    let scriptedMarket: ScriptedMarket

    /// One request that was let in.
    struct AuthenticatedRequest: Sendable {
        let request: SandboxRequest
        let view: MarketView
        let settings: FakeYahooSettings
    }

    /// An endpoint that anyone may ask.
    func open(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        raw(template) { request in
            .json(
                try answer(
                    AuthenticatedRequest(request: request, view: scriptedMarket.view, settings: settings)))
        }
    }

    /// An endpoint that takes cookie and crumb.
    func closed(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        open(template) { visit in
            try checkCrumb(visit.request)
            return try answer(visit)
        }
    }

    /// An endpoint that does not answer with JSON alone.
    func raw(
        _ template: PathTemplate, _ answer: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        .get(template) { request in
            guard isWelcome(request) else { return .yahooTooManyRequests(settings) }
            do {
                return try answer(request)
            } catch let error as FakeYahooError {
                return SandboxResponse(error)
            }
        }
    }

    private func isWelcome(_ request: SandboxRequest) -> Bool {
        let agent = request.headers.first(name: "User-Agent") ?? ""
        guard !settings.rejectedUserAgents.contains(where: agent.hasPrefix) else { return false }
        guard let limit = settings.requestsPerMinute else { return true }
        let address = request.peer?.ipAddress ?? ""
        return budget.consume(
            for: address, at: scriptedMarket.clock.now, windows: [.init(period: .minute, limit: limit)])
            == nil
    }

    private func checkCrumb(_ request: SandboxRequest) throws(FakeYahooError) {
        guard settings.needsCrumb else { return }
        guard let cookie = crumbs.cookie(in: request.headers, at: scriptedMarket.clock.now),
            request[query: "crumb"] == crumbs.crumb(for: cookie)
        else { throw .unauthorized(settings.unauthorizedDescription) }
    }
}
