import Foundation

/// A password as it is hashed: UTF-8 of the text in Unicode's form NFKC, so that keyboards that compose letters
/// differently make the same one (NIST SP 800-63B, section 3.1.1.2).
package struct Password: Sendable {
    let bytes: [UInt8]

    /// Of a new password; in characters.
    package static let minimumLength = 10
    /// Of any; in bytes.
    package static let maximumBytes = 256

    /// A password that is to be set.
    ///
    /// - Throws: `Refusal` for one that is too easy to guess, or longer than anybody needs.
    package init(new text: String, for username: Username) throws(Refusal) {
        let normal = text.precomposedStringWithCompatibilityMapping
        guard normal.utf8.count <= Self.maximumBytes else { throw .long(bytes: normal.utf8.count) }
        guard normal.count >= Self.minimumLength else { throw .short(normal.count) }
        guard Set(normal).count >= 4 else { throw .monotonous }
        guard !normal.lowercased().contains(username.key) else { throw .hasUsername }
        bytes = Array(normal.utf8)
    }

    /// A password that is compared; nil for what no password can be.
    package init?(entered text: String) {
        // Before it is normalised, which takes time by its length.
        guard !text.isEmpty, text.utf8.count <= 4 * Self.maximumBytes else { return nil }
        let normal = text.precomposedStringWithCompatibilityMapping
        guard !normal.isEmpty, normal.utf8.count <= Self.maximumBytes else { return nil }
        bytes = Array(normal.utf8)
    }

    /// Nobody's.
    static let decoy = Password(bytes: Array("a password that nobody has".utf8))

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Why a password is not taken; never what it is.
    package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case short(Int)
        case long(bytes: Int)
        case monotonous
        case hasUsername

        package var description: String {
            switch self {
            case .short(let length):
                "A password has at least \(Password.minimumLength) characters; this one has \(length)."
            case .long(let bytes):
                "A password has at most \(Password.maximumBytes) bytes in UTF-8; this one has \(bytes)."
            case .monotonous: "A password has at least 4 different characters."
            case .hasUsername: "A password does not contain the username."
            }
        }
    }
}

extension Password: CustomStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
