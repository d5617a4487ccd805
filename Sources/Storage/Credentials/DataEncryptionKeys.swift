import Cryptography
import Foundation
import PorticoCore

/// The keys that encrypt credentials.
///
/// They are encrypted with the master key.
///
/// The newest key encrypts; the older ones decrypt what they have encrypted. A change of the master key
/// therefore encrypts only a few keys again, and a new data key is one more row.
struct DataEncryptionKeys: Sendable {
    private let keys: [Int64: SymmetricKey]
    /// Of the key that seals.
    let currentID: Int64

    /// Decrypts the keys of a file, and creates one if there is none.
    init(in database: SQLDatabase, _ master: MasterKey) throws(StorageError) {
        let path = database.location
        let known = try database.readNow { db in try DataEncryptionKeys(db, at: path, master) }
        self = known.keys.isEmpty ? try Self.make(in: database, master) : known
    }

    /// Opens the keys that are there.
    ///
    /// - Throws: `wrongMasterKey`.
    init(_ db: SQLTransaction, at path: String, _ master: MasterKey) throws {
        let rows = try db.rows("SELECT id, wrapped, master_key_id FROM data_key")
        var keys: [Int64: SymmetricKey] = [:]
        for row in rows {
            let id: Int64 = try row["id"]
            guard try master.id == row["master_key_id"],
                let key = try? Self.unwrap(row["wrapped"], id, master)
            else { throw StorageError.wrongMasterKey(path: path) }
            keys[id] = key
        }
        self.init(keys)
    }

    private init(_ keys: [Int64: SymmetricKey]) {
        self.keys = keys
        currentID = keys.keys.max() ?? 0
    }

    func encrypt(_ secret: Secret, _ identity: some SealedSecretIdentity) throws -> Data {
        guard let key = keys[currentID] else { throw CryptographyError() }
        let data = identity.additionalData(keyID: currentID)
        return Data(try AESGCM.seal(secret.bytes, using: key, authenticating: data))
    }

    /// Nil for what this key, for this identity, has not sealed.
    func decrypt(_ sealed: Data, _ keyID: Int64, _ identity: some SealedSecretIdentity) -> Secret? {
        guard let key = keys[keyID] else { return nil }
        let data = identity.additionalData(keyID: keyID)
        return (try? AESGCM.open(Array(sealed), using: key, authenticating: data)).map { Secret($0) }
    }

    private static func make(
        in database: SQLDatabase, _ master: MasterKey
    ) throws(StorageError) -> DataEncryptionKeys {
        let path = database.location
        return try database.writeNow { db in
            // Of several processes that start at the same time, one makes the key.
            try db.lock(table: "data_key")
            let known = try DataEncryptionKeys(db, at: path, master)
            guard known.keys.isEmpty else { return known }
            let key = SymmetricKey()
            let id: Int64? = try db.value(
                "INSERT INTO data_key (wrapped, master_key_id) VALUES (?, ?) RETURNING id",
                [Data(), master.id])
            guard let id else { throw CorruptedRow() }
            // The id is sealed in with the key, so it must be known first.
            try db.execute(
                "UPDATE data_key SET wrapped = ? WHERE id = ?", [try wrap(key, id, master), id])
            return DataEncryptionKeys([id: key])
        }
    }

    /// Encrypts all keys with a new master key; keys that the new one has encrypted already are not changed.
    ///
    /// - Returns: The number of changed keys.
    static func rewrap(
        _ db: SQLTransaction, at path: String, from old: MasterKey, to new: MasterKey
    ) throws -> Int {
        let rows = try db.rows(
            "SELECT id, wrapped, master_key_id FROM data_key WHERE master_key_id <> ?", [new.id])
        for row in rows {
            let id: Int64 = try row["id"]
            guard try old.id == row["master_key_id"], let key = try? unwrap(row["wrapped"], id, old) else {
                throw StorageError.wrongMasterKey(path: path)
            }
            try db.execute(
                "UPDATE data_key SET wrapped = ?, master_key_id = ? WHERE id = ?",
                [try wrap(key, id, new), new.id, id])
        }
        return rows.count
    }

    private static func wrap(_ key: SymmetricKey, _ id: Int64, _ master: MasterKey) throws -> Data {
        Data(try AESGCM.seal(key.bytes, using: master.key, authenticating: label(id)))
    }

    private static func unwrap(_ wrapped: Data, _ id: Int64, _ master: MasterKey) throws -> SymmetricKey {
        try SymmetricKey(wrapped: Array(wrapped), by: master.key, authenticating: label(id))
    }

    private static func label(_ id: Int64) -> [UInt8] { Array("portico data key 1 \(id)".utf8) }
}

/// The row to which an encrypted secret belongs: it cannot be decrypted in another row.
package protocol SealedSecretIdentity: Sendable {
    /// The kind of the row with the version of the format, then the parts of its key.
    var parts: [String] { get }
}

extension SealedSecretIdentity {
    /// The additional authenticated data of the secret.
    ///
    /// Each part follows its length, so that different identities have different bytes.
    package func additionalData(keyID: Int64) -> [UInt8] {
        (parts + [String(keyID)]).reduce(into: []) { data, part in
            let bytes = Array(part.utf8)
            data += withBytes(of: UInt64(bytes.count)) + bytes
        }
    }

    private func withBytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
