package import Storage
package import Upstream

/// Who asks: a user, or nobody in particular.
package struct Session: Hashable, Sendable {
    /// The user; nil for a request without a token, which may see public market data only.
    package let owner: OwnerID?
    /// What it may do.
    package let scopes: Set<Scope>
    /// The session's own id; nil for a token of the settings, which ends with them.
    package let id: String?

    package init(owner: OwnerID, scopes: Set<Scope>, id: String? = nil) {
        self.owner = owner
        self.scopes = scopes
        self.id = id
    }

    /// A request with the token of a session that is kept.
    package init(_ session: LiveSession) {
        self.init(owner: session.owner, scopes: session.scopes, id: session.id)
    }

    private init() {
        owner = nil
        scopes = []
        id = nil
    }

    /// A request without a token.
    package static let anonymous = Session()
}

extension Session {
    /// Why it may not ask for what needs a scope; nil where it may.
    func refusal(needing scope: Scope) -> FieldError? {
        if owner == nil { return .unauthenticated }
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
