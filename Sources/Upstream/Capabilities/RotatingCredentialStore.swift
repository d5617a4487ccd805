/// Stores the credential of one connection whose provider rotates it.
///
/// A replacement is atomic, also if the machine fails during it: of a credential that is valid once, either
/// the old one or the new one is stored afterwards.
package protocol RotatingCredentialStore: Sendable {
    /// Returns the stored credential; nil if the connection no longer has one.
    ///
    /// - Throws: The error that prevented the read.
    func load() async throws -> VersionedCredential?

    /// Replaces the credential of a version.
    ///
    /// - Parameters:
    ///   - secret: The new credential.
    ///   - version: The ``VersionedCredential/version`` of the credential that it replaces.
    /// - Returns: The new version; nil if another credential is stored already, and nothing was changed.
    /// - Throws: The error that prevented the write; then nothing was changed.
    func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64?

    /// Executes an exchange of the credential while no other process executes one.
    ///
    /// A credential that is valid once must be loaded within `body`, because another process may have exchanged it before.
    ///
    /// - Throws: The error that prevented the exchange; then `body` was not executed.
    func renewing<Value: Sendable>(_ body: () async -> Value) async throws -> Value
}

extension RotatingCredentialStore {
    /// For a store that one process uses.
    package func renewing<Value: Sendable>(_ body: () async -> Value) async throws -> Value { await body() }
}

/// A credential, and which one it is; it never prints itself.
package struct VersionedCredential: Sendable {
    package let secret: [UInt8]
    /// Changes with each replacement.
    package let version: Int64

    package init(secret: [UInt8], version: Int64) {
        self.secret = secret
        self.version = version
    }
}

extension VersionedCredential: CustomStringConvertible, CustomReflectable {
    package var description: String { "credential of version \(version) \(Redaction.placeholder)" }

    package var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
