import Brokerage
import NIOHTTP1

/// What every endpoint of Saxo's gateway goes through: who asks, the limit of its service group, errors as
/// bodies, the headers of every answer.
struct SaxoHost: Sendable {
    let sessions: SaxoSessions
    let settings: SaxoSettings
    let limits: SaxoLimits
    let clock: SandboxClock
    let desk: SaxoOrderDesk
    let view: @Sendable () -> MarketView

    /// One request of a user whom the token has proved.
    struct Visit: Sendable {
        let user: SandboxUser
        let client: SaxoClient
        let request: Request
        let view: MarketView
        let now: Instant
        let settings: SaxoSettings
        /// The client's own orders and what became of them, as of ``view``.
        let activity: SaxoActivity

        var format: SaxoFormat { SaxoFormat(writesExponents: settings.writesExponents) }
    }

    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (Visit) throws -> Response
    ) -> Route {
        route(.GET, template, answer)
    }

    /// The first segment of the template is the service group.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, isOrder: Bool = false,
        _ answer: @escaping @Sendable (Visit) throws -> Response
    ) -> Route {
        let group = template.description.split(separator: "/").first.map(String.init) ?? ""
        return Route(method, template) { request in
            var response: Response
            if let user = user(request.headers), let client = user.saxo {
                response = answered(request, by: user, client, group: group, isOrder: isOrder, answer)
            } else {
                response = Response(.unauthorized, refusesOrdersWithOK: true)
            }
            response.headers.replaceOrAdd(name: "X-Correlation", value: Self.correlation(request, clock.now))
            if let id = request.headers.first(name: "X-Request-ID") {
                response.headers.replaceOrAdd(name: "X-Request-ID", value: id)
            }
            return response
        }
    }

    /// The user whom a bearer token proves; the scheme's case does not matter.
    func user(_ headers: HTTPHeaders) -> SandboxUser? {
        let words = headers.first(name: "Authorization")?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return sessions.user(ofAccessToken: String(words[1]), at: clock.now)
    }

    private func answered(
        _ request: Request, by user: SandboxUser, _ client: SaxoClient, group: String, isOrder: Bool,
        _ answer: (Visit) throws -> Response
    ) -> Response {
        let now = clock.now
        let standing = limits.take(user.name, group: group, isOrder: isOrder, at: now)
        var response: Response
        do {
            guard !standing.isExceeded else { throw SaxoError.rateLimitExceeded }
            let view = view()
            let visit = Visit(
                user: user, client: client, request: request, view: view, now: now, settings: settings,
                activity: desk.activity(of: client, at: view))
            response = try answer(visit)
        } catch let error as SaxoError {
            response = Response(error, refusesOrdersWithOK: settings.refusesOrdersWithOK)
        } catch {
            response = .saxo(status: 500)
        }
        for header in standing.headers {
            response.headers.replaceOrAdd(name: header.name, value: header.value)
        }
        return response
    }

    private static func correlation(_ request: Request, _ now: Instant) -> String {
        let noise = Noise(seed: UInt64(bitPattern: now.secondsSince1970)).branch(
            request.path.joined(separator: "/"))
        return "\(UUIDText.version8(noise.bits(0), noise.bits(1)))#1"
    }
}
