package import Upstream

/// Who asks: a user, or nobody in particular.
package struct Session: Hashable, Sendable {
    /// The user; nil for a request without a token, which may see public market data only.
    package let owner: OwnerID?
    /// What it may do.
    package let scopes: Set<Scope>

    package init(owner: OwnerID, scopes: Set<Scope>) {
        self.owner = owner
        self.scopes = scopes
    }

    private init() {
        owner = nil
        scopes = []
    }

    /// A request without a token.
    package static let anonymous = Session()
}
