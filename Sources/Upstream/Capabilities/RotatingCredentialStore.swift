/// Keeps the credential of one connection, where its provider changes it now and then.
///
/// A replacement is a step that happens whole or not at all, also when the machine fails in the middle: of a credential
/// that is good once, either the old one or the new one is there afterwards, never neither.
package protocol RotatingCredentialStore: Sendable {
    /// The credential as it is kept now; nil where the connection has none any more.
    ///
    /// - Throws: whatever stands in the way of reading it.
    func load() async throws -> VersionedCredential?

    /// Puts another credential in the place of the one of a version.
    ///
    /// - Parameters:
    ///   - secret: the new credential.
    ///   - version: the ``VersionedCredential/version`` that it takes the place of.
    /// - Returns: the new version; nil, and nothing changed, where another one is kept by now.
    /// - Throws: whatever stands in the way of writing it; the old one is kept then.
    func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64?
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
