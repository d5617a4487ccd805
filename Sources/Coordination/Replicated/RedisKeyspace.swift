package import Cryptography
import PorticoCore

/// The names of Portico's keys in Redis.
///
/// Each begins with `portico:1:` and the name of the namespace. The number is the version of the schema: a Portico with other
/// values or scripts uses other keys, so that two versions can use one server. Texts of clients and their addresses are
/// only in hashes under a secret key, so that the keys do not show them.
package struct RedisKeyspace: Sendable {
    private static let version = 1

    private let key: SymmetricKey
    private let prefix: String

    /// - Parameters:
    ///   - key: The key of the hashes; it is the same at all replicas of an installation.
    ///   - environment: The providers and their environments: values of simulated providers are never used as those of
    ///     others.
    package init(_ key: SymmetricKey, environment: String) {
        self.key = key
        prefix = "portico:\(Self.version):\(Self.hash(environment, with: key).prefix(11)):"
    }

    /// A key of the installation.
    ///
    /// - Parameters:
    ///   - use: The use of the value; it is readable.
    ///   - secret: The rest of the name, of which the key has a hash; nil for none.
    /// - Returns: The name of the key.
    package func name(_ use: String, _ secret: String? = nil) -> String {
        guard let secret else { return prefix + use }
        return "\(prefix)\(use):\(Self.hash(secret, with: key))"
    }

    /// 128 bits in Base64.
    private static func hash(_ text: String, with key: SymmetricKey) -> String {
        let code = HashFunction.sha256.authenticationCode(for: text.utf8.span, using: key)
        return Base64.url.encoded(code.prefix(16))
    }
}
