package import Storage
package import Upstream

/// Who asks: a user, or nobody in particular.
package struct Session: Sendable {
    /// The user; nil for a request without a valid token, which may see public market data only.
    package let owner: OwnerID?
    /// What it may do.
    package let scopes: Set<Scope>
    /// The session as the request's token opened it; nil for a token of the settings, which ends with them.
    package let kept: LiveSession?
    /// Why the request's token is of no use; nil where it is valid, and where there is none.
    private let refusal: String?

    /// Whether the user is a guest.
    package var isGuest: Bool { kept?.isGuest ?? false }

    /// Whether limits count the client by its address: without a session and with a guest's, since anybody can become any
    /// number of guests.
    package var isLimitedByAddress: Bool { owner == nil || isGuest }

    package init(owner: OwnerID, scopes: Set<Scope>) {
        self.init(owner, scopes)
    }

    /// A request with the token of a session that is kept.
    package init(_ session: LiveSession) {
        self.init(session.owner, session.scopes, kept: session)
    }

    /// A request whose token is unknown or has ended: it may do what a request without a token may.
    ///
    /// - Parameter reason: What the fields say that need a session: why it has none, and what would help.
    package init(refusingToken reason: String) {
        self.init(nil, [], refusal: reason)
    }

    private init(
        _ owner: OwnerID?, _ scopes: Set<Scope>, kept: LiveSession? = nil, refusal: String? = nil
    ) {
        self.owner = owner
        self.scopes = scopes
        self.kept = kept
        self.refusal = refusal
    }

    /// A request without a token.
    package static let anonymous = Session(nil, [])
}

extension Session {
    /// The session's id; nil where none is kept.
    var id: String? { kept?.id }

    /// The request came with a token, and that is unknown or has ended.
    var hasRefusedToken: Bool { refusal != nil }

    /// What a field says that needs a session, where the request has none.
    var unauthenticated: FieldError {
        let needsToken = "This field needs a session: send its token as `Authorization: Bearer …`."
        // One that is kept has ended since the request began.
        return FieldError(
            .unauthenticated, refusal ?? (kept == nil ? needsToken : "The session has ended: sign in again."))
    }

    /// Why it may not ask for what needs a scope; nil where it may.
    func refusal(needing scope: Scope) -> FieldError? {
        if owner == nil { return unauthenticated }
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
