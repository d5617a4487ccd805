import Brokerage
import NIOHTTP1

/// What every endpoint of Saxo's gateway goes through: who asks, the limit of its service group, errors as
/// bodies, the headers of every answer.
struct FakeSaxoHost: Sendable {
    let sessions: FakeSaxoSessions
    let settings: FakeSaxoSettings
    let limits: FakeSaxoLimits
    let clock: SandboxClock
    let orderBook: FakeSaxoOrderBook
    let view: @Sendable () -> MarketView

    /// One request of a user whom the token has proved.
    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let client: FakeSaxoClient
        let request: SandboxRequest
        let view: MarketView
        let now: Instant
        let settings: FakeSaxoSettings
        /// The client's own orders and what became of them, as of ``view``.
        let activity: FakeSaxoActivity

        var format: FakeSaxoFormat { FakeSaxoFormat(writesExponents: settings.writesExponents) }
    }

    func get(
        _ template: PathTemplate,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        route(.GET, template, answer)
    }

    /// The first segment of the template is the service group.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, isOrder: Bool = false,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        let group = template.description.split(separator: "/").first.map(String.init) ?? ""
        return SandboxRoute(method, template) { request in
            var response: SandboxResponse
            if let user = user(request.headers), let client = user.saxo {
                response = respond(to: request, for: user, client, group: group, isOrder: isOrder, answer)
            } else {
                response = SandboxResponse(.unauthorized, rejectsOrdersWithOK: true)
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

    private func respond(
        to request: SandboxRequest, for user: SandboxUser, _ client: FakeSaxoClient, group: String,
        isOrder: Bool,
        _ answer: (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxResponse {
        let now = clock.now
        let standing = limits.consume(for: user.name, group: group, isOrder: isOrder, at: now)
        var response: SandboxResponse
        do {
            guard !standing.isExceeded else { throw FakeSaxoError.rateLimitExceeded }
            let view = view()
            let visit = AuthenticatedRequest(
                user: user, client: client, request: request, view: view, now: now, settings: settings,
                activity: orderBook.activity(of: client, at: view))
            response = try answer(visit)
        } catch let error as FakeSaxoError {
            response = SandboxResponse(error, rejectsOrdersWithOK: settings.rejectsOrdersWithOK)
        } catch {
            response = .saxo(status: 500)
        }
        for header in standing.headers {
            response.headers.replaceOrAdd(name: header.name, value: header.value)
        }
        return response
    }

    private static func correlation(_ request: SandboxRequest, _ now: Instant) -> String {
        let noise = SeededRandom(seed: UInt64(bitPattern: now.secondsSince1970)).branch(
            request.path.joined(separator: "/"))
        return "\(UUIDFormat.version8(noise.bits(0), noise.bits(1)))#1"
    }
}
