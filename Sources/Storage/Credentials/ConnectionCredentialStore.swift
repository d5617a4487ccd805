package import Upstream

/// The credential of one connection, for whoever renews it.
package struct ConnectionCredentialStore: RotatingCredentialStore {
    private let store: CredentialStore
    private let identity: CredentialOwner

    package init(of identity: CredentialOwner, in store: CredentialStore) {
        self.store = store
        self.identity = identity
    }

    package func load() async throws -> VersionedCredential? {
        try await store.load(identity).map {
            VersionedCredential(secret: $0.secret.bytes, version: Int64($0.version))
        }
    }

    package func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64? {
        switch try await store.replace(with: Secret(secret), of: identity, expecting: Int(version)) {
        case .done(let version): Int64(version)
        case .outdated: nil
        }
    }
}
