package import Brokerage
package import Upstream

/// Whose credential it is, and for what.
package struct CredentialOwner: Hashable, Sendable {
    /// The connection's id.
    package let connection: String
    package let provider: ProviderID
    package let owner: OwnerID

    package init(connection: String, provider: ProviderID, owner: OwnerID) {
        self.connection = connection
        self.provider = provider
        self.owner = owner
    }

    /// What is sealed in with the credential: moved to another row, it does not open.
    ///
    /// Each part behind its length, so that no two identities have the same bytes.
    func additionalData(keyID: Int64) -> [UInt8] {
        var data: [UInt8] = []
        for part in ["portico credential 1", connection, provider.rawValue, owner.text, String(keyID)] {
            let bytes = Array(part.utf8)
            data += withBytes(of: UInt64(bytes.count)) + bytes
        }
        return data
    }

    private func withBytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}

/// A credential as it is kept.
package struct StoredCredential: Sendable {
    package let identity: CredentialOwner
    /// Rises by one each time that the secret is replaced.
    package let version: Int
    package let secret: Secret
}
