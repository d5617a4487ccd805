package import Brokerage
import GraphQL
package import OpenIDConnect
package import Storage
import Upstream

/// The identity of a request: a user, or an anonymous client.
package struct Session: Sendable {
    /// The user; nil for a request without a valid token, which may read public market data only.
    package let owner: OwnerID?
    /// The permitted scopes.
    package let scopes: Set<Scope>
    /// The session that belongs to the request's token; nil for a token of the settings, which is valid until
    /// the process ends.
    package let stored: ActiveSession?
    /// The session of a token of the identity provider; nil for any other token.
    package let bearer: BearerSession?
    /// The reason why the request's token is not valid; nil if it is valid, and if there is none.
    private let tokenRejection: TokenRejection?

    private struct TokenRejection: Sendable {
        let message: String
        var reason: SignInRejection?
        /// The failure that leaves it unknown whether the token is valid.
        var outage: StorageError?
    }

    /// Whether the user is a guest: guests are counted by address for limits.
    package var isGuest: Bool { stored?.isGuest ?? false }

    /// Whether limits count the client by its address.
    ///
    /// True without a session and with a guest session, because one client can create any number of guests.
    package var isLimitedByAddress: Bool { owner == nil || isGuest }

    package init(owner: OwnerID, scopes: Set<Scope>) {
        self.init(owner, scopes)
    }

    /// A request with the token of a stored session.
    package init(_ session: ActiveSession) {
        self.init(session.owner, session.scopes, stored: session)
    }

    /// A request whose token is unknown or has ended; it has the rights of a request without a token.
    ///
    /// - Parameter reason: The message of fields that need a session, with the reason and a remedy.
    package init(rejectingToken reason: String) {
        self.init(nil, [], refusal: TokenRejection(message: reason))
    }

    /// A request with a token of the identity provider that was verified.
    package init(_ session: BearerSession) {
        self.init(session.owner, session.scopes, bearer: session)
    }

    /// A request with a token of the identity provider that is refused; it has the rights of a request without a token.
    package init(rejectingToken reason: SignInRejection) {
        self.init(nil, [], refusal: TokenRejection(message: reason.message, reason: reason))
    }

    /// A request whose token cannot be checked, because the database does not respond; it has the rights of a request
    /// without a token.
    ///
    /// The token may be valid, so its client must keep it.
    package init(unavailable outage: StorageError) {
        self.init(nil, [], refusal: TokenRejection(message: "", outage: outage))
    }

    private init(
        _ owner: OwnerID?, _ scopes: Set<Scope>, stored: ActiveSession? = nil, bearer: BearerSession? = nil,
        refusal: TokenRejection? = nil
    ) {
        (self.owner, self.scopes) = (owner, scopes)
        (self.stored, self.bearer, tokenRejection) = (stored, bearer, refusal)
    }

    /// A request without a token.
    package static let anonymous = Session(nil, [])
}

extension Session {
    /// The session's id; nil if no session is stored.
    var id: String? { stored?.id }

    /// Whether the request came with a token that is unknown or has ended.
    var hasRejectedToken: Bool { tokenRejection != nil || hasEnded }

    /// Whether the token has ended since the request began.
    private var hasEnded: Bool { validity?.hasEnded ?? false }

    /// The validity of the session; nil for a token of the settings, which is valid until the process ends, and without
    /// one.
    package var validity: SessionValidity? { stored?.validity ?? bearer?.validity }

    /// The error of a field that needs a session, if the request has none.
    var unauthenticated: FieldError {
        if let outage = tokenRejection?.outage { return FieldError(outage) }
        let needsToken = "This field needs a session: send its token as `Authorization: Bearer …`."
        // A session has ended since the request began.
        var error = FieldError(
            .unauthenticated,
            tokenRejection?.message
                ?? (validity == nil ? needsToken : "The session has ended: sign in again."))
        error.reason = tokenRejection?.reason
        return error
    }

    /// The error if a scope is required and not permitted; nil if it is permitted.
    ///
    /// It is called for each root field of a mutation, because the session may have ended since.
    func denial(requiring scope: Scope) -> FieldError? {
        if owner == nil || hasEnded { return unauthenticated }
        if scopes.contains(scope) { return nil }
        let own = Scope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ", ")
        return FieldError(
            .forbidden,
            """
            This field needs a session with the scope \(scope.rawValue); this one has \(own). Sign in again and ask for it \
            with `scopes`.
            """)
    }
}

/// `Session` of the schema: its scopes and its expiry.
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

    /// A request that came with a token of the settings, or of the identity provider.
    init(unstored session: Session, _ user: User) {
        id = NodeID(.session, session.bearer?.id ?? Self.idOfSettings).text
        scopes = Scope.allCases.filter(session.scopes.contains)
        label = nil
        createdAt = session.bearer?.issuedAt ?? user.createdAt
        lastUsedAt = .now
        expiresAt = session.bearer?.expiresAt
        isCurrent = true
    }
}

extension SessionDetails: GraphQLObject {
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

/// A token, which is shown only once, and its session.
struct SessionPayload: Sendable {
    let token: String
    let viewer: Viewer

    init(_ opened: SessionStore.NewSession, _ scope: RequestScope) {
        token = opened.token.text
        viewer = Viewer(
            user: opened.user,
            session: SessionDetails(
                opened.session, ViewerService(scope).authentication.sessions, isCurrent: true))
    }
}

extension SessionPayload: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<SessionPayload>("SessionPayload") {
        Field("token", \.token)
        Field("session", \.viewer.session)
        Field("viewer", \.viewer)
    }
}
