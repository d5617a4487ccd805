import Brokerage
import NIOHTTP1
import Synchronization

/// The trade level of the users' sessions: one session of a user can have FullTradingAndChat, and gets real-time prices
/// (developer.saxo, "Session capabilities").
///
/// It uses a lock: requests arrive concurrently, and each must change the level in one step.
final class FakeSaxoTradeLevels: Resettable {
    /// The id of a session.
    typealias Session = String

    private let settings: FakeSaxoSettings
    /// The session with the full level, by the name of its user; a nil value is a session of another application.
    private let holders = Mutex<[String: Session?]>([:])

    init(_ settings: FakeSaxoSettings) {
        self.settings = settings
    }

    func isFull(_ session: Session, of user: String) -> Bool {
        holders.withLock { $0[user] == .some(session) }
    }

    /// Gives a session the full level, or takes it from the session.
    func set(_ session: Session?, isFull: Bool, of user: String) {
        holders.withLock { holders in
            if isFull {
                holders[user] = .some(session)
            } else if holders[user] == .some(session) {
                holders[user] = nil
            }
        }
    }

    /// The settings for the prices of a session: those of exchanges are delayed without the full level.
    func settings(of session: Session, _ user: String) -> FakeSaxoSettings {
        guard settings.delaysPricesWithoutTradeLevel, !isFull(session, of: user) else { return settings }
        var settings = settings
        settings.exchangeDelayInMinutes = max(settings.exchangeDelayInMinutes, 15)
        return settings
    }

    func document(of session: Session, _ user: String) -> JSONDocument {
        [
            "AuthenticationLevel": "Authenticated", "DataLevel": "Standard",
            "TradeLevel": isFull(session, of: user) ? "FullTradingAndChat" : "OrdersOnly",
        ]
    }

    func reset() { holders.withLock { $0 = [:] } }
}

/// Saxo's session capabilities: `root/v1/sessions/capabilities`.
struct FakeSaxoSessionCapabilities: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        let path: PathTemplate = "/root/v1/sessions/capabilities"
        return [
            host.get(path) { .json(host.levels.document(of: $0.session, $0.user.name)) },
            host.route(.PATCH, path, change), host.route(.PUT, path, change),
        ]
    }

    private func change(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let level = try FakeSaxoOrderRequest.body(context)["TradeLevel"]?.string
        guard level == "FullTradingAndChat" || level == "OrdersOnly" else {
            throw FakeSaxoError.invalid("TradeLevel", "The value is not valid for TradeLevel.")
        }
        host.levels.set(context.session, isFull: level == "FullTradingAndChat", of: context.user.name)
        return SandboxResponse(status: .accepted)
    }

    /// `POST /_sandbox/saxo/trade-level`: `{"user": "demo"}`: another application of the user takes the full level.
    func control(_ users: [String]) -> [SandboxRoute] {
        [
            .control(.POST, "/saxo/trade-level") { request in
                let json = try JSONDocument(parsing: request.body)
                try json.requireMembers(["user"])
                guard let user = json["user"]?.string, users.contains(user) else {
                    throw ScriptError("\"user\" must be one of \(users)")
                }
                host.levels.set(nil, isFull: true, of: user)
                return SandboxResponse(status: .noContent)
            }
        ]
    }
}
