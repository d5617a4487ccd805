import Cryptography
package import Foundation
import PorticoCore
import Synchronization

/// The bearer token of a session: `pts_` and 256 random bits.
package struct SessionToken: Sendable {
    /// The text, which is returned to the client once and is not stored.
    package let text: String

    /// The prefix identifies leaked tokens for people and for secret scanners.
    package static let prefix = "pts_"
    private static let length = 4 + 43

    package init() { self.init(bytes: SymmetricKey().bytes) }

    fileprivate init(bytes: [UInt8]) { text = Self.prefix + Base64.url.encoded(bytes) }

    /// Returns nil for a text that does not have the form of a token.
    package init?(_ text: String) {
        guard text.utf8.count == Self.length, text.hasPrefix(Self.prefix) else { return nil }
        self.text = text
    }
}

/// The token that a renewal gives in place of another one.
///
/// It is calculated from the earlier token and the file's key. Therefore all renewals with one token give the same one, also
/// at other processes, and no file contains a token. Nobody can calculate it without the earlier token, which only its
/// client has.
struct NextToken: Sendable {
    let token: SessionToken
    let hash: TokenHash

    /// The token after another one.
    ///
    /// - Parameters:
    ///   - digest: The digest of the earlier token.
    ///   - key: The key of the file.
    init(after digest: TokenHash, under key: SymmetricKey) {
        let input = Self.label + digest.data
        token = SessionToken(bytes: HashFunction.sha256.authenticationCode(for: input.span, using: key))
        hash = TokenHash(token, under: key)
    }

    private static let label = Array("portico renewed session token 1".utf8)
}

extension SessionToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "pts_…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// 256 bits that a token is found by.
package struct TokenHash: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The SHA-256 of a token, for memory, where it costs a tenth of an HMAC.
    ///
    /// A token is as random as its hash, so it cannot be found from the hash.
    package init(digesting token: SessionToken) {
        self.init(bytes: HashFunction.sha256.hash(token.text))
    }

    /// The HMAC-SHA-256 of a token, for the file.
    ///
    /// Without the key, nobody can check whether a token is in the file.
    init(_ token: SessionToken, under key: SymmetricKey) {
        self.init(bytes: HashFunction.sha256.authenticationCode(for: token.text.utf8.span, using: key))
    }

    /// Nil unless there are 32 bytes.
    init?(_ data: Data) {
        guard data.count == 32 else { return nil }
        self.init(bytes: data)
    }

    private init(bytes: some ContiguousBytes) {
        // Both callers bring 32 bytes; they are copied.
        words = unsafe bytes.withUnsafeBytes { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }

    package var data: Data {
        unsafe withUnsafeBytes(of: words) { unsafe Data($0) }
    }

    package static func == (left: TokenHash, right: TokenHash) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        // One word of the hash is sufficient, because all are random.
        hasher.combine(words.0)
    }
}

/// The key of token hashes, stored in the file and encrypted with the master key.
///
/// It is not the master key itself, so that a change of the master key ends no session.
struct TokenKey: Sendable {
    let key: SymmetricKey

    /// Decrypts the key of a file, and creates one if there is none.
    ///
    /// - Throws: `wrongMasterKey` if it was encrypted with another key.
    init(in database: SQLDatabase, _ master: MasterKey) throws(StorageError) {
        let path = database.location
        key = try database.writeNow { db in
            // Processes that start at the same time have the same key.
            try db.lock(table: "token_key")
            guard let row = try db.row("SELECT * FROM token_key ORDER BY id DESC LIMIT 1")
            else {
                let key = SymmetricKey()
                try Self.insert(key, db, master)
                return key
            }
            guard try master.id == row["master_key_id"],
                let key = try? Self.unwrap(row["wrapped"], master)
            else { throw StorageError.wrongMasterKey(path: path) }
            return key
        }
    }

    /// Encrypts the key with a new master key.
    ///
    /// - Throws: `wrongMasterKey` if it was encrypted with neither.
    static func rewrap(_ db: SQLTransaction, at path: String, from old: MasterKey, to new: MasterKey) throws {
        guard let row = try db.row("SELECT * FROM token_key ORDER BY id DESC LIMIT 1") else {
            return
        }
        let master: String = try row["master_key_id"]
        if master == new.id { return }
        guard master == old.id, let key = try? unwrap(row["wrapped"], old) else {
            throw StorageError.wrongMasterKey(path: path)
        }
        try db.execute("DELETE FROM token_key")
        try insert(key, db, new)
    }

    private static func insert(_ key: SymmetricKey, _ db: SQLTransaction, _ master: MasterKey) throws {
        let wrapped = Data(try AESGCM.seal(key.bytes, using: master.key, authenticating: label))
        try db.execute("INSERT INTO token_key (wrapped, master_key_id) VALUES (?, ?)", [wrapped, master.id])
    }

    private static func unwrap(_ wrapped: Data, _ master: MasterKey) throws -> SymmetricKey {
        try SymmetricKey(wrapped: Array(wrapped), by: master.key, authenticating: label)
    }

    private static let label = Array("portico token key 1".utf8)
}

/// Tokens that no session has, for a short time, so that a client that repeats one does not cause look-ups.
package final class TokenMisses: Sendable {
    private static let lifetime = Duration.seconds(1)
    private static let capacity = 10_000
    // Held for a look-up, on any thread.
    private let ends = Mutex<[TokenHash: ContinuousClock.Instant]>([:])

    package init() {}

    package func contains(_ token: TokenHash, now: ContinuousClock.Instant = .now) -> Bool {
        ends.withLock { ends in ends[token].map { now < $0 } ?? false }
    }

    package func insert(_ token: TokenHash, now: ContinuousClock.Instant = .now) {
        ends.withLock { ends in
            if ends.count >= Self.capacity { ends = ends.filter { now < $0.value } }
            // A flood of different tokens is limited by the address of its client.
            guard ends.count < Self.capacity else { return }
            ends[token] = now + Self.lifetime
        }
    }
}
