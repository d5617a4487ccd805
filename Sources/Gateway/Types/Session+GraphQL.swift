import Brokerage
import GraphQL
import Storage

/// `Session` of the schema: what a sign-in may do, and until when.
struct SessionDetails: Sendable {
    /// As the schema gives it.
    let id: String
    let scopes: [Scope]
    let label: String?
    let createdAt: Instant
    let lastUsedAt: Instant
    /// When it ends if it is not used again; nil for a token of the settings, which ends with them.
    let expiresAt: Instant?
    let isCurrent: Bool

    /// The id of the session of a token of the settings, which is not stored.
    static let idOfSettings = "settings"

    init(_ session: ActiveSession, _ store: SessionStore, isCurrent: Bool) {
        id = NodeID(.session, session.id).text
        scopes = Scope.allCases.filter(session.scopes.contains)
        label = session.label
        createdAt = session.createdAt
        lastUsedAt = session.lastUsedAt
        expiresAt = store.end(of: session)
        self.isCurrent = isCurrent
    }

    /// A request that came with a token of the settings.
    init(ofSettings session: Session, _ user: User) {
        id = NodeID(.session, Self.idOfSettings).text
        scopes = Scope.allCases.filter(session.scopes.contains)
        label = nil
        createdAt = user.createdAt
        lastUsedAt = .now
        expiresAt = nil
        isCurrent = true
    }
}

extension SessionDetails: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<SessionDetails>("Session") {
        Field("id", \.id)
        Field("scopes", \.scopes)
        Field("label", \.label)
        Field("createdAt", \.createdAt)
        Field("lastUsedAt", \.lastUsedAt)
        Field("expiresAt", \.expiresAt)
        Field("current", \.isCurrent)
    }
}

/// A token, which is shown this once, and what it is of.
struct SessionPayload: Sendable {
    let token: String
    let viewer: Viewer

    init(_ opened: SessionStore.NewSession, _ context: GatewayContext) {
        token = opened.token.text
        viewer = Viewer(
            user: opened.user,
            session: SessionDetails(opened.session, context.authentication.sessions, isCurrent: true))
    }
}

extension SessionPayload: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<SessionPayload>("SessionPayload") {
        Field("token", \.token)
        Field("session", \.viewer.session)
        Field("viewer", \.viewer)
    }
}
