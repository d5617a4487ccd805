import GRDB
import Glibc

/// A copy of `portico.db` as it is at one moment, made while a server works with it.
package enum DatabaseBackup {
    /// Writes the copy, whole or not at all, for this user alone (0600).
    ///
    /// Secrets in it are sealed, so it is worth nothing without the master key, which it does not hold. For a command:
    /// it waits.
    ///
    /// - Parameters:
    ///   - folder: Where `portico.db` is.
    ///   - path: The copy; nothing may be there.
    /// - Throws: `file` where something is there already or cannot be written, `full`, `damaged` where the file is.
    package static func write(of folder: DataDirectory, to path: String) throws(StorageError) {
        try UserDatabase.rejectEmptyFile(in: folder)
        let draft = "\(path).\(getpid()).new"
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
        let source = folder.path(of: UserDatabase.name)
        do {
            let house = try DatabaseQueue(path: source, configuration: .readOnly)
            try house.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [draft])
            }
            try house.close()
        } catch {
            throw StorageError(error, path: source)
        }
        try DatabaseBackup.check(draft)
        guard fsync(descriptor) == 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        // Unlike a renaming, it never takes the place of another file.
        guard unsafe link(draft, path) == 0 else {
            throw .file(
                path: path, reason: errno == EEXIST ? "there is a file already" : DataDirectory.reason())
        }
        try DataDirectory.syncDirectory(of: path)
    }

    /// A copy that cannot be read is none.
    private static func check(_ draft: String) throws(StorageError) {
        let verdict: String?
        do {
            let copy = try DatabaseQueue(path: draft, configuration: .readOnly)
            verdict = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
            try copy.close()
        } catch {
            throw StorageError(error, path: draft)
        }
        guard verdict == "ok" else { throw .damaged(path: draft) }
    }
}

extension Configuration {
    /// For commands that look and change nothing.
    static var readOnly: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return configuration
    }
}
