import GRDB

extension UserDatabase {
    /// Puts another master key in the place of the one that a file's secrets are sealed with.
    ///
    /// What seals the secrets themselves stays, and is sealed anew: a few rows, in one step. A server that has the file
    /// open has opened those keys at its start, and goes on with them; its next start needs the new master key.
    ///
    /// For a command: it waits.
    ///
    /// - Returns: how many keys were sealed anew; those that were so before, by a change that was cut short, do not count.
    /// - Throws: `wrongMasterKey`, and nothing is changed, where the file was sealed with another than `old`.
    package func changeMasterKey(from old: MasterKey, to new: MasterKey) throws(StorageError) -> Int {
        let path = database.path
        return try database.writeNow { db in
            try TokenKey.rewrap(db, at: path, from: old, to: new)
            return try DataEncryptionKeys.rewrap(db, at: path, from: old, to: new)
        }
    }
}
