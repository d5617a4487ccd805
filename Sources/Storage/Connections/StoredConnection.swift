package import Brokerage

/// A user's connection to a provider, as it is stored; its encrypted credential is stored beside it.
package struct StoredConnection: Hashable, Sendable {
    /// The unique id, which is never used again.
    package let id: String
    package let owner: OwnerID
    package let provider: ProviderID
    package let environment: Environment
    /// The redirect URI of the user's consent; nil without a consent.
    ///
    /// Some providers require it again for each renewal.
    package var redirectURI: String?
    /// The user's name for the connection.
    package var label: String?
    /// When it was made, or last given another credential.
    package var connectedAt: Instant
    /// When the provider refused the credential; nil while it takes it.
    package var rejectedAt: Instant?
    /// The accounts that it opens, the default account first; empty if the provider has no accounts.
    package var accounts: [StoredAccount]
    /// Whether the values are those of an earlier read, because the row cannot be read any more.
    package var isDamaged = false

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
