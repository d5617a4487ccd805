import PorticoCore
package import Storage
package import Upstream

/// The credential of one connection, for the client that renews its token.
package struct ConnectionCredentialStore: RotatingCredentialStore {
    private let store: CredentialStore
    private let identity: CredentialOwner
    /// Exclude two exchanges of one credential.
    private let leases: any Leases

    package init(of identity: CredentialOwner, in store: CredentialStore, under leases: any Leases) {
        (self.identity, self.store, self.leases) = (identity, store, leases)
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

    /// Longer than an exchange and the write of its result.
    private static let exchangeTime = Duration.seconds(60)
    /// Callers use the current token meanwhile, if it is valid.
    private static let maximumWait = Duration.seconds(20)

    /// The lease of a credential was not free in time.
    private struct CredentialBusy: Error {}

    package func renewing<Value: Sendable>(_ body: () async -> Value) async throws -> Value {
        let value = try await leases.exclusively(
            "credential/\(identity.connection)", for: Self.exchangeTime, before: .now + Self.maximumWait, body
        )
        guard let value else { throw CredentialBusy() }
        return value
    }
}
