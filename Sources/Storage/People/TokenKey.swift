import Crypto
import Foundation
import GRDB

/// The key that token hashes are made with: kept in the file, sealed with the master key.
///
/// It is not the master key itself, so that changing that one ends no session.
struct TokenKey: Sendable {
    let key: SymmetricKey

    /// Opens the key of a file, and makes one where there is none.
    ///
    /// - Throws: `wrongMasterKey` where it was sealed with another.
    init(in database: SQLiteDatabase, _ master: MasterKey) throws(StorageError) {
        let path = database.path
        key = try database.writeNow { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM token_key ORDER BY id DESC LIMIT 1")
            else {
                let key = SymmetricKey(size: .bits256)
                try Self.insert(key, db, master)
                return key
            }
            guard (row["master_key_id"] as String) == master.id,
                let key = try? Self.open(row["wrapped"], master)
            else { throw StorageError.wrongMasterKey(path: path) }
            return key
        }
    }

    /// Seals the key anew, for a change of the master key.
    ///
    /// - Throws: `wrongMasterKey` where it was sealed with neither.
    static func rewrap(_ db: Database, at path: String, from old: MasterKey, to new: MasterKey) throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM token_key ORDER BY id DESC LIMIT 1") else {
            return
        }
        let master: String = row["master_key_id"]
        if master == new.id { return }
        guard master == old.id, let key = try? open(row["wrapped"], old) else {
            throw StorageError.wrongMasterKey(path: path)
        }
        try db.execute(sql: "DELETE FROM token_key")
        try insert(key, db, new)
    }

    private static func insert(_ key: SymmetricKey, _ db: Database, _ master: MasterKey) throws {
        let bytes = unsafe key.withUnsafeBytes { unsafe Data($0) }
        // With a nonce of 12 bytes there is always a combined form.
        let wrapped = try AES.GCM.seal(bytes, using: master.key, authenticating: label).combined ?? Data()
        try db.execute(
            sql: "INSERT INTO token_key (wrapped, master_key_id) VALUES (?, ?)",
            arguments: [wrapped, master.id])
    }

    private static func open(_ wrapped: Data, _ master: MasterKey) throws -> SymmetricKey {
        SymmetricKey(
            data: try AES.GCM.open(.init(combined: wrapped), using: master.key, authenticating: label))
    }

    private static let label = Data("portico token key 1".utf8)
}
