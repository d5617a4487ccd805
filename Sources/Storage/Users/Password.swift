import Cryptography
import Foundation
import PorticoCore

/// A password as it is hashed: UTF-8 of the text in Unicode's form NFKC, so that keyboards that compose letters
/// differently make the same one (NIST SP 800-63B, section 3.1.1.2).
package struct Password: Sendable {
    package let bytes: [UInt8]

    /// Of a new password; in characters.
    package static let minimumLength = 10
    /// Of any; in bytes.
    package static let maximumBytes = 256

    /// A new password.
    ///
    /// - Throws: `Refusal` if it is too easy to guess, or too long.
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

    /// A password that no user has.
    static let decoy = Password(bytes: Array("a password that nobody has".utf8))

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The reason why a password is not accepted; it does not contain the password.
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

/// The cost parameters of scrypt (RFC 7914, section 2).
package struct PasswordCost: Hashable, Sendable {
    /// N: the work, and 128 · `blockSize` times as many bytes of memory; a power of 2.
    let cost: Int
    /// r.
    let blockSize: Int
    /// p.
    let parallelism: Int

    /// The memory in bytes that the computation of one hash takes.
    package var memory: Int { 128 * blockSize * cost }

    /// N = 2¹⁵, r = 8, p = 3: 32 MiB; OWASP's Password Storage Cheat Sheet.
    package static let standard = PasswordCost(log2: 15, parallelism: 3)
    package static let log2Range = 4...20

    /// Nil unless `log2`, of N, is in `log2Range`.
    package init?(log2: Int) {
        guard Self.log2Range.contains(log2) else { return nil }
        self.init(log2: log2, parallelism: 3)
    }

    private init(log2: Int, parallelism: Int) {
        (cost, blockSize, self.parallelism) = (1 << log2, 8, parallelism)
    }

    /// Nil for what this program has never written.
    fileprivate init?(cost: Int, blockSize: Int, parallelism: Int) {
        guard cost > 1, cost.nonzeroBitCount == 1, cost.trailingZeroBitCount <= Self.log2Range.upperBound,
            (1...32).contains(blockSize), (1...16).contains(parallelism)
        else { return nil }
        (self.cost, self.blockSize, self.parallelism) = (cost, blockSize, parallelism)
    }
}

/// The stored hash of a password.
package struct PasswordHash: Hashable, Sendable {
    private let salt: [UInt8]
    private let hash: [UInt8]
    /// The cost parameters of the hash.
    package let cost: PasswordCost

    /// Hashes a password with a new salt.
    ///
    /// It takes a long time and much memory, and blocks the thread: `PasswordHasher` calls it.
    init(_ password: Password, _ cost: PasswordCost) throws {
        try self.init(password, cost, salt: .random(count: 16))
    }

    private init(_ password: Password, _ cost: PasswordCost, salt: [UInt8]) throws {
        (self.salt, self.cost) = (salt, cost)
        hash = try Self.derive(password, salt, cost)
    }

    /// Hashes the same password with other cost parameters, and the same salt.
    func rehashed(_ password: Password, _ cost: PasswordCost) throws -> PasswordHash {
        try PasswordHash(password, cost, salt: salt)
    }

    /// Identifies the password: each password that a user sets has another one, also the same text that is set again.
    ///
    /// It is the salt. A password cannot be compared with it or guessed from it.
    package var passwordID: String { Base64.url.encoded(salt) }

    /// A hash that no password matches.
    package init(matchingNothing cost: PasswordCost) {
        salt = .random(count: 16)
        hash = .random(count: 32)
        self.cost = cost
    }

    /// Compares a password with the hash, in constant time; it takes as long as hashing.
    package func matches(_ password: Password) throws -> Bool {
        let other = try Self.derive(password, salt, cost)
        return other.count == hash.count && zip(other, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func derive(_ password: Password, _ salt: [UInt8], _ cost: PasswordCost) throws -> [UInt8]
    {
        try Scrypt.deriveKey(
            from: password.bytes, salt: salt, byteCount: 32, cost: cost.cost, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
    }
}

extension PasswordHash {
    /// Reads what `arguments` has written.
    package init(_ row: SQLRow) throws {
        guard
            let cost = try PasswordCost(
                cost: row["cost"], blockSize: row["block_size"], parallelism: row["parallelism"])
        else { throw CorruptedRow() }
        salt = [UInt8](try row["salt"] as Data)
        hash = [UInt8](try row["hash"] as Data)
        self.cost = cost
    }

    /// For the columns salt, hash, cost, block_size and parallelism.
    var arguments: SQLArguments {
        [Data(salt), Data(hash), cost.cost, cost.blockSize, cost.parallelism]
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    package var description: String { "PasswordHash(…)" }
    package var customMirror: Mirror { Mirror(self, children: ["cost": cost]) }
}
