import Crypto
import Foundation

/// Bytes that are not to be seen: tokens, keys.
///
/// However it is printed, it shows nothing.
package struct Secret: Sendable, Equatable {
    /// The bytes themselves, for the one call that needs them.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }
}

extension Secret {
    /// New at each start, so that a digest is useless without it and in another process.
    private static let digestKey = SymmetricKey(size: .bits256)

    /// A keyed hash that identifies the secret while the process runs.
    package var digest: [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: Self.digestKey))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var debugDescription: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
