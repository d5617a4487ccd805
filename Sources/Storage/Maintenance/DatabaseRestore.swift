import GRDB
import Glibc

/// Replaces `portico.db` by a copy that `DatabaseBackup` has written.
package enum DatabaseRestore {
    /// Replaces the database, or changes nothing.
    ///
    /// The new database has no session of a user with a password or an identity provider, no invitation and no sign-in in
    /// progress: those that have ended since the copy was made would be valid again. Sessions of guests stay, because a guest
    /// cannot sign in.
    ///
    /// Everything is checked before the first change: that no server uses the directory, that this version can read the copy, and
    /// that the master key opens it. The replaced database stays beside the new one, under another name. Its write-ahead log is
    /// written into it before, so that it is complete without the log after a power failure. A log that cannot be written, such as
    /// that of a damaged database, stays with it: SQLite would apply it to the copy. After an interruption, the function can be
    /// called again. It blocks; it is for a command.
    ///
    /// - Parameters:
    ///   - copy: The path of the copy, which is not changed.
    ///   - folder: The data directory.
    ///   - masterKey: The key of the copy's secrets; nil if there is none.
    ///   - suffix: What is added to the name of the replaced database, such as the time.
    /// - Returns: The path of the replaced database; nil if there was none.
    /// - Throws: `busy` if a server uses the directory, `missing`, `notCopy`, `newer` or `damaged` if the copy cannot be used,
    ///   `missingMasterKey` or `wrongMasterKey` if its secrets could not be decrypted, `file` or `full`.
    package static func restore(
        _ copy: String, to folder: DataDirectory, with masterKey: MasterKey?, suffix: String
    ) throws(StorageError) -> String? {
        try UserDatabase.checkCopy(copy, with: masterKey, keyPath: folder.path(of: MasterKey.fileName))
        let lock = try DirectoryLock(folder)
        defer { withExtendedLifetime(lock) {} }
        let target = folder.path(of: UserDatabase.name)
        let draft = "\(UserDatabase.name).\(getpid()).new"
        // The lock is held, so a file with this name is that of an interrupted command.
        DatabaseBackup.remove(folder.path(of: draft))
        let written = try folder.secure(draft)
        defer { DatabaseBackup.remove(written) }
        try DatabaseBackup.copy(copy, to: written)
        try deleteAccess(in: written)
        return try replace(target, with: written, keeping: "\(target).replaced-\(suffix)")
    }

    /// The tables with rows that give access, and which rows are deleted; docs/deployment.md has the same statements.
    private static let accessRows = [
        ("session", "user_id IN (SELECT id FROM \"user\" WHERE kind <> 'GUEST')"), ("invitation", "TRUE"),
        ("pending_sign_in", "TRUE"),
    ]

    /// Deletes the rows of a database that nobody else uses, and writes it to the disk.
    private static func deleteAccess(in path: String) throws(StorageError) {
        do {
            let database = try DatabaseQueue(path: path)
            try database.write { db in
                for (table, condition) in accessRows {
                    try db.execute(sql: "DELETE FROM \(table) WHERE \(condition)")
                }
            }
            try database.close()
        } catch {
            throw StorageError(error, path: path)
        }
        try DatabaseBackup.sync(path)
    }

    /// The order is that of a power failure at any time: the earlier database has its second name before its log moves.
    private static func replace(
        _ target: String, with written: String, keeping kept: String
    ) throws(StorageError) -> String? {
        let isNew = unsafe access(target, F_OK) != 0
        if !isNew {
            writeLog(into: target)
            guard unsafe link(target, kept) == 0 else {
                throw .file(path: kept, reason: DataDirectory.reason())
            }
        }
        if unsafe rename(target + "-wal", kept + "-wal") != 0, errno != ENOENT {
            throw .file(path: target + "-wal", reason: DataDirectory.reason())
        }
        if unsafe unlink(target + "-shm") != 0, errno != ENOENT {
            throw .file(path: target + "-shm", reason: DataDirectory.reason())
        }
        try DataDirectory.syncDirectory(of: target)
        guard unsafe rename(written, target) == 0 else {
            throw .file(path: target, reason: DataDirectory.reason())
        }
        try DataDirectory.syncDirectory(of: target)
        return isNew ? nil : kept
    }

    /// Writes the log of a database into it, if both can be read.
    private static func writeLog(into path: String) {
        guard let database = try? DatabaseQueue(path: path) else { return }
        _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? database.close()
    }
}
