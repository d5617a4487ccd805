package import Brokerage
package import Upstream

/// A user's link to a provider, as it is kept; its credential is kept beside it, sealed.
package struct StoredConnection: Hashable, Sendable {
    /// Nobody else's, and never used again.
    package let id: String
    package let owner: OwnerID
    package let provider: ProviderID
    package let environment: Environment
    /// Where the browser came back to with the user's consent; nil where there was none.
    ///
    /// Some providers want it again with each renewal.
    package var redirectURI: String?
    /// What the user calls it.
    package var label: String?
    /// When it was made, or last given another credential.
    package var connectedAt: Instant
    /// When the provider refused the credential; nil while it takes it.
    package var rejectedAt: Instant?
    /// What was found behind it, the default one first; none where the provider keeps no accounts.
    package var accounts: [StoredAccount]

    package init(
        id: String, owner: OwnerID, provider: ProviderID, environment: Environment,
        redirectURI: String? = nil, label: String? = nil, connectedAt: Instant, rejectedAt: Instant? = nil,
        accounts: [StoredAccount] = []
    ) {
        self.id = id
        self.owner = owner
        self.provider = provider
        self.environment = environment
        self.redirectURI = redirectURI
        self.label = label
        self.connectedAt = connectedAt
        self.rejectedAt = rejectedAt
        self.accounts = accounts
    }

    package var credential: CredentialOwner {
        CredentialOwner(connection: id, provider: provider, owner: owner)
    }
}
