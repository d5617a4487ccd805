import Brokerage
import Cryptography
import Foundation
package import PorticoCore

/// The signature of a message to a webhook: Standard Webhooks 1.0.0, "Signature scheme", with HMAC-SHA-256 (`v1`).
package struct WebhookSignature: Sendable {
    private let key: SymmetricKey

    /// The prefix of the text of a secret.
    private static let prefix = "whsec_"

    /// Nil for a secret of more than 32 bytes.
    ///
    /// HMAC fills a shorter key with zeros (RFC 2104, section 2).
    package init?(_ secret: Secret) {
        let count = SymmetricKey.byteCount
        guard secret.bytes.count <= count,
            let key = SymmetricKey(secret.bytes + Array(repeating: 0, count: count - secret.bytes.count))
        else { return nil }
        self.key = key
    }

    /// A new secret: 32 random bytes.
    package static func makeSecret() -> Secret { Secret(SymmetricKey().bytes) }

    /// A secret as its user gets it: `whsec_` and Base64.
    package static func text(of secret: Secret) -> String {
        prefix + Data(secret.bytes).base64EncodedString()
    }

    /// The headers of a message: `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: The id of the message, the same in each attempt.
    ///   - time: The time of the attempt, in seconds since 1970.
    ///   - body: The body.
    /// - Returns: The headers.
    package func headers(
        id: String, at time: Int64, body: String
    ) -> [(name: String, value: String)] {
        let code = HashFunction.sha256.authenticationCode(for: "\(id).\(time).\(body)".utf8.span, using: key)
        return [
            ("webhook-id", id), ("webhook-timestamp", String(time)),
            ("webhook-signature", "v1," + Data(code).base64EncodedString()),
        ]
    }
}
