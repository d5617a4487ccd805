package import Upstream

/// Who asks: a user, or nobody in particular.
package struct Session: Hashable, Sendable {
    /// The user; nil for a request without a token, which may see public market data only.
    package let owner: OwnerID?

    package init(owner: OwnerID?) {
        self.owner = owner
    }

    /// A request without a token.
    package static let anonymous = Session(owner: nil)
}
