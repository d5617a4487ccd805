import Brokerage
import GraphQL
import Storage
import Upstream

/// `Node` of the schema: whatever `node` finds.
enum Node: Sendable {
    case account(LinkedAccount)
    case connection(Connection)
    case goal(LinkedGoal)
    case order(LinkedOrder)
    case session(SessionDetails)
    case user(Viewer)
    case watchlist(Watchlist)
}

extension Node: GraphQLAbstract {
    static let graphQL = Abstract<Node>("Node") {
        Case(LinkedAccount.self) { if case .account(let account) = $0 { account } else { nil } }
        Case(Connection.self) { if case .connection(let connection) = $0 { connection } else { nil } }
        Case(LinkedGoal.self) { if case .goal(let goal) = $0 { goal } else { nil } }
        Case(LinkedOrder.self) { if case .order(let order) = $0 { order } else { nil } }
        Case(SessionDetails.self) { if case .session(let session) = $0 { session } else { nil } }
        Case(Viewer.self) { if case .user(let viewer) = $0 { viewer } else { nil } }
        Case(Watchlist.self) { if case .watchlist(let watchlist) = $0 { watchlist } else { nil } }
    }
}

extension GatewayContext {
    /// What has this id; nil where it is not the session's to see.
    func node(_ text: String) throws -> Loading<Node?> {
        guard let owner = session.owner else { throw FieldError.unauthenticated }
        guard let id = NodeID(text) else { return .ready(nil) }
        switch id.kind {
        case .account:
            let link = backends.links(of: owner).first { link in
                link.broker.map { text.hasPrefix($0.globalID(ofAccount: "")) } ?? false
            }
            guard let link else { return .ready(nil) }
            return accounts(of: link).map { accounts in
                accounts?.first { $0.globalID == text }.map { .account($0) }
            }
        case .connection:
            let found = backends.links(of: owner).first { $0.id == id.rest }
            return .ready(found.map { .connection($0) })
        case .goal: return try goal(id: text).map { $0.map { .goal($0) } }
        case .order: return orderIfAny(text).map { $0.map { .order($0) } }
        case .session:
            let current = session.id.map { NodeID(.session, $0).text }
            let found = keptSessions(of: owner, currentID: current).first { $0.id == text }
            return .ready(found.map { .session($0) })
        case .user:
            guard id.rest == owner.text else { return .ready(nil) }
            return try viewer().map { $0.map { .user($0) } }
        case .watchlist: return try watchlist(id: text).map { $0.map { .watchlist($0) } }
        }
    }
}
