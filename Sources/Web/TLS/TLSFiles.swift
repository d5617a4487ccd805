package import NIOCore

/// Where a server's certificate and its key are kept, in PEM.
package struct TLSFiles: Sendable, Hashable {
    /// The path of the certificate, followed by those that lead to a known one.
    package var certificateChain: String
    /// The path of the key.
    package var privateKey: String
    /// How often the files are looked at; those that have changed are read anew, and connections from then on are
    /// shown what they say.
    package var checkInterval = TimeAmount.minutes(1)

    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Files that no server can prove itself with.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// What is wrong with the file.
    package let reason: String

    package var description: String { "TLS cannot be spoken with \"\(path)\": \(reason)." }
}
